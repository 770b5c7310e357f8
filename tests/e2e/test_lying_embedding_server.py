"""An embedding server that answers wrongly: nothing of it is stored as success, and all of it heals."""

import json
import math
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import (
    NOT_SERVING,
    SERVING,
    eventually,
    found,
    health_of,
    memory,
    own_recall,
    recall,
    rpc,
    store,
    store_many,
)
from tests.e2e.own_world import OwnWorld, Vectors, lies, own_world
from tests.unit.lying_embedding_server import Answer, Request, honest, lying_server, says, vector_of


@pytest.fixture(scope="module")
async def shared_world(postgres: str, scratch_folder: Path) -> AsyncIterator[OwnWorld]:
    async with own_world(postgres, scratch_folder, worker=True) as one:
        yield one


@pytest.fixture
async def world(shared_world: OwnWorld) -> AsyncIterator[OwnWorld]:
    """A world whose embedding server is honest before and after the test."""
    await shared_world.becomes_honest()
    yield shared_world
    await shared_world.becomes_honest()


def _first_holds(value: float | None) -> Answer:
    def spoil(_: list[str], vectors: Vectors) -> Vectors:
        return [[value, *vectors[0][1:]], *vectors[1:]]

    return lies(spoil)


LIES: dict[str, Answer] = {
    "no vector": lies(lambda _, vectors: vectors[:-1]),
    "one vector too many": lies(lambda _, vectors: [*vectors, vectors[0]]),
    "an empty vector": lies(lambda _, vectors: [[], *vectors[1:]]),
    "null": lies(lambda _, vectors: None),
    "wrong width": lies(lambda _, vectors: [vector * 2 for vector in vectors]),
    "NaN": _first_holds(math.nan),
    "infinity": _first_holds(math.inf),
    "a null element": _first_holds(None),
    "past float32": _first_holds(1e39),
    "zeros": lies(lambda _, vectors: [[0.0] * 4 for _ in vectors]),
    "no JSON": says("<html>out of order</html>"),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_lie_is_stored_as_no_vector_and_the_record_is_found_by_its_words(
    world: OwnWorld, agent: str, lie: str
) -> None:
    """B05 B06 B07"""
    asked = len(world.server.requests)
    world.server.always = LIES[lie]
    stored = await store(world.client, agent, f"The lantern of {lie}")
    assert any(f"The lantern of {lie}" in one.body.get("texts", ()) for one in world.server.requests[asked:])
    assert stored.outcome == rpc.STORE_OUTCOME_STORED and not stored.embedded
    answer = await recall(world.client, agent, f"lantern with {lie}")
    assert [hit.record.ref for hit in answer.hits] == [stored.ref]
    assert answer.degradation.kind == pb.DEGRADATION_KIND_NO_QUERY_VECTOR and answer.degradation.reason
    assert [vector for _, vector in await world.vectors(agent)] == [None]


async def test_what_was_lied_about_gets_its_own_vectors_once_the_server_is_honest(world: OwnWorld, agent: str) -> None:
    """B05 B06 B07"""
    for lie, answer in LIES.items():
        world.server.always = answer
        assert not (await store(world.client, agent, f"The lantern of {lie}")).embedded
    await world.becomes_honest()
    await world.heals(agent)
    for content, vector in await world.vectors(agent):
        assert vector == pytest.approx(_unit(vector_of(content)), abs=2e-3), content


def _unit(vector: list[float]) -> list[float]:
    norm = math.hypot(*vector)
    return [value / norm for value in vector]


async def test_five_vectors_for_ten_texts_leave_all_ten_waiting_and_then_each_with_its_own(
    world: OwnWorld, agent: str
) -> None:
    """B06"""
    world.server.always = lies(lambda _, vectors: vectors[: len(vectors) // 2])
    texts = [f"the lantern number {number} " + "x" * number for number in range(10)]
    request = rpc.BatchStoreRequest(requests=[memory(agent, text) for text in texts])
    results = (await world.client.recall.BatchStore(request, timeout=60)).results
    assert [result.response.embedded for result in results] == [False] * 10
    assert len(await found(world.client, agent, "lantern", limit=20)) == 10
    await world.becomes_honest()
    await world.heals(agent)
    for content, vector in await world.vectors(agent):
        assert vector == pytest.approx(_unit(vector_of(content)), abs=2e-3), content


async def test_a_text_without_a_vector_keeps_no_other_from_its_own(world: OwnWorld, agent: str) -> None:
    """B07"""
    world.server.always = lies(
        lambda texts, vectors: [
            [math.nan] * 4 if "poison" in text else vector for text, vector in zip(texts, vectors, strict=True)
        ]
    )
    *_, poison = await store_many(world.client, agent, [*(f"lantern {number}" for number in range(5)), "poison"])

    async def others_have_theirs() -> bool:
        await world.rows("UPDATE node_builds SET next_at = now() WHERE state = 'pending' AND next_at > now()")
        return [content for content, vector in await world.vectors(agent) if vector is None] == ["poison"]

    await eventually(others_have_theirs, "a poisoned text holds others up", 45)
    health = await world.client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent), timeout=30)
    missing = [issue for issue in health.issues if issue.check == "missing_vectors"]
    assert [list(issue.refs) for issue in missing] == [[poison]]


async def test_a_failed_build_is_counted_and_says_why(world: OwnWorld, agent: str) -> None:
    """B05"""
    world.server.always = LIES["wrong width"]
    await store(world.client, agent, "The lantern is lit.")

    async def failed() -> bool:
        return any(errors > 0 and "8" in (reason or "") for _, errors, reason in await world.builds(agent))

    await eventually(failed, "the build shows no failure", 30)


async def test_a_text_that_the_server_refuses_is_given_up_visibly_and_replayed_on_request(
    world: OwnWorld, agent: str
) -> None:
    """B29"""

    async def refuses_poison(request: Request) -> web.StreamResponse:
        if request.route == "embed" and any("poison" in text for text in request.texts):
            return web.json_response({"error": "I will not"}, status=400)
        return await honest(request)

    world.server.always = refuses_poison
    *_, poison = await store_many(world.client, agent, ["lantern", "poison"])

    async def given_up() -> bool:
        without = [content for content, vector in await world.vectors(agent) if vector is None]
        return without == ["poison"] and "dead" in {state for state, *_ in await world.builds(agent)}

    await eventually(given_up, "the poison is not dead, or the other has no vector", 30)
    health = await world.client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent), timeout=30)
    dead = [issue for issue in health.issues if issue.check == "dead_builds"]
    assert health.status == admin.HEALTH_STATUS_DEGRADED and [list(issue.refs) for issue in dead] == [[poison]]
    await world.becomes_honest()
    request = admin.CheckHealthRequest(agent_id=agent, repair=True)
    queued = [issue.queued for issue in (await world.client.admin.CheckHealth(request, timeout=30)).issues]
    assert max(queued) == 1
    await world.heals(agent)


@pytest.mark.parametrize("query", ["", "  ", "\u200b"])
async def test_the_embedding_server_is_not_asked_for_a_blank_question(world: OwnWorld, agent: str, query: str) -> None:
    """B25"""
    await store(world.client, agent, "The lantern is lit.")

    def questions() -> int:
        return sum(one.body.get("side") == "query" for one in world.server.requests)

    before = questions()
    await recall(world.client, agent, query)
    assert questions() == before
    # Only once for each text: hence the number.
    await recall(world.client, agent, f"!!! {before}")
    assert questions() == before + 1


async def _wider(request: Request) -> web.StreamResponse:
    """Another model: twice as wide."""
    if request.route == "capabilities":
        identity = {"provider": "test", "model": "wider", "dimensions": 8, "window": 12}
        return web.json_response({"identity": identity, "incomplete": [], "fingerprint": "1:wider"})
    answer = await honest(request)
    assert isinstance(answer, web.Response) and answer.text
    body = json.loads(answer.text)
    if "embeddings" in body:
        body |= {"embeddings": [vector * 2 for vector in body["embeddings"]], "dimensions": 8}
    return web.json_response(body)


async def test_a_server_of_another_width_than_the_active_models_keeps_a_new_service_out_of_readiness(
    world: OwnWorld, scratch_folder: Path, agent: str
) -> None:
    """B05"""
    stored = await store(world.client, agent, "The lantern is lit.")
    async with lying_server() as wider:
        wider.always = _wider
        settings = {"database_url": world.dsns.recall, "embedding_url": wider.url}
        async with own_recall(scratch_folder, **settings) as other, RensouClient(other.address) as client:

            async def is_kept_out() -> bool:
                return await health_of(other.address, "readiness") == NOT_SERVING

            await eventually(is_kept_out, "readiness did not fail", 20)
            assert await health_of(other.address, "liveness") == SERVING
            answer = await recall(client, agent, "lantern")
            assert answer.degradation.kind == pb.DEGRADATION_KIND_MODEL_MISMATCH
            assert [hit.record.ref for hit in answer.hits] == [stored.ref]
            assert not (await store(client, agent, "The lantern went out.")).embedded
