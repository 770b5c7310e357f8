"""Walking over what is declared, against PostgreSQL, as the service's own role."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from rensou_recall.pipelines.traverse import traverse
from rensou_recall.store.traverse import load_details, walk
from rensou_recall.types.graph import Associations
from rensou_recall.types.traverse import Neighbourhood, TraverseDetails, TraverseRequest, Walk
from rensou_shared.db.sql import load_statement
from rensou_shared.errors import EntityNotFound
from rensou_shared.ids import AgentId, EntityId, RecordRef
from rensou_shared.scope import ReadScope, scope_params
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, TIMEOUT_S, Graph, entities, open_graph, relations, scope_of

EVERYTHING = ReadScope(AGENT)


@pytest.fixture
async def graph(database_dsns: DatabaseDsns) -> AsyncIterator[Graph]:
    async with open_graph(database_dsns.recall) as opened:
        yield opened


async def _walk(graph: Graph, scope: ReadScope, starts: list[EntityId], max_hops: int, limit: int) -> Walk:
    async with graph.database.transaction(scope.agent_id, TIMEOUT_S) as connection:
        return await walk(connection, scope, starts, max_hops, limit)


async def _traverse(
    graph: Graph, start: str | EntityId, max_hops: int = 1, limit: int = 20, scope: ReadScope = EVERYTHING
) -> Neighbourhood:
    deps: Any = graph
    return await traverse(deps, graph.call(), TraverseRequest(scope, str(start), start, max_hops, limit))


def _names(found: Neighbourhood) -> list[tuple[str, int]]:
    return [(entity.names.name, entity.hops) for entity in found.entities]


async def test_a_walk_returns_names_mentions_and_relations(graph: Graph) -> None:
    one, two = await graph.record("one"), await graph.record("two", kind="ep")
    declared = Associations(
        entities(("MizEye", "ミズアイ", "eye")).entities,
        relations(("Kirari", "Maintains", "MizEye"), ("Kirari", "lives in", "Sapporo")).relations,
    )
    await graph.declare(declared, anchor=one)
    await graph.declare(entities("Sapporo"), anchor=two)
    found = await _traverse(graph, "ミズアイ", max_hops=2)
    assert _names(found) == [("MizEye", 0), ("Kirari", 1), ("Sapporo", 2)]
    assert found.entities[0].names.aliases == ("eye", "ミズアイ")
    assert [entity.mentions.refs for entity in found.entities] == [(one,), (), (two,)]
    assert [(it.predicate, it.anchor, it.declared_by) for it in found.relations] == [
        ("Maintains", one, "agent"),
        ("lives in", one, "agent"),
    ]
    assert not found.max_hops_omitted and not found.limit_omitted


async def test_a_relation_beyond_the_hops_is_named_as_unfollowed(graph: Graph) -> None:
    await graph.declare(relations(("A", "p", "B"), ("B", "p", "C")))
    assert (await _traverse(graph, "a", 1)).max_hops_omitted
    assert not (await _traverse(graph, "a", 2)).max_hops_omitted
    alone = await _traverse(graph, "a", 0)
    assert _names(alone) == [("A", 0)] and alone.max_hops_omitted and alone.relations == ()


async def test_an_unknown_name_ref_or_place_is_not_found(graph: Graph) -> None:
    (entity,) = (await graph.declare(entities("A"), scope_of("P"))).entities
    with pytest.raises(EntityNotFound):
        await _traverse(graph, "b")
    with pytest.raises(EntityNotFound):
        await _traverse(graph, EntityId(99))
    for scope in (ReadScope(AGENT, "Q"), ReadScope(AGENT, ""), ReadScope(AgentId("bob"))):
        for start in ("a", entity.id):
            with pytest.raises(EntityNotFound):
                await _traverse(graph, start, scope=scope)


async def test_a_name_that_means_several_entities_starts_from_all(graph: Graph) -> None:
    await graph.declare(relations(("Ann", "p", "X")))
    await graph.declare(entities(("Ann", "Sparrow")), scope_of("P"))
    await graph.declare(relations(("Sparrow", "p", "Y")), scope_of("P"))
    assert _names(await _traverse(graph, "ann", scope=ReadScope(AGENT, "P"))) == [
        ("Ann", 0),
        ("Ann", 0),
        ("Y", 1),
        ("X", 1),
    ]
    assert _names(await _traverse(graph, "ann", scope=ReadScope(AGENT, ""))) == [("Ann", 0), ("X", 1)]


async def test_more_starts_than_the_limit_are_cut_and_counted(graph: Graph) -> None:
    for project in "PQR":
        await graph.declare(relations(("A", "p", "B")), scope_of(project))
    found = await _traverse(graph, "a", limit=2)
    assert _names(found) == [("A", 0), ("A", 0)]
    assert (found.entities_omitted, found.limit_omitted, found.max_hops_omitted) == (1, True, False)


async def test_another_projects_newer_relation_hides_nothing(graph: Graph) -> None:
    await graph.declare(relations(("A", "old", "B")))
    await graph.declare(relations(("A", "newer", "B")), scope_of("Q"))
    found = await _traverse(graph, "a", scope=ReadScope(AGENT, "P"))
    assert _names(found) == [("A", 0), ("B", 1)] and [it.predicate for it in found.relations] == ["old"]


async def test_mentions_follow_the_scope_and_the_limit(graph: Graph) -> None:
    refs: dict[str, RecordRef] = {}
    for text, project, source in [
        ("a", "", "x:1"),
        ("b", "P", "x:2"),
        ("c", "Q", "x:1"),
        ("d", "", ""),
        ("e", "", "x:1"),
    ]:
        refs[text] = await graph.record(text, scope_of(project), source_id=source)
        await graph.declare(entities("A"), scope_of(project), refs[text])

    async def mentioned(scope: ReadScope, limit: int = 20) -> tuple[str, int]:
        (entity,) = (await _traverse(graph, "a", 0, limit, scope)).entities
        return "".join(text for text, ref in refs.items() if ref in entity.mentions.refs), entity.mentions.omitted

    assert await mentioned(EVERYTHING) == ("abcde", 0)
    assert await mentioned(ReadScope(AGENT, "P")) == ("abde", 0)
    assert await mentioned(ReadScope(AGENT, source_id="x:1")) == ("ace", 0)
    assert await mentioned(ReadScope(AGENT, "P", source_id="x:")) == ("abe", 0)
    assert await mentioned(EVERYTHING, 2) == ("ab", 3)


async def test_an_anchor_that_the_call_may_not_read_is_not_named(graph: Graph) -> None:
    anchor = await graph.record("x", source_id="s1")
    await graph.declare(relations(("A", "p", "B")), anchor=anchor)
    (shown,) = (await _traverse(graph, "a")).relations
    (hidden,) = (await _traverse(graph, "a", scope=ReadScope(AGENT, source_id="s2"))).relations
    assert (shown.anchor, hidden.anchor) == (anchor, None)


async def test_relations_are_newest_first_and_the_rest_is_counted(graph: Graph) -> None:
    report = await graph.declare(entities("A", "B"))
    one, other = (entity.id for entity in report.entities)
    await graph.run(
        b"INSERT INTO relations (agent_id, project_id, channel, subject_entity, predicate, normalized_predicate,"
        b" object_entity, declared_by, declared_at) SELECT 'ann', '', '', %(one)s, n::text, n::text, %(other)s,"
        b" 'agent', '2026-01-01Z'::timestamptz + (n / 2) * interval '1 second' FROM generate_series(1, 1100) n",
        one=one,
        other=other,
    )
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        details = await load_details(connection, EVERYTHING, [one, other], 20)
    listed, omitted = details.relations, details.relations_omitted
    order = sorted(listed, key=lambda it: (-it.declared_at.timestamp(), it.id))
    assert listed == order and (len(listed), omitted, listed[0].predicate) == (1000, 100, "1100")


async def _hub(graph: Graph, leaves: int) -> EntityId:
    """A hub with a relation to each of its leaves."""
    (hub,) = (await graph.declare(entities("Hub"))).entities
    await graph.run(
        b"WITH e AS (INSERT INTO entities (agent_id, project_id, channel, name, declared_by)"
        b" SELECT 'ann', '', '', 'leaf ' || n, 'agent' FROM generate_series(1, %(leaves)s) n RETURNING id)"
        b" INSERT INTO relations (agent_id, project_id, channel, subject_entity, predicate, normalized_predicate,"
        b" object_entity, declared_by) SELECT 'ann', '', '', %(hub)s, 'p', 'p', e.id, 'agent' FROM e",
        hub=hub.id,
        leaves=leaves,
    )
    return hub.id


async def test_a_hub_of_10000_relations_is_cut_to_its_newest(graph: Graph) -> None:
    hub = await _hub(graph, 10_000)
    newest = [
        row[0] for row in await graph.run(b"SELECT object_entity FROM relations ORDER BY declared_at DESC, id LIMIT 99")
    ]
    found = await _walk(graph, EVERYTHING, [hub], 5, 100)
    assert found.levels == ((hub,), tuple(newest))
    assert found.omitted == 101 and not found.unfollowed


async def test_what_lies_behind_a_hub_of_10000_relations_is_reached(graph: Graph) -> None:
    hub = await _hub(graph, 10_000)
    await graph.declare(relations(("Door", "opens", "Hub"), ("leaf 7", "last", "Hub"), ("leaf 7", "leads to", "End")))
    found = await _traverse(graph, "door", max_hops=5, limit=100)
    assert _names(found)[:3] == [("Door", 0), ("Hub", 1), ("leaf 7", 2)]
    # Of what is two hops away the limit cuts; the walk goes no further and says so.
    assert len(found.entities) == 100 and found.limit_omitted and found.entities[1].id == hub
    assert ("End", 3) not in _names(found) and found.entities_omitted > 0


async def test_parallel_relations_hide_no_neighbour(graph: Graph) -> None:
    await graph.declare(relations(("A", "old", "B"), ("B", "p", "C")))
    for start in range(0, 200, 50):
        await graph.declare(relations(*[("A", f"p{number}", "D") for number in range(start, start + 50)]))
    assert _names(await _traverse(graph, "a", 2, 2)) == [("A", 0), ("D", 1)]
    assert _names(await _traverse(graph, "a", 2, 3)) == [("A", 0), ("D", 1), ("B", 1)]
    found = await _traverse(graph, "a", 2, 4)
    assert _names(found) == [("A", 0), ("D", 1), ("B", 1), ("C", 2)]
    assert (len(found.relations), found.entities_omitted, found.max_hops_omitted) == (202, 0, False)
    assert [it.predicate for it in found.relations][:2] == ["p150", "p151"]


async def test_a_walk_through_cycles_names_each_entity_once_at_its_fewest_hops(graph: Graph) -> None:
    ring = [(str(number), "next", str((number + 1) % 6)) for number in range(6)]
    await graph.declare(relations(*ring, ("0", "likes", "3"), ("3", "likes", "0"), ("3", "knows", "5")))
    found = await _traverse(graph, "0", 5, 100)
    assert sorted(_names(found)) == [("0", 0), ("1", 1), ("2", 2), ("3", 1), ("4", 2), ("5", 1)]
    assert (len(found.relations), found.entities_omitted, found.max_hops_omitted) == (9, 0, False)


async def test_aliases_beyond_their_bound_are_counted(graph: Graph) -> None:
    for start in range(0, 40, 20):
        await graph.declare(entities(("A", *(f"other {number:02}" for number in range(start, start + 20)))))
    await graph.declare(entities(("B", "bee")))
    (many,) = (await _traverse(graph, "other 39")).entities
    assert many.names.aliases == tuple(f"other {number:02}" for number in range(32))
    assert many.names.aliases_omitted == 8
    (few,) = (await _traverse(graph, "b")).entities
    assert (few.names.aliases, few.names.aliases_omitted) == (("bee",), 0)


async def test_a_walk_through_a_hub_reads_edges_in_the_order_of_their_index(
    graph: Graph, database_dsns: DatabaseDsns
) -> None:
    hub = await _hub(graph, 2_000)
    async with await psycopg.AsyncConnection.connect(database_dsns.admin, autocommit=True) as admin:
        await admin.execute("ANALYZE rensou.entity_edges, rensou.entities")
    params = scope_params(EVERYTHING) | {"normalized": "", "entity_ids": [hub], "max_hops": 5, "keep": 20}
    statement = b"EXPLAIN (ANALYZE, TIMING OFF) " + load_statement("rensou_recall.store", "traverse_walk")
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        cursor = await connection.execute(statement, params)
        plan = "\n".join(row[0] for row in await cursor.fetchall())
    assert "entity_edges_newest" in plan and "Seq Scan" not in plan, plan


async def test_a_walk_never_reaches_a_foreign_agents_entity(graph: Graph) -> None:
    foreign = await graph.declare(relations(("A", "p", "B")), scope_of(agent_id=AgentId("bob")))
    start = [foreign.entities[0].id]
    assert await _walk(graph, EVERYTHING, start, 5, 100) == Walk((), 0, unfollowed=False)
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        assert await load_details(connection, EVERYTHING, start, 5) == TraverseDetails({}, {}, [], 0)


async def test_a_forgotten_record_leaves_a_walk_that_still_answers(graph: Graph) -> None:
    record = await graph.record("x")
    await graph.declare(replace(entities("A"), relations=relations(("A", "p", "B")).relations), anchor=record)
    await graph.run(b"DELETE FROM records r WHERE r.id = %(id)s", id=record.id)
    found = await _traverse(graph, "a", 5)
    assert _names(found) == [("A", 0)] and found.entities[0].mentions.refs == ()


async def test_no_relation_is_ever_changed_so_that_adding_and_taking_away_keep_the_edges(graph: Graph) -> None:
    await graph.declare(relations(("A", "p", "B")))
    for change in (b"UPDATE relations SET declared_at = now()", b"UPDATE entity_edges SET declared_at = now()"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await graph.run(change)
