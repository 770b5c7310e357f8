"""A worker that dies in the middle of a build, and work that is asked for twice."""

import redis.asyncio

from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from rensou_shared.ids import AgentId, BuildId
from rensou_shared.jobs.arq_hints import ArqHintSender
from rensou_shared.jobs.hints import QUEUE_NAME, BuildHint
from tests.e2e.harness import builds_settle, eventually, get_contents, rows, store

# Eight windows of the model: long enough to be met in the middle.
LONG = "The council met about the harbour wall and the price of stone. " * 250
_BUILDS = "SELECT state, crashes FROM node_builds WHERE agent_id = %s"
_NODES = "SELECT start_char, end_char, xmin::text FROM record_nodes WHERE agent_id = %s ORDER BY node_index"


async def test_kill_9_in_the_middle_of_a_build_ends_with_exactly_its_nodes_once(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B28"""
    stored = await store(client, agent, LONG)

    async def is_running() -> bool:
        return await rows(stack.admin_dsn, _BUILDS, agent) == [("running", 0)]

    await eventually(is_running, "the build never ran")
    await stack.kill("nodeworker", restart=False)
    try:
        assert await is_running() and await rows(stack.admin_dsn, _NODES, agent) == []
    finally:
        await stack.start_child("nodeworker")
    await builds_settle(stack.admin_dsn, agent)
    assert await rows(stack.admin_dsn, _BUILDS, agent) == [("done", 1)]
    nodes = await rows(stack.admin_dsn, _NODES, agent)
    ends = [0, *(end for _, end, _ in nodes)]
    assert len(nodes) > 1 and [start for start, *_ in nodes] == ends[:-1] and ends[-1] == len(LONG)
    (item,) = (await get_contents(client, agent, stored.ref)).items
    assert item.node_count == len(nodes)


async def test_a_build_that_is_hinted_again_when_it_is_done_writes_nothing(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B28"""
    stored = await store(client, agent, LONG[:2_500])
    assert stored.nodes == pb.NODES_STATUS_QUEUED
    await builds_settle(stack.admin_dsn, agent)
    before = await rows(stack.admin_dsn, _NODES, agent)
    ((build,),) = await rows(stack.admin_dsn, "SELECT id FROM node_builds WHERE agent_id = %s", agent)
    sender, queue = ArqHintSender(stack.redis_url), redis.asyncio.Redis.from_url(stack.redis_url)
    for attempt in range(1, 4):
        assert await sender.send(BuildHint(AgentId(agent), BuildId(build), attempt))

    async def drained() -> bool:
        return await queue.zcard(QUEUE_NAME) == 0

    await eventually(drained, "the hints were not taken")
    await sender.aclose()
    await queue.aclose()
    assert before and await rows(stack.admin_dsn, _NODES, agent) == before
