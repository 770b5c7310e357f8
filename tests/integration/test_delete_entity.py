"""Deleting an entity, against PostgreSQL, as the service's own role: all that names it goes, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from rensou_recall.pipelines.delete_entity import delete_entity
from rensou_recall.store.declaration import lock_declarations
from rensou_recall.types.listing import DeletedEntity
from rensou_shared.errors import EntityNotFound, WriteConflict
from rensou_shared.ids import AgentId, EntityId
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, Graph, entities, open_graph, relations, scope_of, together

BOB = AgentId("bob")
_NAMED = """
SELECT (SELECT count(*) FROM entities WHERE id = %(id)s),
       (SELECT count(*) FROM entity_aliases WHERE entity_id = %(id)s),
       (SELECT count(*) FROM entity_mentions WHERE entity_id = %(id)s),
       (SELECT count(*) FROM relations WHERE %(id)s IN (subject_entity, object_entity)),
       (SELECT count(*) FROM entity_edges WHERE %(id)s IN (from_entity, to_entity))
"""
_EDGES = """
SELECT e.from_entity, e.to_entity, e.relation_id FROM entity_edges e EXCEPT
SELECT x.f, x.t, r.id FROM relations r
CROSS JOIN LATERAL (VALUES (r.subject_entity, r.object_entity), (r.object_entity, r.subject_entity)) AS x (f, t)
"""


@pytest.fixture
async def graph(database_dsns: DatabaseDsns) -> AsyncIterator[Graph]:
    async with open_graph(database_dsns.recall) as opened:
        yield opened


async def _delete(graph: Graph, entity: EntityId, agent: AgentId = AGENT) -> DeletedEntity:
    deps: Any = graph
    return await delete_entity(deps, graph.call(), agent, entity)


async def _id(graph: Graph, name: str) -> EntityId:
    ((entity,),) = await graph.run(b"SELECT id FROM entities WHERE name = %(name)s", name=name)
    return EntityId(entity)


async def test_invariant_8_an_entity_leaves_with_its_names_mentions_relations_and_edges(graph: Graph) -> None:
    one, two = await graph.record("one"), await graph.record("two")
    await graph.declare(entities(("Ann", "Annie", "A."), "Bob"), anchor=one)
    await graph.declare(entities("Ann"), anchor=two)
    forms = [("Ann", "knows", "Bob"), ("Bob", "likes", "Ann"), ("Ann", "wrote", str(one)), (str(two), "names", "Ann")]
    await graph.declare(relations(*forms, ("Bob", "knows", "Cy"), (str(one), "corrects", str(two))), anchor=one)
    ann = await _id(graph, "Ann")
    assert await _delete(graph, ann) == DeletedEntity(aliases=2, mentions=2, relations=4)
    assert await graph.run(_NAMED.encode(), id=ann) == [(0, 0, 0, 0, 0)]
    left = [await graph.count(table) for table in ("records", "entities", "entity_mentions", "relations")]
    assert left == [2, 2, 1, 2]
    assert await graph.count("entity_edges") == 2 and await graph.run(_EDGES.encode()) == []


async def test_a_second_entity_of_the_same_name_stays(graph: Graph) -> None:
    await graph.declare(entities(("Ann", "Annie")), scope_of("P"))
    await graph.declare(entities(("Ann", "Annie")), scope_of("Q"))
    ((of_p,),) = await graph.run(b"SELECT id FROM entities WHERE project_id = 'P'")
    assert await _delete(graph, of_p) == DeletedEntity(1, 0, 0)
    assert await graph.run(b"SELECT project_id, alias FROM entity_aliases ORDER BY 2") == [("Q", "Ann"), ("Q", "Annie")]


async def test_a_name_that_is_declared_again_is_a_new_entity_without_a_past(graph: Graph) -> None:
    record = await graph.record("one")
    await graph.declare(relations(("Ann", "knows", "Bob")), anchor=record)
    ann = await _id(graph, "Ann")
    await _delete(graph, ann)
    (again,) = (await graph.declare(entities("Ann"))).entities
    assert again.created and again.id > ann and await graph.count("relations") == 0


async def test_an_unknown_or_foreign_entity_is_not_found_and_stays(graph: Graph) -> None:
    (foreign,) = (await graph.declare(entities("Ann"), scope_of(agent_id=BOB))).entities
    for entity in (foreign.id, EntityId(10**9)):
        with pytest.raises(EntityNotFound):
            await _delete(graph, entity)
    assert await graph.count("entities", BOB) == 1


async def test_a_pair_keeps_the_edge_of_a_relation_that_is_left(graph: Graph) -> None:
    await graph.declare(relations(("Ann", "old", "Bob")))
    await graph.declare(relations(("Bob", "new", "Ann")))
    await graph.run(b"DELETE FROM relations WHERE predicate = 'new'")
    assert await graph.run(
        b"SELECT e.from_entity < e.to_entity, r.predicate FROM entity_edges e JOIN relations r ON r.id = e.relation_id"
        b" ORDER BY 1"
    ) == [(False, "old"), (True, "old")]


async def test_deleting_beside_declaring_storing_and_forgetting_never_fails_and_leaves_no_orphan(graph: Graph) -> None:
    """B18: what is declared while its entity goes is declared of a new one."""
    records = [await graph.record(f"record {number}") for number in range(12)]
    names = [f"E{number}" for number in range(4)]
    await graph.declare(entities(*names))

    async def declare(number: int) -> None:
        name, other = names[number % 4], names[(number + 1) % 4]
        await graph.declare(entities(name), anchor=records[number])
        await graph.declare(relations((name, "knows", other), (name, f"p{number}", other)), anchor=records[number])

    async def delete(name: str) -> None:
        for (entity,) in await graph.run(b"SELECT id FROM entities WHERE name = %(name)s", name=name):
            await _delete(graph, EntityId(entity))

    async def forget(number: int) -> None:
        await graph.database.write(
            AGENT, 20, lambda c: c.execute(b"DELETE FROM records WHERE id = %s", (records[number].id,))
        )

    declared = [declare(number) for number in range(8)]
    deleted = [delete(name) for name in names * 2]
    for outcome in await together(*(_kept(one) for one in (*declared, *deleted, *(forget(n) for n in (0, 1, 9, 10))))):
        assert outcome is None or isinstance(outcome, EntityNotFound), outcome
    assert await graph.run(_EDGES.encode()) == []


async def test_deleting_waits_for_a_declaration_that_is_under_way(graph: Graph) -> None:
    (ann,) = (await graph.declare(entities("Ann"))).entities
    async with graph.database.transaction(AGENT, 20) as declaring:
        await lock_declarations(declaring, AGENT)
        deleting = asyncio.create_task(_delete(graph, ann.id))
        assert await asyncio.wait({deleting}, timeout=0.5) == (set(), {deleting})
    assert await deleting == DeletedEntity(0, 0, 0)


async def _kept(work: Any) -> BaseException | None:
    try:
        await work
    except Exception as error:  # noqa: BLE001 - the test looks at it
        return error
    return None


async def test_what_refers_to_an_entity_that_left_meanwhile_is_a_conflict_to_be_tried_again(graph: Graph) -> None:
    async def work(connection: Any) -> None:
        await connection.execute(
            b"INSERT INTO entity_mentions (agent_id, entity_id, record_id, declared_by) VALUES ('ann', 99, 99, 'agent')"
        )

    assert isinstance(await _kept(graph.database.write(AGENT, 20, work)), WriteConflict)


async def test_an_edge_without_its_relation_is_refused_at_the_end_of_the_transaction(
    graph: Graph, database_dsns: DatabaseDsns
) -> None:
    await graph.declare(relations(("Ann", "knows", "Bob")))
    async with await psycopg.AsyncConnection.connect(database_dsns.admin) as admin:
        await admin.execute(b"UPDATE rensou.entity_edges SET relation_id = relation_id + 1")
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            await admin.commit()
