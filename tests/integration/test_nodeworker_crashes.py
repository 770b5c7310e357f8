"""Workers that die, and builds that kill them."""

import asyncio
import signal
from uuid import uuid4

from aiohttp import web

from tests.integration.nodeworker_world import LONG, SHORT, World, whole
from tests.unit.lying_embedding_server import Request, honest


async def _lease_ends(world: World, record: int) -> None:
    """As if a worker had taken the build and died."""
    await world.run(
        "UPDATE node_builds SET state = 'running', lease_token = %s, lease_until = now() - interval '1 s'"
        " WHERE record_id = %s",
        uuid4(),
        record,
    )


async def test_kill_9_in_the_middle_of_a_build_ends_with_exactly_its_nodes_once(world: World) -> None:
    asked = asyncio.Event()

    async def hangs_at_the_nodes(request: Request) -> web.StreamResponse:
        if request.route == "embed" and len(request.texts) > 1:
            asked.set()
            await asyncio.sleep(60)
        return await honest(request)

    world.server.always = hangs_at_the_nodes
    record = await world.record(LONG)
    async with world.process() as first:
        await asyncio.wait_for(asked.wait(), 60)
        first.send_signal(signal.SIGKILL)
        await first.wait()
    assert await world.nodes(record) == [] and (await world.build(record))[0] == "running"
    world.server.always = honest
    async with world.process():
        await world.becomes(record, "done")
    spans = await world.nodes(record)
    assert whole(spans, LONG) and len(await world.vectors(record)) == 1
    assert (await world.build(record))[:3] == ("done", 0, 1)


async def test_sigterm_gives_the_build_back_and_ends_the_process_well(world: World) -> None:
    asked = asyncio.Event()

    async def hangs(request: Request) -> web.StreamResponse:
        if request.route == "embed":
            asked.set()
            await asyncio.sleep(60)
        return await honest(request)

    world.server.always = hangs
    record = await world.record(LONG)
    async with world.process() as process:
        await asyncio.wait_for(asked.wait(), 60)
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 20) == 0
    assert await world.build(record) == ("pending", 0, 0, None)


async def test_a_commit_before_the_kill_is_not_done_twice(world: World) -> None:
    record = await world.record(LONG)
    async with world.worker():
        await world.becomes(record, "done")
    before = await world.run("SELECT xmin::text FROM record_nodes UNION ALL SELECT xmin::text FROM record_vectors")
    # The row as a worker leaves it that died after its last write but one.
    await world.run("UPDATE node_builds SET finished_at = NULL")
    await _lease_ends(world, record)
    async with world.worker():
        await world.becomes(record, "done")
    after = await world.run("SELECT xmin::text FROM record_nodes UNION ALL SELECT xmin::text FROM record_vectors")
    assert after == before


async def test_the_third_crash_in_quarantine_is_the_builds_death_and_others_proceed(world: World) -> None:
    poison, healthy = await world.record(LONG), await world.record(SHORT)
    await world.run("UPDATE node_builds SET crashes = 3 WHERE record_id = %s", poison)
    await _lease_ends(world, poison)
    async with world.worker():
        assert (await world.becomes(poison, "dead"))[2] == 4
        await world.becomes(healthy, "done")


async def test_a_build_that_was_running_in_a_crash_runs_alone(world: World) -> None:
    running: set[str] = set()
    together: list[set[str]] = []

    async def watched(request: Request) -> web.StreamResponse:
        if request.route == "embed":
            running.update(request.texts)
            together.append(set(running))
            await asyncio.sleep(0.1)
            running.difference_update(request.texts)
        return await honest(request)

    world.server.always = watched
    suspects = [await world.record(f"Suspect {number}") for number in range(2)]
    for suspect in suspects:
        await _lease_ends(world, suspect)
    others = [await world.record(f"Other {number}") for number in range(6)]
    async with world.worker(max_jobs=3):
        for record in (*suspects, *others):
            await world.becomes(record, "done")
    assert any(len(texts) > 1 for texts in together)
    assert all(texts == {name} for name in ("Suspect 0", "Suspect 1") for texts in together if name in texts)


_BREAK = """
CREATE FUNCTION break_one() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.token_count > 12 THEN RAISE EXCEPTION 'secret text'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER break_one BEFORE INSERT ON record_vectors FOR EACH ROW EXECUTE FUNCTION break_one();
"""


async def test_a_failure_that_nobody_foresaw_counts_as_a_crash(world: World) -> None:
    await world.run(_BREAK)
    poison, healthy = await world.record(LONG), await world.record(SHORT)
    async with world.worker():
        assert await world.becomes(poison, "dead") == ("dead", 0, 4, "unexpected RaiseException")
        await world.becomes(healthy, "done")


async def test_a_database_that_was_away_costs_a_build_no_crash(world: World) -> None:
    asked, opened = asyncio.Event(), asyncio.Event()

    async def gated(request: Request) -> web.StreamResponse:
        if request.route == "embed":
            asked.set()
            await opened.wait()
        return await honest(request)

    world.server.always = gated
    record = await world.record(SHORT)
    async with world.worker(lease_s=30.0):
        await asked.wait()
        await world.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND usename = 'rensou_worker'"
        )
        opened.set()
        assert (await world.becomes(record, "done"))[2] == 0
