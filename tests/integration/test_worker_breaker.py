"""The worker and an embedding server that fails: claiming stops, one build probes, and no record pays for it."""

import asyncio

from aiohttp import web

from tests.integration.nodeworker_world import SHORT, World, eventually
from tests.unit.lying_embedding_server import Request, honest, says

_AWAY = says({"error": "away"}, 503)


class Away:
    """A server whose /embed fails slowly; it remembers how many requests it had at once."""

    def __init__(self) -> None:
        self.asked, self.now, self.most = 0, 0, 0

    async def __call__(self, request: Request) -> web.StreamResponse:
        if request.route != "embed":
            return await honest(request)
        self.asked, self.now = self.asked + 1, self.now + 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.05)
        self.now -= 1
        return await _AWAY(request)


async def _records(world: World, count: int) -> list[int]:
    return [await world.record(f"Record {number}") for number in range(count)]


async def test_an_open_circuit_claims_nothing_and_one_build_at_a_time_probes(world: World) -> None:
    away = Away()
    world.server.always = away
    records = await _records(world, 20)
    async with world.worker(max_jobs=4):

        async def is_open() -> bool:
            return away.asked >= 4 and away.now == 0

        await eventually(is_open, "the server was not asked")
        await asyncio.sleep(0.5)  # what was under way has been counted
        away.most, before = 0, away.asked
        await asyncio.sleep(1.5)
        # A probe takes 50 ms and is followed by 100 ms of rest; four slots without a circuit would ask 80 times.
        assert away.most == 1 and 2 <= away.asked - before <= 15
        ((running,),) = await world.run("SELECT count(*) FROM node_builds WHERE state = 'running'")
        assert running <= 1
        world.server.always = honest
        for record in records:
            await world.becomes(record, "done")
    assert await world.run("SELECT max(crashes) FROM node_builds") == [(0,)]


async def test_a_wait_that_the_server_names_stops_every_slot_at_once_and_is_kept(world: World) -> None:
    busy = says({"error": "busy"}, 429, {"Retry-After": "2"})

    async def answer(request: Request) -> web.StreamResponse:
        return await (busy if request.route == "embed" else honest)(request)

    world.server.always = answer
    records = await _records(world, 12)
    async with world.worker(max_jobs=2):
        await world.failed(records[0])
        await asyncio.sleep(0.3)
        asked = len(world.server.requests)
        await asyncio.sleep(1.0)
        assert len(world.server.requests) == asked
        # What was not tried keeps its patience, and what was waits at least as long as was asked.
        assert await world.run("SELECT count(*) FROM node_builds WHERE errors = 0") == [(10,)]
        world.server.always = honest
        for record in records:
            await world.becomes(record, "done")


async def test_a_build_of_a_former_text_closes_no_circuit(world: World) -> None:
    """It ends without the server's word, and would let every slot loose upon a server that is away."""
    away = Away()
    world.server.always = away
    await _records(world, 6)
    stale = [await world.record(f"Stale {number}") for number in range(30)]
    later = "UPDATE node_builds SET content_sha256 = 'x', next_at = now() + '1 h'::interval WHERE record_id = ANY (%s)"
    await world.run(later, stale)
    async with world.worker(max_jobs=3):

        async def is_open() -> bool:
            return away.asked >= 3 and away.now == 0

        await eventually(is_open, "the server was not asked")
        await asyncio.sleep(0.5)  # what was under way has been counted
        away.most = 0
        await world.run("UPDATE node_builds SET next_at = now() WHERE record_id = ANY (%s)", stale)

        async def are_superseded() -> bool:
            return await world.run("SELECT count(*) FROM node_builds WHERE state = 'superseded'") == [(len(stale),)]

        await eventually(are_superseded, "builds of former texts are left")
        await asyncio.sleep(0.5)
        assert away.most == 1


async def test_a_worker_lives_through_an_outage_and_goes_on(world: World) -> None:
    world.server.always = _AWAY
    record = await world.record(SHORT)
    async with world.process() as process:
        await world.failed(record)
        assert process.returncode is None
        world.server.always = honest
        await world.becomes(record, "done")
        assert process.returncode is None
