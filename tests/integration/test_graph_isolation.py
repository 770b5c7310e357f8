"""Invariant 7: nothing of the graph that a call may not read reaches its answer, over every place and every scope."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from itertools import count, product

import psycopg
import pytest

from rensou_recall.store.evidence_graph import (
    load_pool_links,
    load_pool_mentions,
    load_record_neighbours,
    load_walk_edges,
    load_walk_records,
)
from rensou_recall.store.expansion import find_question_aliases, load_other_names
from rensou_recall.store.traverse import load_details, walk
from rensou_shared.db.pool import Connection, Database, PoolSize
from rensou_shared.ids import AgentId, EntityId, RecordId
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration.declared_world import DeclaredEntity, DeclaredRelation, DeclaredWorld, Spot

ANN, BOB = AgentId("ann"), AgentId("bob")
PLACES = [*product(("", "P", "Q"), ("", "C", "D"))]
SOURCES = ("", "chat:1", "mail")
SCOPES = [
    ReadScope(ANN, *asked) for asked in product((None, "", "P", "Q", "R"), ("", "C", "D", "X"), ("", "chat:1", "chat:"))
]
TIMEOUT_S = 30.0
ALL = 10_000


def _store_records(admin: psycopg.Connection) -> dict[int, Spot]:
    """A record of each agent in every place from every source, by number."""
    records: dict[int, Spot] = {}
    for agent, (project, channel), source in product((ANN, BOB), PLACES, SOURCES):
        row = admin.execute(
            """INSERT INTO rensou.records (agent_id, kind, content, project_id, channel, source_id)
               VALUES (%s, 'mem', 'tea', %s, %s, %s) RETURNING id""",
            (agent, project, channel, source),
        ).fetchone()
        assert row is not None
        records[row[0]] = Spot(agent, project, channel, source)
    return records


def _everything_declared(records: dict[int, Spot]) -> DeclaredWorld:
    """An entity in every place; everybody mentioned by every record, and related to everybody from every place."""
    numbers = count(1)
    spots = [Spot(agent, *place) for agent, place in product((ANN, BOB), PLACES)]
    entities = [DeclaredEntity(next(numbers), spot, ("tea", "te")) for spot in spots]
    of = {agent: [number for number, spot in records.items() if spot.agent == agent] for agent in (ANN, BOB)}
    few = {agent: found[:: len(SOURCES) - 1] for agent, found in of.items()}
    mentions = [(one.id, record) for one in entities for record in of[AgentId(one.spot.agent)]]
    relations = [
        DeclaredRelation(next(numbers), at, one.id, "p", other.id, anchor, next(numbers) % 7)
        for at in spots
        for one, other in product(entities, entities)
        if one.id < other.id and {one.spot.agent, other.spot.agent} == {at.agent}
        for anchor in (None, few[AgentId(at.agent)][(one.id + other.id) % len(few[ANN])])
    ]
    # Each pair of records is related from one place: their sources choose it, so that every place relates every two.
    relations += [
        DeclaredRelation(next(numbers), replace(spot, channel=channel, project=project, source=""), -one, "p", -other)
        for (one, spot), (other, far) in product(records.items(), records.items())
        if one != other and spot.agent == far.agent
        for project, channel in [PLACES[len(SOURCES) * SOURCES.index(spot.source) + SOURCES.index(far.source)]]
    ]
    return DeclaredWorld(records, entities, mentions, relations)


@pytest.fixture
def admin(database_dsns: DatabaseDsns) -> Iterator[psycopg.Connection]:
    """The superuser, whom no policy binds."""
    with psycopg.connect(database_dsns.admin, autocommit=True) as connection:
        yield connection


@pytest.fixture
async def database(database_dsns: DatabaseDsns) -> AsyncIterator[Database]:
    """The test's database, as the service reaches it."""
    opened = Database(database_dsns.recall, PoolSize(1, 2))
    await opened.open(TIMEOUT_S)
    yield opened
    await opened.close()


@pytest.fixture
def universe(admin: psycopg.Connection) -> DeclaredWorld:
    """Every combination there is, written past the service, which would refuse most of it."""
    world = _everything_declared(_store_records(admin))
    world.write(admin)
    return world


async def _check_names(connection: Connection, world: DeclaredWorld, scope: ReadScope) -> None:
    entities = sorted(world.entities_of(scope))
    matches = await find_question_aliases(connection, scope, "some tea", ALL)
    assert [match.entity_id for match in matches if match.normalized == "tea"] == entities
    assert len(matches) == 2 * len(entities)
    everybody = [EntityId(one.id) for one in world.entities]
    named = [one for one in everybody if (await load_other_names(connection, scope, "x", [one], ALL)).terms]
    assert named == entities
    for start, meant in (("te", entities), (everybody, entities), *(([one], [one]) for one in entities)):
        assert (await walk(connection, scope, start, 0, ALL)).entities == meant


async def _check_records(connection: Connection, world: DeclaredWorld, scope: ReadScope) -> None:
    readable = [RecordId(number) for number in sorted(world.records_of(scope))]
    links = await load_pool_links(connection, scope, readable)
    related = [one for one in world.relations_of(scope) if one.subject < 0 and one.object < 0]
    near = {(RecordId(-one.subject), RecordId(-one.object)) for one in related}
    assert {(link.subject, link.object) for link in links} == near
    joined = await load_record_neighbours(connection, scope, readable, ALL)
    assert {(here, far) for here, found in joined.items() for far in found} == near | {(b, a) for a, b in near}
    mentioned = await load_pool_mentions(connection, scope, readable, ALL)
    mentions = world.mentions_of(scope)
    assert sorted((entity, record) for record, found in mentioned.items() for entity in found) == sorted(mentions)
    entities = [EntityId(number) for number in sorted(world.entities_of(scope))]
    by_walk = await load_walk_records(connection, scope, entities, [], ALL)
    by_traverse = (await load_details(connection, scope, entities, 5)).mentions
    for entity in entities:
        records = sorted(record for one, record in mentions if one == entity)
        assert list(by_walk[entity].record_ids if entity in by_walk else ()) == records
        assert [ref.id for ref in by_traverse[entity].refs] == records[:5]
        assert by_traverse[entity].omitted == max(len(records) - 5, 0)


async def _check_relations(connection: Connection, world: DeclaredWorld, scope: ReadScope) -> None:
    entities = [EntityId(number) for number in sorted(world.entities_of(scope))]
    related = [one for one in world.relations_of(scope) if one.subject > 0 and one.object > 0]
    newest = {
        (here, there): (one.second, -one.id)
        for one in sorted(related, key=lambda one: (one.second, -one.id))
        for here, there in ((one.subject, one.object), (one.object, one.subject))
    }
    edges = await load_walk_edges(connection, scope, entities, ALL)
    found = {(here, edge.to_entity): -edge.relation_id for here, level in edges.items() for edge in level}
    assert found == {pair: place[1] for pair, place in newest.items()}
    for start in entities:
        reached = await walk(connection, scope, [start], 1, ALL)
        order = sorted((there for here, there in newest if here == start), key=lambda one: newest[start, one])[::-1]
        assert [list(level) for level in reached.levels[1:]] == ([order] if order else [])
    details = await load_details(connection, scope, entities, 5)
    shown = {one.id: None if one.anchor is None else one.anchor.id for one in details.relations}
    assert (shown, details.relations_omitted) == ({one.id: one.anchor for one in related}, 0)


@pytest.mark.parametrize("check", [_check_names, _check_records, _check_relations])
async def test_invariant_7_every_statement_reads_of_the_graph_what_the_scope_reads(
    universe: DeclaredWorld, database: Database, check
) -> None:
    for scope in SCOPES:
        async with database.transaction(scope.agent_id, TIMEOUT_S) as connection:
            await check(connection, universe, scope)
