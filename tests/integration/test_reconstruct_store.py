"""What Reconstruct reads of the graph and the records: the right rows, in their order, and nothing of another scope."""

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta

import numpy as np
import psycopg
import pytest

from rensou_recall.store.evidence_graph import (
    load_pool_links,
    load_pool_mentions,
    load_walk_edges,
    load_walk_records,
)
from rensou_recall.store.evidence_records import load_evidence_traits, load_scored_nodes
from rensou_recall.store.expansion import find_question_aliases, load_other_names
from rensou_recall.types.evidence import RecordLink
from rensou_recall.types.expansion import Expansion
from rensou_shared.db.pool import Connection, Database, PoolSize
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration.evidence_world import ANN, BOB, EVERYTHING, NOON, World


@pytest.fixture
def world(database_dsns: DatabaseDsns) -> Iterator[World]:
    """The test's database, to be filled."""
    with psycopg.connect(database_dsns.admin, autocommit=True, options="-c search_path=rensou,public") as admin:
        yield World(admin)


@pytest.fixture
async def database(database_dsns: DatabaseDsns) -> AsyncIterator[Database]:
    """The test's database as the recall service reaches it."""
    database = Database(database_dsns.recall, PoolSize(1, 1))
    await database.open(10)
    yield database
    await database.close()


@pytest.fixture
async def connection(database: Database) -> AsyncIterator[Connection]:
    """A transaction of Ann's."""
    async with database.transaction(ANN, 10) as connection:
        yield connection


async def test_aliases_in_the_question_come_longest_first_within_the_bound(world: World, connection: Connection):
    york = world.entity("York")
    new_york = world.entity("New York", "Big Apple")
    world.entity("Leeds")
    found = await find_question_aliases(connection, EVERYTHING, "from new york to york, the big apple", 2)
    assert [(match.entity_id, match.normalized) for match in found] == [(new_york, "big apple"), (new_york, "new york")]
    found = await find_question_aliases(connection, EVERYTHING, "a 100% york_", 9)
    assert [match.entity_id for match in found] == [york]


async def test_aliases_of_other_projects_channels_and_agents_do_not_match(world: World, connection: Connection):
    world.entity("tea", agent=BOB)
    world.entity("tea", project="other")
    world.entity("tea", project="mine", channel="other")
    own = [world.entity("tea"), world.entity("tea", project="mine", channel="here")]
    found = await find_question_aliases(connection, ReadScope(ANN, "mine", "here"), "tea", 9)
    assert [match.entity_id for match in found] == own


async def test_names_come_with_the_name_first_then_by_normal_form(world: World, connection: Connection):
    entity = world.entity("Zoe", "bee", "Ann")
    foreign = world.entity("Bob", agent=BOB)
    second = world.entity("Yak", "Ann B", project="mine")
    names = await load_other_names(connection, EVERYTHING, "x", [foreign, second, entity], 9)
    assert (names.terms, names.omitted) == (("Yak", "Ann B", "Zoe", "Ann", "bee"), 0)
    hidden = await load_other_names(connection, ReadScope(ANN, "other"), "x", [second, entity], 9)
    assert hidden.terms == ("Zoe", "Ann", "bee")


async def test_a_name_that_the_question_holds_is_no_other_name_and_one_of_two_entities_is_given_once(
    world: World, connection: Connection
):
    first = world.entity("MizEye App", "mizeye", "Eye", "Camera")
    second = world.entity("CAMERA", "Lens", project="mine")
    names = await load_other_names(connection, EVERYTHING, "how is mizeye", [first, second], 9)
    assert names.terms == ("MizEye App", "Camera", "Lens")


async def test_names_past_the_bound_are_counted(world: World, connection: Connection):
    entity = world.entity("held", *(f"alias {number:03}" for number in range(50)))
    other = world.entity("other", "alias 001 of another", project="mine")
    names = await load_other_names(connection, EVERYTHING, "it is held", [entity, other], 32)
    assert names.terms == tuple(f"alias {number:03}" for number in range(32))
    assert names.omitted == 50 + 2 - 32


async def test_links_give_the_lowest_predicate_and_every_role_of_a_pair(world: World, connection: Connection):
    one, two, outside = (world.record(text) for text in ("one", "two", "three"))
    for predicate in ("supports", "about", "restates", "corrects"):
        world.relation(one, predicate, two, kind="record")
    world.relation(one, "about", outside, kind="record")
    links = await load_pool_links(connection, EVERYTHING, [two, one])
    assert links == tuple(RecordLink(one, predicate, two) for predicate in ("about", "corrects", "supports"))


async def test_links_of_another_scope_are_not_read(world: World, connection: Connection):
    one, two = world.record("one"), world.record("two")
    world.relation(one, "about", two, kind="record", project="other")
    assert await load_pool_links(connection, ReadScope(ANN, "mine"), [one, two]) == ()
    assert len(await load_pool_links(connection, EVERYTHING, [one, two])) == 1


async def test_mentions_are_by_number_and_only_of_readable_entities(world: World, connection: Connection):
    one, two = world.record("one"), world.record("two")
    tea, pot, other = world.entity("tea"), world.entity("pot"), world.entity("cup", project="other")
    for entity in (pot, tea, other):
        world.mention(entity, one)
    assert await load_pool_mentions(connection, ReadScope(ANN, ""), [two, one]) == {one: (tea, pot)}


async def test_reading_1_edges_run_both_ways_newest_first_and_an_entity_alone_has_none(
    world: World, connection: Connection
):
    tea, pot, cup, lone = (world.entity(name) for name in ("tea", "pot", "cup", "lone"))
    old = world.relation(tea, "in", pot, minute=1)
    new = world.relation(cup, "holds", tea, minute=2)
    edges = await load_walk_edges(connection, EVERYTHING, [tea, lone])
    assert [(edge.to_entity, edge.relation_id, edge.predicate) for edge in edges[tea]] == [
        (cup, new, "holds"),
        (pot, old, "in"),
    ]
    assert edges[tea][0].declared_at == NOON + timedelta(minutes=2)
    assert edges[lone] == ()


async def test_a_pair_has_one_edge_the_newest_that_is_readable(world: World, connection: Connection):
    tea, pot = world.entity("tea"), world.entity("pot")
    world.relation(tea, "in", pot, minute=1)
    mine = world.relation(tea, "in", pot, minute=2, project="mine")
    newest = world.relation(tea, "in", pot, minute=3, project="other")
    scoped = await load_walk_edges(connection, ReadScope(ANN, "mine"), [tea])
    everything = await load_walk_edges(connection, EVERYTHING, [tea])
    assert [edge.relation_id for edge in scoped[tea]] == [mine]
    assert [edge.relation_id for edge in everything[tea]] == [newest]


async def test_no_edge_leads_to_an_entity_that_the_scope_does_not_read(world: World, connection: Connection):
    tea, hidden = world.entity("tea"), world.entity("pot", project="other")
    world.relation(tea, "in", hidden)
    assert await load_walk_edges(connection, ReadScope(ANN, "mine"), [tea]) == {tea: ()}


async def test_a_hub_is_read_up_to_the_newest_that_the_walk_can_use(world: World, connection: Connection):
    hub = world.entity("hub")
    far = [world.entity(f"far {number}") for number in range(600)]
    for minute, entity in enumerate(far):
        world.relation(hub, "knows", entity, minute=minute)
    edges = (await load_walk_edges(connection, EVERYTHING, [hub]))[hub]
    assert [edge.to_entity for edge in edges] == far[: -(256 + 1) : -1]


async def test_reading_4_records_of_an_entity_are_the_lowest_outside_the_pool_and_the_extra_is_only_a_sign(
    world: World, connection: Connection
):
    tea, pot = world.entity("tea"), world.entity("pot")
    records = [world.record(f"text {number}") for number in range(5)]
    world.mention(tea, *records)
    world.mention(pot, records[0])
    found = await load_walk_records(connection, EVERYTHING, [pot, tea], [records[0]], 3)
    assert found.keys() == {tea}
    assert (found[tea].record_ids, found[tea].more) == (tuple(records[1:4]), True)
    found = await load_walk_records(connection, EVERYTHING, [tea], [records[0]], 4)
    assert (found[tea].record_ids, found[tea].more) == (tuple(records[1:]), False)


async def test_records_outside_the_scope_are_not_reached(world: World, connection: Connection):
    tea = world.entity("tea")
    hidden = [world.record("a", project="other"), world.record("b", channel="other"), world.record("c", source="x:2")]
    seen = world.record("d", project="mine", channel="here", source="x:1")
    world.mention(tea, seen, *hidden)
    found = await load_walk_records(connection, ReadScope(ANN, "mine", "here", "x:1"), [tea], [], 9)
    assert found[tea].record_ids == (seen,)
    found = await load_walk_records(connection, ReadScope(ANN, None, "", "x:"), [tea], [], 9)
    assert found[tea].record_ids == tuple(sorted((seen, hidden[2])))


async def test_traits_are_those_of_readable_records(world: World, connection: Connection):
    one, other = world.record("one"), world.record("two", project="other")
    traits = await load_evidence_traits(connection, ReadScope(ANN, ""), [other, one])
    assert [(str(trait.ref), trait.occurred_at) for trait in traits.values()] == [(f"mem:{one}", NOON)]


async def test_nodes_are_scored_in_the_database_for_the_active_model_and_window(world: World, connection: Connection):
    active, retired = world.model(), world.model("retired")
    one, stale, narrow = world.record("ab"), world.record("c"), world.record("e")
    world.nodes(one, active, 8, [1, 0, 0], [0.6, 0.8, 0])
    world.nodes(stale, retired, 8, [1, 0, 0])
    world.nodes(narrow, active, 4, [1, 0, 0])
    vector = np.array([0, 1, 0], np.float32)
    nodes = await load_scored_nodes(connection, EVERYTHING, [one, stale, narrow], vector, active)
    assert (nodes.keys(), nodes[stale], nodes[narrow]) == ({one, stale, narrow}, (), ())
    assert [(node.span.index, node.span.of, node.span.start_char) for node in nodes[one]] == [(0, 2, 0), (1, 2, 1)]
    assert [node.cosine for node in nodes[one]] == pytest.approx([0, 0.8], abs=1e-3)


async def test_nodes_without_a_vector_of_their_model_are_not_scored(world: World, connection: Connection):
    active = world.model()
    one = world.record("a")
    world.nodes(one, active, 8, [1, 0, 0])
    unscored = await load_scored_nodes(connection, EVERYTHING, [one], None, None)
    foreign = await load_scored_nodes(connection, EVERYTHING, [one], np.array([1, 0], np.float32), active + 1)
    assert [node.cosine for node in (*unscored[one], *foreign[one])] == [None, None]


async def test_nothing_of_another_agent_is_read_by_its_ids(world: World, database: Database):
    model = world.model()
    tea, pot = world.entity("tea"), world.entity("pot")
    one, two = world.record("ab"), world.record("cd")
    world.mention(tea, one, two)
    world.relation(tea, "in", pot)
    world.relation(one, "corrects", two, kind="record")
    world.nodes(one, model, 8, [1, 0, 0])
    scope = ReadScope(BOB)
    async with database.transaction(BOB, 10) as connection:
        assert await find_question_aliases(connection, scope, "tea", 9) == []
        assert await load_other_names(connection, scope, "x", [tea], 9) == Expansion()
        assert await load_pool_links(connection, scope, [one, two]) == ()
        assert await load_pool_mentions(connection, scope, [one]) == {}
        assert await load_walk_edges(connection, scope, [tea]) == {tea: ()}
        assert await load_walk_records(connection, scope, [tea], [], 9) == {}
        assert await load_evidence_traits(connection, scope, [one]) == {}
        assert await load_scored_nodes(connection, scope, [one], None, None) == {}
