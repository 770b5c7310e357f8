"""Parts of the stack that are really stopped: nothing fails that need not, nothing is lost, all of it heals."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc.aio
import pytest
import redis.asyncio

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import eventually, failure_of, get_contents, recall, store

# Two windows of the model.
LONG = "The council met about the harbour wall and the price of stone. " * 50
QUEUE = "rensou:builds"


@asynccontextmanager
async def stopped(stack: EmbeddedStack, name: str) -> AsyncIterator[None]:
    """The part is down inside, and up again and ready after."""
    await stack.stop_child(name)
    try:
        yield
    finally:
        await stack.start_child(name)


@pytest.fixture
async def queue(stack: EmbeddedStack) -> AsyncIterator["redis.asyncio.Redis"]:
    """A client of the stack's Redis."""
    client = redis.asyncio.Redis.from_url(stack.redis_url)
    yield client
    await client.aclose()


async def _has_nodes(client: RensouClient, agent: str, ref: str) -> None:
    """Returns when the record has its nodes."""

    async def reached() -> bool:
        (item,) = (await get_contents(client, agent, ref)).items
        return item.node_count > 1

    await eventually(reached, f"{ref} has no nodes")


async def _has_vector(client: RensouClient, agent: str, query: str, ref: str) -> None:
    """Returns when the vector arm finds the record."""

    async def reached() -> bool:
        hits = (await recall(client, agent, query)).hits
        return any(hit.record.ref == ref and _arms(hit) >= {pb.ARM_VECTOR} for hit in hits)

    await eventually(reached, f"{ref} has no vector")


def _arms(hit: rpc.Hit) -> set[int]:
    return {vote.arm for vote in hit.explanation.votes}


async def _dependencies(client: RensouClient, agent: str) -> dict[str, admin.Dependency]:
    answer = await client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent), timeout=30)
    return {one.name: one for one in answer.dependencies}


async def test_a_store_while_redis_is_down_succeeds_and_its_nodes_appear_after(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B27"""
    async with stopped(stack, "nodeworker"), stopped(stack, "valkey"):
        started = time.monotonic()
        stored = await store(client, agent, LONG)
        assert stored.outcome == rpc.STORE_OUTCOME_STORED and stored.nodes == pb.NODES_STATUS_QUEUED
        assert time.monotonic() - started < 15
        assert not (await _dependencies(client, agent))["redis"].healthy
    await _has_nodes(client, agent, stored.ref)
    assert (await _dependencies(client, agent))["redis"].healthy


async def test_work_comes_back_from_postgres_when_redis_forgot_everything(
    client: RensouClient, stack: EmbeddedStack, queue: "redis.asyncio.Redis", agent: str
) -> None:
    """B27"""
    async with stopped(stack, "nodeworker"):
        stored = await store(client, agent, LONG)
        await queue.flushall()
        assert (await get_contents(client, agent, stored.ref)).items[0].node_count == 0
    await _has_nodes(client, agent, stored.ref)


async def test_a_worker_hears_hints_again_after_redis_was_killed_under_it(
    client: RensouClient, stack: EmbeddedStack, queue: "redis.asyncio.Redis", agent: str
) -> None:
    """B27"""
    worker = stack.pid("nodeworker")
    await queue.flushall()
    await stack.kill("valkey", restart=False)
    try:
        stored = await store(client, agent, LONG)
    finally:
        await stack.start_child("valkey")

    async def listens() -> bool:
        return bool([key async for key in queue.scan_iter(f"{QUEUE}:health:*")])

    await eventually(listens, "the worker does not listen to Redis again")
    assert stack.pid("nodeworker") == worker
    await _has_nodes(client, agent, stored.ref)


async def test_a_malformed_hint_keeps_no_other_work_up(
    client: RensouClient, stack: EmbeddedStack, queue: "redis.asyncio.Redis", agent: str
) -> None:
    """B29"""
    worker = stack.pid("nodeworker")
    await queue.set("arq:job:poison", b"\xff\x00 no job")
    await queue.zadd(QUEUE, {"poison": 1, "without-a-job": 2})
    stored = await store(client, agent, LONG)
    await _has_nodes(client, agent, stored.ref)

    async def drained() -> bool:
        return await queue.zcard(QUEUE) == 0

    await eventually(drained, "the malformed hint stays in the queue")
    assert stack.pid("nodeworker") == worker


async def test_without_the_embedding_server_records_are_stored_and_recalled_by_their_words_and_heal(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B08"""
    query = "What do the council and the harbour cost?"
    async with stopped(stack, "embedding"):
        short = await store(client, agent, "The harbour wall is old.")
        long = await store(client, agent, LONG)
        assert [short.outcome, long.outcome] == [rpc.STORE_OUTCOME_STORED] * 2
        assert not short.embedded and not long.embedded
        first, second = [await recall(client, agent, query) for _ in range(2)]
        assert {hit.record.ref for hit in second.hits} == {short.ref, long.ref}
        assert not any(pb.ARM_VECTOR in _arms(hit) for hit in second.hits)
        for answer in (first, second):
            assert answer.degradation.kind == pb.DEGRADATION_KIND_NO_QUERY_VECTOR and answer.degradation.reason
        assert first.degradation.since_time == second.degradation.since_time
        assert 0 < time.time() - second.degradation.since_time.ToSeconds() < 120
        assert not (await _dependencies(client, agent))["embedding"].healthy
    for ref in (short.ref, long.ref):
        await _has_vector(client, agent, query, ref)
    await _has_nodes(client, agent, long.ref)
    assert not (await recall(client, agent, query)).HasField("degradation")
    assert (await _dependencies(client, agent))["embedding"].healthy


async def test_a_reconstruction_without_the_embedding_server_says_what_it_lacks(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B08"""
    stored = await store(client, agent, "The harbour wall is old.")
    async with stopped(stack, "embedding"):
        request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query=f"harbour {agent}")
        answer = await client.recall.Reconstruct(request, timeout=60)
    assert [item.head_ref for item in answer.items] == [stored.ref]
    assert answer.degradation.kind == pb.DEGRADATION_KIND_NO_QUERY_VECTOR


async def test_calls_fail_as_unavailable_while_the_database_is_down_and_work_again_after(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B27"""
    stored = await store(client, agent, "The harbour wall is old.")
    async with stopped(stack, "postgres"):
        request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent), query="harbour")
        failure = await failure_of(client.recall.Recall(request, timeout=4))
        assert (failure.code.name, failure.reason) == ("UNAVAILABLE", "DATABASE_UNAVAILABLE")

    async def answers() -> bool:
        try:
            return [hit.record.ref for hit in (await recall(client, agent, "harbour")).hits] == [stored.ref]
        except grpc.aio.AioRpcError:
            return False

    await eventually(answers, "recall does not find the database again")
