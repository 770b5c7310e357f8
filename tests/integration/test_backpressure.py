"""A queue at its cap: records are stored all the same, and get their nodes when there is room again."""

import asyncio

import psycopg
import pytest

from rensou_recall.pipelines import backpressure
from rensou_recall.pipelines.backpressure import DEFERRED_BUILDS
from rensou_recall.types.records import NodesOutlook
from rensou_recall.types.storing import StoreOutcome, StoreResult
from rensou_shared.jobs.caps import QueueCaps
from tests.integration.nodeworker_world import LONG, World, whole
from tests.integration.store_world import CONNECTIONS, StoreWorld, open_store
from tests.unit.lying_embedding_server import honest, says

QUEUED, DEFERRED, NONE = NodesOutlook.QUEUED, NodesOutlook.DEFERRED, NodesOutlook.NONE


def long(number: int) -> str:
    return f"Number {number}. {LONG}"


def outlooks(results: list[StoreResult]) -> list[NodesOutlook]:
    assert {one.outcome for one in results} == {StoreOutcome.STORED}
    return [one.nodes for one in results]


async def drain(world: World, caps: QueueCaps) -> None:
    """Runs a worker and a reconciler's sweeps until nothing lacks."""
    sweep = world.sweep(caps=caps)
    async with world.worker():
        for _ in range(200):
            await sweep.sweep()
            await world.settled()
            if not await world.run(_LACKING):
                return
    raise AssertionError("records are left lacking")


_LACKING = """
SELECT 1 FROM records r
LEFT JOIN record_vectors v ON v.record_id = r.id
WHERE v.record_id IS NULL OR (v.token_count > 12 AND NOT EXISTS (SELECT FROM record_nodes n WHERE n.record_id = r.id))
"""


async def every_record_is_whole(world: World) -> bool:
    records = await world.run("SELECT id, content FROM records")
    return all([whole(await world.nodes(record), content) for record, content in records])


async def test_at_the_cap_of_its_agent_a_record_is_stored_and_deferred_and_anothers_is_queued(world: World) -> None:
    async with open_store(world, QueueCaps(per_agent=2)) as recall:
        before = DEFERRED_BUILDS._value.get()
        assert outlooks([await recall.store(long(n)) for n in range(4)]) == [QUEUED, QUEUED, DEFERRED, DEFERRED]
        assert outlooks([await recall.store(long(0), "bob")]) == [QUEUED]
        assert DEFERRED_BUILDS._value.get() == before + 2
        assert await recall.waiting() == 2


async def test_at_the_cap_in_all_every_agents_records_are_deferred(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backpressure, "FRESH_S", 0.0)
    async with open_store(world, QueueCaps(in_all=2)) as recall:
        assert outlooks([await recall.store(long(n), f"agent {n}") for n in range(3)]) == [QUEUED, QUEUED, DEFERRED]


async def test_what_a_process_queued_itself_counts_at_once_although_the_count_of_all_is_kept(world: World) -> None:
    async with open_store(world, QueueCaps(in_all=3)) as recall:
        assert outlooks([await recall.store(long(n), f"agent {n}") for n in range(4)])[-1] is DEFERRED
        assert outlooks(await recall.batch([long(n) for n in range(3)])) == [DEFERRED] * 3


async def test_a_batch_of_a_hundred_past_the_cap_is_stored_whole_and_fills_the_queue_to_the_cap(world: World) -> None:
    caps = QueueCaps(per_agent=30)
    async with open_store(world, caps) as recall:
        results = outlooks(await recall.batch([long(n) for n in range(100)]))
        assert results == [QUEUED] * 30 + [DEFERRED] * 70
        assert await recall.waiting() == 30
        assert await recall.missing("missing_nodes") == 100
        await drain(world, caps)
        assert await every_record_is_whole(world)
        assert await recall.missing("missing_nodes") == 0
    # One build a record, whoever asked for it.
    assert await world.run("SELECT count(*), count(DISTINCT record_id) FROM node_builds") == [(100, 100)]


async def test_a_record_that_fits_is_never_deferred(world: World) -> None:
    async with open_store(world, QueueCaps(per_agent=1)) as recall:
        await recall.store(long(0))
        assert outlooks([await recall.store("The pot.")]) == [NONE]
        assert await recall.missing("missing_vectors") == 0


async def test_without_the_embedding_server_the_queue_is_bounded_too_and_every_record_heals(world: World) -> None:
    caps = QueueCaps(per_agent=2)
    async with open_store(world, caps) as recall:
        await recall.store("The first.")  # the model becomes known
        world.server.always = says({"error": "away"}, 503)
        results = [await recall.store(long(n)) for n in range(5)]
        assert outlooks(results) == [NONE] * 5 and not any(one.embedded for one in results)
        assert await recall.waiting() == 2 and await recall.missing("missing_vectors") == 5
        world.server.always = honest
        await drain(world, caps)
    records = await world.run("SELECT id, content FROM records WHERE content LIKE 'Number%%'")
    assert all([whole(await world.nodes(record), content) for record, content in records])


async def test_a_revision_past_the_cap_succeeds_deferred_and_ends_with_the_nodes_of_the_new_text(world: World) -> None:
    caps = QueueCaps(per_agent=1)
    async with open_store(world, caps) as recall:
        held = await recall.store(long(0))
        await drain(world, caps)
        await recall.store(long(1))
        revised = await recall.revise(held.ref, long(2))
        assert (revised.revision, revised.nodes) == (2, DEFERRED)
        assert await recall.waiting() == 1 and await world.nodes(held.ref.id) == []
        assert await recall.missing("missing_nodes") == 2
        await drain(world, caps)
        assert await every_record_is_whole(world)
        assert (await recall.revise(held.ref, long(3))).nodes is QUEUED


async def test_the_same_text_again_says_what_becomes_of_the_nodes_now(world: World) -> None:
    async with open_store(world, QueueCaps(per_agent=1)) as recall:
        queued, deferred = await recall.store(long(0)), await recall.store(long(1))
        again = [await recall.store(long(n)) for n in range(2)]
        assert [(one.ref, one.nodes) for one in again] == [(queued.ref, QUEUED), (deferred.ref, DEFERRED)]
        assert (await recall.revise(deferred.ref, long(1))).nodes is DEFERRED
        await world.run("UPDATE node_builds SET state = 'dead'")
        assert (await recall.store(long(0))).nodes is NONE


async def test_a_store_waits_for_no_other_store_of_its_agent(world: World) -> None:
    async with open_store(world, QueueCaps(per_agent=2)) as recall:
        await recall.store(long(0))
        other = await psycopg.AsyncConnection.connect(world.dsns.admin, options="-c search_path=rensou,public")
        async with other:
            # Another process is about to commit the second build of the agent.
            await other.execute("INSERT INTO records (agent_id, kind, content) VALUES ('ann', 'mem', 'slow')")
            await other.execute(
                "INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version)"
                " SELECT agent_id, id, content_sha256, 1 FROM records WHERE content = 'slow'"
            )
            stored = await asyncio.wait_for(recall.store(long(1)), 5)
        assert stored.nodes is QUEUED
        assert outlooks([await recall.store(long(2))]) == [DEFERRED]


async def test_stores_at_once_pass_the_cap_by_no_more_than_are_under_way(world: World) -> None:
    cap = 5
    async with open_store(world, QueueCaps(per_agent=cap)) as recall:
        results = outlooks(list(await asyncio.gather(*(recall.store(long(n)) for n in range(60)))))
        assert cap <= results.count(QUEUED) < cap + CONNECTIONS
        assert results.count(QUEUED) == await recall.waiting()


async def test_the_sweep_fills_the_queue_to_half_of_its_caps(world: World) -> None:
    caps = QueueCaps(per_agent=6, in_all=8)
    async with open_store(world, QueueCaps(per_agent=1)) as recall:
        for agent in ("ann", "bob", "cid"):
            await recall.batch([long(n) for n in range(10)], agent)
        await world.run("DELETE FROM node_builds")
        await world.sweep(caps=caps).sweep()
        assert [await recall.waiting(agent) for agent in ("ann", "bob", "cid")] == [3, 1, 0]


async def test_a_full_queue_holds_the_sweep_at_its_place_and_no_record_is_passed_over(world: World) -> None:
    caps = QueueCaps(in_all=4)
    async with open_store(world, QueueCaps(per_agent=1)) as recall:
        for agent in ("ann", "bob", "cid"):
            await recall.batch([long(n) for n in range(3)], agent)
    await world.run("DELETE FROM node_builds")
    sweep = world.sweep(caps=caps)
    asked: list[int] = []
    for _ in range(5):
        await sweep.sweep()
        pending = await world.run("SELECT record_id FROM node_builds WHERE state = 'pending' ORDER BY record_id")
        asked += [record for (record,) in pending]
        await world.run("UPDATE node_builds SET state = 'done' WHERE state = 'pending'")
    # None of them was built: one round asks for each of the nine once, in the order of agents and ids.
    assert asked[:9] == [record for (record,) in await world.run("SELECT id FROM records ORDER BY agent_id, id")]


async def test_the_caps_hold_for_two_reconcilers_that_sweep_at_once(world: World) -> None:
    async with open_store(world, QueueCaps(per_agent=1)) as recall:
        await recall.batch([long(n) for n in range(40)])
        await world.run("DELETE FROM node_builds")
        sweeps = [world.sweep(caps=QueueCaps(per_agent=20)) for _ in range(4)]
        await asyncio.gather(*(sweep.sweep() for sweep in sweeps))
        assert await recall.waiting() == 10


async def test_the_counts_are_read_from_their_index(world: World) -> None:
    await world.run(
        "INSERT INTO records (agent_id, kind, content) SELECT 'ann', 'mem', 'r' || n FROM generate_series(1, 3000) n"
    )
    await world.run(
        "INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version, state)"
        " SELECT agent_id, id, content_sha256, 1, CASE WHEN mod(id, 50) = 0 THEN 'pending' ELSE 'done' END FROM records"
    )
    await world.run("VACUUM ANALYZE node_builds")
    for where in ("agent_id = 'ann' AND ", ""):
        plan = await world.run(
            f"EXPLAIN SELECT FROM node_builds WHERE {where}state = 'pending' AND NOT rebuild LIMIT 10000"
        )
        assert any("node_builds_pending" in line for (line,) in plan), plan


async def test_another_recall_process_sees_within_a_second_that_the_queue_is_full(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backpressure, "FRESH_S", 0.2)
    caps = QueueCaps(in_all=2)
    async with open_store(world, caps) as first, open_store(world, caps) as second:
        assert outlooks([await second.store(long(9), "zoe")]) == [QUEUED]
        assert outlooks([await first.store(long(n), f"agent {n}") for n in range(2)]) == [QUEUED, DEFERRED]
        await asyncio.sleep(0.25)
        assert await _deferred(second)


async def _deferred(recall: StoreWorld) -> bool:
    return (await recall.store(long(10), "yan")).nodes is DEFERRED
