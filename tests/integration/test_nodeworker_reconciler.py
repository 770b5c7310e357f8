"""The reconciler's passes against PostgreSQL, as the worker's own role."""

import asyncio
import signal

import pytest

from rensou_nodeworker.metrics import BUILDS_OF_STATE, OLDEST_PENDING_SECONDS
from rensou_nodeworker.pipelines import sweep as sweep_module
from rensou_nodeworker.pipelines.sweep import Sweep
from rensou_shared.jobs.hints import BuildHint
from tests.integration.nodeworker_world import LONG, SHORT, World, eventually, whole


class Heard:
    """A sender that remembers."""

    def __init__(self, waiting: int | None = 0) -> None:
        self.hints: list[BuildHint] = []
        self.waiting = waiting

    async def send(self, hint: BuildHint) -> bool:
        self.hints.append(hint)
        return True

    async def depth(self) -> int | None:
        return self.waiting

    async def fault(self) -> str | None:
        return None


async def _built(world: World, *contents: str, agent_id: str = "ann") -> list[int]:
    records = [await world.record(content, agent_id) for content in contents]
    async with world.worker():
        await world.settled()
    return records


async def test_the_sweep_finds_records_without_a_build(world: World) -> None:
    await _built(world, SHORT)
    lost = await world.record(LONG, build=False)
    foreign = await world.record("Bob's.", "bob", build=False)
    await world.sweep().sweep()
    assert (await world.build(lost))[0] == "pending" and (await world.build(foreign))[0] == "pending"
    async with world.worker():
        await world.settled()
    assert whole(await world.nodes(lost), LONG) and len(await world.vectors(foreign)) == 1


@pytest.mark.parametrize("table", ["record_vectors", "record_terms", "record_nodes"])
async def test_the_sweep_restores_what_was_lost_after_a_build(world: World, table: str) -> None:
    (record,) = await _built(world, LONG)
    await world.run(f"DELETE FROM {table}")
    await world.sweep().sweep()
    async with world.worker():
        await world.settled()
    assert whole(await world.nodes(record), LONG)
    assert await world.run("SELECT count(*) FROM record_vectors v JOIN record_terms t USING (record_id)") == [(1,)]


async def test_the_sweep_asks_for_nothing_when_nothing_is_lacking(world: World) -> None:
    await _built(world, SHORT, LONG)
    await world.sweep().sweep()
    await world.sweep().sweep()
    assert await world.run("SELECT count(*) FROM node_builds WHERE state <> 'done'") == [(0,)]


async def test_a_sweep_goes_on_where_the_former_one_ended_and_misses_no_record(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "_SWEPT_ROWS", 2)
    whole_ones = await _built(world, "Pot 1", "Pot 2", "Pot 3")
    lost = [await world.record(f"Lost {n}", agent, build=False) for agent in ("bob", "Zoe", "ann") for n in range(3)]
    sweep = world.sweep(sweep_s=0.0)
    # "Zoe" comes before "ann": three of hers, then ann's, of which the first three lack nothing.
    assert [await _asked_by(sweep, world) for _ in range(6)] == [2, 3, 3, 5, 7, 9]
    await world.run("DELETE FROM record_vectors WHERE record_id = %s", whole_ones[0])
    # The round ends, and the next one finds what was lost behind its back.
    assert [await _asked_by(sweep, world) for _ in range(3)] == [9, 9, 10]
    assert await world.run("SELECT count(DISTINCT record_id) FROM node_builds WHERE state = 'pending'") == [
        (len(lost) + 1,)
    ]


async def test_after_an_activation_the_sweep_begins_anew_and_sees_all_before_it_slows_down(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "_SWEPT_ROWS", 2)
    await _built(world, "Pot 1", "Pot 2", "Pot 3")
    sweep = world.sweep(sweep_s=0.0)
    await sweep.sweep()
    await world.run("UPDATE embedding_models SET state = 'retired'")
    await world.run(
        "INSERT INTO embedding_models (fingerprint, name, dimensions, token_window, state)"
        " VALUES ('1:other', 'other', 4, 12, 'active')"
    )
    assert [await _asked_by(sweep, world) for _ in range(2)] == [2, 3]
    # The first round is one sweep where it may take long enough, the next one is not.
    monkeypatch.setattr(sweep_module, "_FIRST_ROUND", float("inf"))
    slow = world.sweep(sweep_s=1e-9)
    await slow.sweep()
    await world.run("DELETE FROM node_builds")
    assert await _asked_by(slow, world) == 2


async def _asked_by(sweep: Sweep, world: World) -> int:
    await sweep.sweep()
    return len(await world.run("SELECT 1 FROM node_builds WHERE state = 'pending'"))


async def test_the_sweep_leaves_the_dead_dead(world: World) -> None:
    (record,) = await _built(world, SHORT)
    await world.run("UPDATE node_builds SET state = 'dead'")
    await world.run("DELETE FROM record_vectors")
    await world.sweep().sweep()
    assert (await world.build(record))[0] == "dead"


async def _frequencies(world: World, agent_id: str) -> tuple[list[tuple[int, int]], list[tuple[int]]]:
    counted = await world.run("SELECT slot, records FROM term_frequencies WHERE agent_id = %s ORDER BY slot", agent_id)
    total = await world.run("SELECT records FROM scope_counts WHERE agent_id = %s ORDER BY project_id", agent_id)
    return counted, total


async def _recount(world: World, agent_id: str) -> list[tuple[int, int]]:
    return await world.run(
        "SELECT s.slot, count(*)::integer FROM record_terms t"
        " CROSS JOIN LATERAL unnest(sparse_slots(t.words) || sparse_slots(t.trigrams)) s (slot)"
        " WHERE t.agent_id = %s GROUP BY s.slot ORDER BY s.slot",
        agent_id,
    )


async def test_folding_equals_counting_and_nothing_is_left_at_zero(world: World) -> None:
    records = await _built(world, LONG, SHORT, "The pot is blue.")
    (foreign,) = await _built(world, LONG, agent_id="bob")
    await world.upkeep().fold()
    assert await _frequencies(world, "ann") == (await _recount(world, "ann"), [(3,)])
    await world.run("DELETE FROM records WHERE id = ANY (%s)", [records[0], foreign])
    await world.upkeep().fold()
    assert await _frequencies(world, "ann") == (await _recount(world, "ann"), [(2,)])
    assert (await _frequencies(world, "bob"))[0] == []
    assert await world.run("SELECT count(*) FROM term_deltas") == [(0,)]


async def test_two_reconcilers_fold_each_delta_once_while_records_arrive(world: World) -> None:
    insert = (
        "INSERT INTO term_deltas (agent_id, project_id, delta, slots)"
        " SELECT 'ann', '', 1, ARRAY[1, 2] FROM generate_series(1, 300)"
    )

    async def arrive() -> None:
        for _ in range(8):
            await world.run(insert)

    async def fold() -> None:
        for _ in range(20):
            await world.upkeep().fold()

    await asyncio.gather(arrive(), arrive(), fold(), fold())
    await world.upkeep().fold()
    assert await _frequencies(world, "ann") == ([(1, 4800), (2, 4800)], [(4800,)])


async def test_due_builds_are_hinted_at_once_in_a_while(world: World) -> None:
    await world.record(SHORT)
    later = await world.record(LONG)
    await world.run("UPDATE node_builds SET next_at = now() + interval '1 h' WHERE record_id = %s", later)
    heard = Heard()
    await world.upkeep(heard).hint()
    await world.upkeep(heard).hint()
    assert [(hint.agent_id, hint.attempt) for hint in heard.hints] == [("ann", 0)]


async def test_old_builds_that_ended_well_are_forgotten_and_the_dead_are_not(world: World) -> None:
    records = [await world.record(f"Record {number}") for number in range(4)]
    for record, state, age in zip(records, ("done", "superseded", "dead", "done"), (8, 8, 8, 6), strict=True):
        await world.run(
            "UPDATE node_builds SET state = %s, finished_at = now() - make_interval(days => %s) WHERE record_id = %s",
            state,
            age,
            record,
        )
    await world.upkeep().prune()
    left = await world.run("SELECT record_id FROM node_builds ORDER BY record_id")
    assert left == [(records[2],), (records[3],)]


async def test_the_overview_counts_what_is_unfinished(world: World) -> None:
    for number in range(3):
        await world.record(f"Record {number}")
    await world.run("UPDATE node_builds SET state = 'dead' WHERE id = (SELECT min(id) FROM node_builds)")
    await world.run("UPDATE node_builds SET created_at = now() - interval '90 s' WHERE state = 'pending'")
    await world.upkeep().measure()
    counted = [BUILDS_OF_STATE.labels(state)._value.get() for state in ("pending", "running", "dead")]
    assert counted == [2, 0, 1] and 89 < OLDEST_PENDING_SECONDS._value.get() < 120


async def test_the_reconcilers_process_sweeps_folds_and_ends_well(world: World) -> None:
    await _built(world, SHORT)
    lost = await world.record(LONG, build=False)
    settings = {"RENSOU_RECONCILE_INTERVAL_S": "0.1", "RENSOU_SWEEP_INTERVAL_S": "0.2"}
    async with world.process("reconciler", **settings) as process:
        await world.becomes(lost, "pending")

        async def is_folded() -> bool:
            return not await world.run("SELECT 1 FROM term_deltas")

        await eventually(is_folded, "deltas are left")
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 20) == 0


async def test_a_service_refuses_a_schema_that_it_does_not_know(world: World) -> None:
    await world.run("INSERT INTO schema_migrations (version) VALUES ('9999')")
    for arguments in ((), ("reconciler",)):
        async with world.process(*arguments) as process:
            assert await asyncio.wait_for(process.wait(), 30) == 1
