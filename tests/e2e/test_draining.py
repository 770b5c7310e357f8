"""SIGTERM: the service leaves the rotation, answers what it has, and ends well."""

import asyncio
import signal
from collections import Counter
from pathlib import Path

import grpc.aio
from aiohttp import web

from rensou.v1 import recall_service_pb2 as rpc
from tests.e2e.harness import NOT_SERVING, eventually, health_of, memory, store
from tests.e2e.own_world import OwnWorld, own_world
from tests.unit.lying_embedding_server import Request, honest

CALLS = 200


async def _slow(request: Request) -> web.StreamResponse:
    """Long enough that every call is in progress when the signal comes."""
    if request.route == "embed":
        await asyncio.sleep(1.0)
    return await honest(request)


async def _store(world: OwnWorld, agent: str, number: int) -> str:
    """OK, or the code of the failure."""
    try:
        await world.client.recall.Store(memory(agent, f"lantern {number}"), timeout=60)
    except grpc.aio.AioRpcError as error:
        return error.code().name
    return "OK"


async def _stored(world: OwnWorld, agent: str) -> int:
    ((count,),) = await world.rows("SELECT count(*) FROM records WHERE agent_id = %s", agent)
    return count


async def test_sigterm_loses_no_call_in_flight(postgres: str, scratch_folder: Path, agent: str) -> None:
    """Deadlines"""
    async with own_world(postgres, scratch_folder, drain_s="5", max_concurrent_calls="250") as world:
        await store(world.client, "other", "wake up")
        world.server.always = _slow
        calls = [asyncio.create_task(_store(world, agent, number)) for number in range(CALLS)]

        async def are_under_way() -> bool:
            return any(b"lantern" in str(one.body).encode() for one in world.server.requests)

        await eventually(are_under_way, "no call came", 20)
        world.recall.service.process.send_signal(signal.SIGTERM)
        ends = Counter(await asyncio.gather(*calls))
        assert set(ends) <= {"OK", "UNAVAILABLE"} and ends["OK"] > 0
        assert await _stored(world, agent) == ends["OK"]
        assert await world.recall.service.stop() == 0


async def test_a_draining_service_is_not_ready_and_still_answers(
    postgres: str, scratch_folder: Path, agent: str
) -> None:
    """Deadlines"""
    async with own_world(postgres, scratch_folder, drain_s="3") as world:
        await store(world.client, agent, "before")
        world.recall.service.process.send_signal(signal.SIGTERM)

        async def is_draining() -> bool:
            return await health_of(world.recall.address, "readiness") == NOT_SERVING

        await eventually(is_draining, "readiness did not fall", 3)
        assert (await store(world.client, agent, "after")).outcome == rpc.STORE_OUTCOME_STORED
        assert await world.recall.service.stop() == 0
