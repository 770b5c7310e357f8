"""Declarations at once: who waits for whom, and nothing twice."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from rensou_recall.pipelines.declare import declare_in
from rensou_recall.types.graph import (
    Associations,
    DropReason,
)
from rensou_shared.ids import AgentId
from rensou_shared.scope import WriteScope
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, TIMEOUT_S, Graph, entities, open_graph, relations, scope_of, together

BOB = AgentId("bob")


@pytest.fixture
async def graph(database_dsns: DatabaseDsns) -> AsyncIterator[Graph]:
    async with open_graph(database_dsns.recall) as opened:
        yield opened


@pytest.mark.parametrize("places", [[scope_of()], [scope_of(), scope_of("P"), scope_of("P", "C")]])
async def test_parallel_declarations_of_the_same_names_make_one_entity_each(
    graph: Graph, places: list[WriteScope]
) -> None:
    record = await graph.record("x")
    ring = [(f"n{place}", "knows", f"n{(place + 1) % 8}") for place in range(8)]
    declared = [
        Associations(entities(*(f"n{n}" for n in order), ("Z", "zed")).entities, relations(*ring).relations)
        for order in (range(8), reversed(range(8)))
    ]
    reports = await together(*(graph.declare(declared[n % 2], places[n % len(places)], record) for n in range(20)))
    assert all(report.dropped == () or len(places) > 1 for report in reports)
    twice = await graph.run(
        b"SELECT e.project_id, e.channel, e.name FROM entities e GROUP BY 1, 2, 3 HAVING count(*) > 1"
    )
    orphans = await graph.run(
        b"SELECT e.id FROM entities e WHERE NOT EXISTS"
        b" (SELECT FROM entity_aliases a WHERE a.agent_id = e.agent_id AND a.entity_id = e.id AND a.is_name)"
    )
    assert twice == [] and orphans == []
    if len(places) == 1:
        assert await graph.count("entities") == 9 and await graph.count("relations") == 8
        assert sum(entity.created for report in reports for entity in report.entities) == 9


async def test_opposite_replacements_at_once_leave_one(graph: Graph) -> None:
    one, two = [str(await graph.record(text)) for text in ("one", "two")]
    pairs = [(one, "corrects", two), (two, "corrects", one)]
    await together(*(graph.declare(relations(pairs[n % 2])) for n in range(8)))
    assert await graph.count("relations") == 1


async def test_a_declaration_waits_for_the_one_before_it_and_sees_what_that_wrote(graph: Graph) -> None:
    one, two = [str(await graph.record(text)) for text in ("one", "two")]
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        await declare_in(connection, scope_of(), "agent", relations((one, "corrects", two)), None)
        later = asyncio.create_task(graph.declare(relations((two, "corrects", one))))
        done, _ = await asyncio.wait({later}, timeout=0.5)
        assert not done
    assert [it.reason for it in (await later).dropped] == [DropReason.CYCLE]


async def test_mentions_of_what_stands_and_other_agents_wait_for_nobody(graph: Graph) -> None:
    record = await graph.record("x")
    await graph.declare(entities(("Ann", "Sparrow")))
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        await declare_in(connection, scope_of(), "agent", entities("Bob"), None)
        mentions = asyncio.create_task(graph.declare(entities("Ann", ("ann", "sparrow")), anchor=record))
        foreign = asyncio.create_task(graph.declare(entities("Bob"), scope_of(agent_id=BOB)))
        done, _ = await asyncio.wait({mentions, foreign}, timeout=5)
        assert done == {mentions, foreign}
    assert (await mentions).mentions == 1


async def test_who_waits_for_its_turn_keeps_no_record_from_being_forgotten(graph: Graph) -> None:
    record = await graph.record("x")
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        await declare_in(connection, scope_of(), "agent", entities("Bob"), None)
        later = asyncio.create_task(graph.declare(entities("Ann"), anchor=record))
        await asyncio.wait({later}, timeout=0.5)
        await asyncio.wait_for(graph.run(b"DELETE FROM records r WHERE r.id = %(id)s", id=record.id), 5)
    assert [(it.item, it.reason) for it in (await later).dropped] == [("anchor_ref", DropReason.RECORD_NOT_FOUND)]
