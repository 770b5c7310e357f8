"""Every call ends in time, and a call that does not make it leaves nothing half-written."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc.aio
import psycopg
import pytest

from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import types_pb2 as pb
from tests.e2e.harness import (
    SERVING,
    eventually,
    failure_of,
    get_contents,
    health_of,
    memory,
    read_failure,
    recall,
    rpc,
    store,
)
from tests.e2e.own_world import OwnWorld, own_world
from tests.unit.lying_embedding_server import hangs, honest

DEFAULT_S, MAXIMUM_S = 1.0, 2.0
MAX_CALLS = 80
_WHOLE = """
SELECT count(*), count(t.record_id), count(c.record_id), count(m.record_id) FROM records r
LEFT JOIN record_terms t ON t.agent_id = r.agent_id AND t.record_id = r.id
LEFT JOIN record_caller_ids c ON c.agent_id = r.agent_id AND c.record_id = r.id
LEFT JOIN entity_mentions m ON m.agent_id = r.agent_id AND m.record_id = r.id
WHERE r.agent_id = %s
"""
_BUSY = """
SELECT FROM pg_stat_activity
WHERE usename = 'rensou_recall' AND datname = current_database() AND state = 'active'
"""


@pytest.fixture(scope="module")
async def shared_world(postgres: str, scratch_folder: Path) -> AsyncIterator[OwnWorld]:
    limits = {"default_deadline_s": str(DEFAULT_S), "max_deadline_s": str(MAXIMUM_S)}
    limits["max_concurrent_calls"] = str(MAX_CALLS)
    async with own_world(postgres, scratch_folder, **limits) as one:
        yield one


@pytest.fixture
async def world(shared_world: OwnWorld) -> AsyncIterator[OwnWorld]:
    await shared_world.becomes_honest()
    yield shared_world
    await shared_world.becomes_honest()


@asynccontextmanager
async def _locked(world: OwnWorld, agent: str) -> AsyncIterator[None]:
    """Another transaction holds the agent's records inside."""
    connection = await psycopg.AsyncConnection.connect(world.dsns.admin)
    async with connection:
        await connection.execute("SELECT FROM rensou.records WHERE agent_id = %s FOR UPDATE", (agent,))
        yield


def _revision(agent: str, ref: str) -> life.ReviseRecordRequest:
    return life.ReviseRecordRequest(agent_id=agent, ref=ref, content="The lantern went out.")


@pytest.mark.parametrize(("asked_s", "given_s"), [(None, DEFAULT_S), (60.0, MAXIMUM_S)])
async def test_a_call_ends_at_the_servers_default_or_maximum_deadline_and_says_so(
    world: OwnWorld, agent: str, asked_s: float | None, given_s: float
) -> None:
    """Deadlines"""
    ref = (await store(world.client, agent, "The lantern is lit.")).ref
    async with _locked(world, agent):
        started = time.monotonic()
        failure = await failure_of(world.client.lifecycle.ReviseRecord(_revision(agent, ref), timeout=asked_s))
        took_s = time.monotonic() - started
    assert (failure.code.name, failure.reason) == ("DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED")
    assert given_s * 0.8 <= took_s < given_s + 1


async def test_what_missed_its_deadline_was_not_written_and_holds_no_connection(world: OwnWorld, agent: str) -> None:
    """Deadlines"""
    ref = (await store(world.client, agent, "The lantern is lit.")).ref
    async with _locked(world, agent):
        calls = [world.client.lifecycle.ReviseRecord(_revision(agent, ref), timeout=0.7) for _ in range(12)]
        failures = await asyncio.gather(*(failure_of(call) for call in calls))
        assert {failure.code.name for failure in failures} <= {"DEADLINE_EXCEEDED", "UNAVAILABLE"}

        async def is_idle() -> bool:
            return await world.rows(_BUSY) == []

        await eventually(is_idle, "statements of calls that are over still run", 5)
    (item,) = (await get_contents(world.client, agent, ref)).items
    assert (item.quote.content, item.record.revision) == ("The lantern is lit.", 1)


async def test_stores_with_tiny_deadlines_are_whole_or_not_there(world: OwnWorld, agent: str) -> None:
    """Deadlines"""
    names = pb.Associations(entities=[pb.EntityDeclaration(name="Ann")])
    requests = [memory(agent, f"lantern {n}", caller_id=f"k{n}", associations=names) for n in range(60)]
    calls = [world.client.recall.Store(one, timeout=0.002 * n + 0.001) for n, one in enumerate(requests)]
    ends = await asyncio.gather(*calls, return_exceptions=True)
    codes = [one.code().name for one in ends if isinstance(one, grpc.aio.AioRpcError)]
    assert codes and set(codes) <= {"DEADLINE_EXCEEDED", "UNAVAILABLE"}
    # The server may still be at the last of them.
    await asyncio.sleep(0.5)
    ((records, *parts),) = await world.rows(_WHOLE, agent)
    assert parts == [records] * 3 and records >= len(requests) - len(codes)


async def test_an_embedding_server_that_never_answers_costs_a_share_of_the_call_only(
    world: OwnWorld, agent: str
) -> None:
    """B08"""
    world.server.always = hangs
    request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent), query=f"lantern {agent}")
    stored = await world.client.recall.Store(memory(agent, "The lantern is lit."), timeout=2)
    assert stored.ref and not stored.embedded
    answered = await world.client.recall.Recall(request, timeout=2)
    assert [hit.record.ref for hit in answered.hits] == [stored.ref]
    assert answered.degradation.kind == pb.DEGRADATION_KIND_NO_QUERY_VECTOR
    world.server.always = honest
    assert (await recall(world.client, agent, "lantern")).hits


async def test_calls_past_the_bound_are_refused_at_once_and_health_is_still_answered(
    world: OwnWorld, agent: str
) -> None:
    """Deadlines"""
    world.server.always = hangs
    request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent), query=f"lantern {agent}")
    calls = [asyncio.ensure_future(world.client.recall.Recall(request, timeout=2)) for _ in range(MAX_CALLS + 20)]
    done, _ = await asyncio.wait(calls, timeout=0.5)
    assert await health_of(world.recall.address, "liveness") == SERVING
    ends = await asyncio.gather(*calls, return_exceptions=True)
    refused = [read_failure(one) for one in ends if isinstance(one, grpc.aio.AioRpcError)]
    assert [(one.code.name, one.reason) for one in refused] == [("RESOURCE_EXHAUSTED", "OVERLOADED")] * 20
    assert len(done) >= 20
