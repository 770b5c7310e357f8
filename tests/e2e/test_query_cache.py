"""Equal questions are embedded once; what is kept answers while the server is away, and hides nothing."""

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest
from aiohttp import web

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import types_pb2 as pb
from tests.e2e.harness import eventually, recall, rpc, store
from tests.e2e.own_world import OwnWorld, own_world
from tests.unit.lying_embedding_server import Request, honest, says

_SAYS_NO = says({"error": "out of order"}, status=500)


@pytest.fixture
async def world(postgres: str, scratch_folder: Path) -> AsyncIterator[OwnWorld]:
    async with own_world(postgres, scratch_folder) as one:
        yield one


def _times_embedded(world: OwnWorld, text: str) -> int:
    return sum(text in one.texts for one in world.server.requests if one.route == "embed")


def _has_vector_arm(answer: rpc.RecallResponse) -> bool:
    return any(vote.arm == pb.ARM_VECTOR for hit in answer.hits for vote in hit.explanation.votes)


async def test_equal_questions_of_an_agent_are_embedded_once_and_tell_another_nothing(
    world: OwnWorld, agent: str
) -> None:
    await store(world.client, agent, "The lantern is lit.")
    answers = await asyncio.gather(*(recall(world.client, agent, "lantern?") for _ in range(8)))
    request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query="lantern?")
    await world.client.recall.Reconstruct(request, timeout=60)
    assert _times_embedded(world, "lantern?") == 1
    await recall(world.client, "another", "lantern?")
    assert _times_embedded(world, "lantern?") == 2
    assert all(answer == answers[0] and _has_vector_arm(answer) for answer in answers)


async def test_a_kept_question_is_answered_whole_while_the_server_is_away_and_its_health_stays_bad(
    world: OwnWorld, agent: str
) -> None:
    """B08"""
    await store(world.client, agent, "The lantern is lit.")
    whole = await recall(world.client, agent, "lantern?")
    world.server.always = _SAYS_NO
    for n in range(4):
        assert (await recall(world.client, agent, f"new {n}")).degradation.kind == (pb.DEGRADATION_KIND_NO_QUERY_VECTOR)
        assert await recall(world.client, agent, "lantern?") == whole
    health = await world.client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent), timeout=60)
    assert [one.healthy for one in health.dependencies if one.name == "embedding"] == [False]


async def _another_model(request: Request) -> web.StreamResponse:
    if request.route != "capabilities":
        return await honest(request)
    identity = {"provider": "test", "model": "other", "dimensions": 4, "window": 12}
    return web.json_response({"identity": identity, "incomplete": [], "fingerprint": "1:other"})


async def test_another_model_behind_the_address_is_said_for_kept_questions_too(world: OwnWorld, agent: str) -> None:
    """B35"""
    await store(world.client, agent, "The lantern is lit.")
    await recall(world.client, agent, "lantern?")
    world.server.always = _SAYS_NO
    assert (await recall(world.client, agent, "new")).HasField("degradation")
    world.server.always = _another_model
    new = count()

    async def is_seen() -> bool:
        answer = await recall(world.client, agent, f"new {next(new)}")
        return answer.degradation.kind == pb.DEGRADATION_KIND_MODEL_MISMATCH

    await eventually(is_seen, "the other model is not seen", 30)
    kept = await recall(world.client, agent, "lantern?")
    assert kept.degradation.kind == pb.DEGRADATION_KIND_MODEL_MISMATCH and not _has_vector_arm(kept)
    world.server.always = honest
    assert _has_vector_arm(await recall(world.client, agent, "lantern?"))
    assert _times_embedded(world, "lantern?") == 2
