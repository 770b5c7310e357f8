"""Whatever happens to a record while it is built, it ends with exactly the nodes of its present text, or is gone."""

import asyncio
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from aiohttp import web

import rensou_nodeworker
from rensou_nodeworker.stages.verdict import MAX_CRASHES
from rensou_nodeworker.store.builds import claim_build, end_build, expire_leases, hold_fence
from rensou_nodeworker.types.builds import BuildEnd, LeasedBuild, NextState
from rensou_shared.domain import DIVIDER_VERSION
from tests.integration.nodeworker_world import LONG, World, whole
from tests.unit.lying_embedding_server import Request, honest

OTHER = "Another text, which is long as well, and ends elsewhere."
_SET = "UPDATE records SET content = %s WHERE id = %s"


class GateAtNodes:
    """Answers the nodes of a build only once it is open; their texts are what it was asked for."""

    def __init__(self) -> None:
        self.asked, self.opened = asyncio.Event(), asyncio.Event()

    async def __call__(self, request: Request) -> web.StreamResponse:
        if request.route == "embed" and len(request.texts) > 1:
            self.asked.set()
            await self.opened.wait()
        return await honest(request)


@asynccontextmanager
async def admin(world: World) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """A transaction of the superuser's, committed at the end."""
    async with await psycopg.AsyncConnection.connect(world.dsns.admin, options="-c search_path=rensou,public") as one:
        yield one


async def built(world: World, text: str = LONG) -> int:
    record = await world.record(text)
    async with world.worker():
        await world.becomes(record, "done")
    return record


async def ends_with(world: World, record: int, text: str) -> None:
    """Lets the queue drain, and looks at what stands."""
    async with world.worker():
        await world.settled()
    assert whole(await world.nodes(record), text)
    assert await world.vectors(record) == [(len(text) + 2, "chat")]
    assert await world.run("SELECT 1 FROM node_builds WHERE state NOT IN ('done', 'superseded')") == []


async def test_a_text_that_returns_after_its_build_was_done_is_built_again(world: World) -> None:
    record = await built(world)
    await world.run(_SET, OTHER, record)
    await ends_with(world, record, OTHER)
    await world.run(_SET, LONG, record)
    waiting = "SELECT r.content FROM node_builds b JOIN records r USING (content_sha256) WHERE b.state = 'pending'"
    assert await world.nodes(record) == [] and await world.run(waiting) == [(LONG,)]
    await ends_with(world, record, LONG)


async def test_a_text_changed_and_restored_in_one_transaction_is_built_again(world: World) -> None:
    record = await built(world)
    async with admin(world) as connection:
        for text in (OTHER, LONG):
            await connection.execute(_SET, (text, record))
    assert await world.nodes(record) == []
    await ends_with(world, record, LONG)


async def test_a_change_that_is_rolled_back_loses_nothing(world: World) -> None:
    record = await built(world)
    async with admin(world) as connection:
        await connection.execute(_SET, (OTHER, record))
        await connection.rollback()
    assert whole(await world.nodes(record), LONG)
    assert await world.run("SELECT state FROM node_builds") == [("done",)]


@pytest.mark.parametrize("restored", [False, True])
async def test_a_change_that_commits_while_the_build_waits_for_the_record_is_seen(world: World, restored: bool) -> None:
    gate = GateAtNodes()
    world.server.always = gate
    record = await world.record(LONG)
    async with world.worker(max_jobs=1):
        await gate.asked.wait()
        async with admin(world) as connection:
            await connection.execute(_SET, (OTHER, record))
            if restored:
                await connection.execute(_SET, (LONG, record))
            gate.opened.set()
            await asyncio.sleep(0.5)  # the worker is at the record's lock by now
        await world.settled()
    await ends_with(world, record, LONG if restored else OTHER)


async def test_a_deletion_that_commits_while_the_build_waits_for_the_record_leaves_nothing(world: World) -> None:
    gate = GateAtNodes()
    world.server.always = gate
    record = await world.record(LONG)
    async with world.worker(max_jobs=1):
        await gate.asked.wait()
        async with admin(world) as connection:
            await connection.execute("DELETE FROM records WHERE id = %s", (record,))
            gate.opened.set()
            await asyncio.sleep(0.5)
        await world.settled()
    assert await world.nodes(record) == [] and await world.vectors(record) == []
    assert await world.run("SELECT 1 FROM node_builds") == []


async def test_a_model_that_becomes_active_in_the_middle_of_a_build_gets_its_nodes_too(world: World) -> None:
    gate = GateAtNodes()
    world.server.always = gate
    record = await world.record(LONG)
    async with world.worker(max_jobs=1):
        await gate.asked.wait()
        await world.run("UPDATE embedding_models SET state = 'retired'")
        await world.run(
            "INSERT INTO embedding_models (fingerprint, name, dimensions, token_window, state)"
            " VALUES ('1:other', 'other', 4, 12, 'active')"
        )
        gate.opened.set()
        await world.becomes(record, "done")
    await world.sweep().sweep()
    asked = await world.run(
        "SELECT m.fingerprint FROM node_builds b JOIN embedding_models m ON m.id = b.model_id WHERE b.state = 'pending'"
    )
    assert asked == [("1:other",)]


async def _claimed(world: World, lease_s: float = 60.0) -> LeasedBuild:
    async with world.database.transaction(None, 10) as connection:
        claim = await claim_build(connection, lease_s, quarantined=False, rebuild=False)
    assert claim is not None
    return claim


async def _expired(world: World) -> list[NextState]:
    async with world.database.transaction(None, 10) as connection:
        return [state for _, state in await expire_leases(connection, MAX_CRASHES, 10)]


async def test_a_lease_that_ends_during_the_commit_is_not_taken_back(world: World) -> None:
    record = await world.record(LONG)
    claim = await _claimed(world, 0.2)
    async with world.database.transaction(claim.agent_id, 10) as connection:
        assert await hold_fence(connection, claim)
        await asyncio.sleep(0.4)
        assert await _expired(world) == []  # its lease is over, and its row is held
        assert await end_build(connection, claim, BuildEnd.DONE)
    assert await _expired(world) == [] and await world.build(record) == ("done", 0, 0, None)


async def test_a_commit_that_meets_its_lease_being_taken_back_is_refused(world: World) -> None:
    await world.record(LONG)
    claim = await _claimed(world, 0.1)
    await asyncio.sleep(0.2)

    async def commit() -> bool:
        async with world.database.transaction(claim.agent_id, 10) as connection:
            return await hold_fence(connection, claim)

    async with world.database.transaction(None, 10) as connection:
        assert len(await expire_leases(connection, MAX_CRASHES, 10)) == 1
        late = asyncio.create_task(commit())
        await asyncio.sleep(0.2)
        assert not late.done()
    assert not await late


async def test_two_claims_at_once_never_take_the_same_build(world: World) -> None:
    for number in range(8):
        await world.record(f"Record {number}")
    claims = await asyncio.gather(*(_claimed(world) for _ in range(8)))
    assert len({claim.build_id for claim in claims}) == len({claim.token for claim in claims}) == 8


async def test_one_build_that_took_a_worker_down_runs_at_a_time_whatever_workers_there_are(world: World) -> None:
    for number in range(3):
        await world.record(f"Suspect {number}")
    await world.run("UPDATE node_builds SET crashes = 1")

    async def claim() -> LeasedBuild | None:
        async with world.database.transaction(None, 10) as connection:
            return await claim_build(connection, 60.0, quarantined=True, rebuild=False)

    taken = [one for one in await asyncio.gather(*(claim() for _ in range(4))) if one is not None]
    assert len(taken) == 1 and await claim() is None
    async with world.database.transaction(taken[0].agent_id, 10) as connection:
        await end_build(connection, taken[0], BuildEnd.DONE)
    assert await claim() is not None


async def test_a_token_that_was_guessed_wrong_ends_nothing(world: World) -> None:
    record = await world.record(LONG)
    claim = await _claimed(world)
    stranger = LeasedBuild(claim.agent_id, claim.build_id, claim.record_id, b"", None, UUID(int=7), 0, 0, 0.0)
    async with world.database.transaction(claim.agent_id, 10) as connection:
        assert not await end_build(connection, stranger, BuildEnd.DONE)
    assert (await world.build(record))[0] == "running"


async def test_records_overwritten_and_forgotten_under_three_workers_end_with_their_present_nodes(world: World) -> None:
    draw = random.Random(5)
    texts = [f"{'Sentence. ' * size}End {size}." for size in (3, 4, 5)]
    records = [await world.record(f"{texts[0]} {number}") for number in range(12)]

    async def disturb() -> None:
        for _ in range(40):
            number = draw.randrange(len(records))
            await world.run(_SET, f"{draw.choice(texts)} {number}", records[number])
            await asyncio.sleep(0.01)
        await world.run("DELETE FROM records WHERE id = ANY (%s)", records[:2])

    async with world.worker(max_jobs=3), world.worker(max_jobs=3), world.worker(max_jobs=3):
        await disturb()
        await world.settled()
    standing = await world.run("SELECT id, content FROM records ORDER BY id")
    assert [record for record, _ in standing] == records[2:]
    assert all([whole(await world.nodes(record), content) for record, content in standing])
    assert await world.run("SELECT count(DISTINCT record_id) FROM record_nodes") == [(len(standing),)]
    assert await world.run("SELECT max(errors), max(crashes) FROM node_builds") == [(0, 0)]


def test_no_time_of_the_workers_own_clock_reaches_the_database() -> None:
    """Leases, waits and ages are the database's alone: a worker whose clock is wrong by a day changes nothing."""
    sources = [one.read_text() for one in Path(next(iter(rensou_nodeworker.__path__))).rglob("*.py")]
    assert len(sources) > 20
    assert not [text for text in sources if re.search(r"\btime\.time\b|\bdatetime\b|\btime_ns\b", text)]


async def test_the_trigger_writes_the_present_version_of_the_divider(world: World) -> None:
    record = await world.record("One.", build=False)
    await world.run(_SET, "Two.", record)
    assert await world.run("SELECT divider_version FROM node_builds") == [(DIVIDER_VERSION,)]
