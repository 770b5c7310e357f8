"""Two reconcilers beside one another, and one that is killed: everything is done once, and nothing is left."""

import asyncio
import signal
from uuid import uuid4

import pytest

from rensou_nodeworker.metrics import SWEEP_ROUNDS
from rensou_nodeworker.pipelines.upkeep import ENOUGH_HINTS, Upkeep
from rensou_shared.jobs.hints import BuildHint
from tests.integration.nodeworker_world import LONG, SHORT, World, eventually, whole


class Heard:
    """A sender that remembers, in front of a queue that is as long as it is told."""

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


async def test_two_that_sweep_at_once_ask_for_each_build_once(world: World) -> None:
    first = await world.record(SHORT)
    async with world.worker():
        await world.becomes(first, "done")
    for number in range(30):
        await world.record(f"Record {number}", f"agent {number % 3}", build=False)
    sweeps = [world.sweep() for _ in range(2)]
    for _ in range(3):
        await asyncio.gather(*(one.sweep() for one in sweeps))
    asked = "SELECT count(*), count(DISTINCT record_id) FROM node_builds WHERE state = 'pending'"
    assert await world.run(asked) == [(30, 30)]


async def test_two_that_take_leases_back_count_each_crash_once(world: World) -> None:
    for number in range(30):
        await world.record(f"Record {number}")
    await world.run(
        "UPDATE node_builds SET state = 'running', lease_token = %s, lease_until = now() - interval '1 s'", uuid4()
    )
    await asyncio.gather(*(world.upkeep().expire() for _ in range(4)))
    assert await world.run("SELECT DISTINCT state, crashes FROM node_builds") == [("pending", 1)]


async def test_two_that_hint_at_once_hint_at_each_build_once(world: World) -> None:
    for number in range(30):
        await world.record(f"Record {number}")
    heard = [Heard(), Heard()]
    await asyncio.gather(*(Upkeep(world.database, one).hint() for one in heard for _ in range(2)))
    hinted = [hint.build_id for one in heard for hint in one.hints]
    assert len(hinted) == len(set(hinted)) == 30


@pytest.mark.parametrize("waiting", [ENOUGH_HINTS, None], ids=["enough hints wait", "Redis is away"])
async def test_no_build_is_marked_as_hinted_while_no_hint_is_sent(world: World, waiting: int | None) -> None:
    await world.record(SHORT)
    heard = Heard(waiting)
    await world.upkeep(heard).hint()
    assert heard.hints == [] and await world.run("SELECT hinted_at FROM node_builds") == [(None,)]
    heard.waiting = ENOUGH_HINTS - 1
    await world.upkeep(heard).hint()
    assert len(heard.hints) == 1


async def test_a_round_of_the_sweep_is_counted(world: World) -> None:
    record = await world.record(SHORT)
    async with world.worker():
        await world.becomes(record, "done")
    before = SWEEP_ROUNDS._value.get()
    await world.sweep().sweep()
    assert SWEEP_ROUNDS._value.get() == before + 1


@pytest.mark.parametrize("older", ["divider_version = 0", "token_window = 11"])
async def test_a_record_given_up_under_an_older_divider_or_window_is_asked_for_again(world: World, older: str) -> None:
    record = await world.record(LONG)
    async with world.worker():
        await world.becomes(record, "done")
    await world.run("DELETE FROM record_nodes")
    await world.run(f"UPDATE node_builds SET state = 'dead', {older}")
    await world.sweep().sweep()
    assert (await world.build(record))[0] == "pending"


async def test_a_reconciler_that_is_killed_leaves_its_work_to_the_other(world: World) -> None:
    first = await world.record(SHORT)
    async with world.worker():
        await world.becomes(first, "done")
    lost = [await world.record(f"{number}: {LONG}", build=False) for number in range(4)]
    settings = {"RENSOU_RECONCILE_INTERVAL_S": "0.1", "RENSOU_SWEEP_INTERVAL_S": "0.2"}
    settings |= {"RENSOU_MAX_PENDING_BUILDS": "2"}
    async with world.process("reconciler", **settings) as one, world.process("reconciler", **settings):

        async def begun() -> bool:
            return bool(await world.run("SELECT 1 FROM node_builds WHERE state = 'pending'"))

        await eventually(begun, "nothing was asked for")
        assert await world.run("SELECT count(*) FROM node_builds WHERE state = 'pending'") == [(1,)]
        one.send_signal(signal.SIGKILL)
        await one.wait()
        async with world.worker():
            for record in lost:
                await world.becomes(record, "done")
    assert all([whole(await world.nodes(record), f"{number}: {LONG}") for number, record in enumerate(lost)])
