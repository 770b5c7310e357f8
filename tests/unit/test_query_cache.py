"""The cache of questions' vectors: bounded, by model and exact text, one call for equal questions at once."""

import asyncio

import numpy as np
import pytest
from prometheus_client import REGISTRY

from rensou_recall.pipelines.query_cache import QueryCache, Vector
from rensou_shared.embedding.errors import EmbeddingError, EmbeddingRejectedError, EmbeddingUnavailableError


class Server:
    """Embeds as it is told: fails when `error` is set, waits while `gate` is closed, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.error: EmbeddingError | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def embed(self, text: str, timeout_s: float) -> Vector:
        self.asked.append(text)
        error = self.error
        try:
            async with asyncio.timeout(timeout_s):
                await self.gate.wait()
        except TimeoutError as late:
            raise EmbeddingUnavailableError("too slow") from late
        if error is not None:
            raise error
        return np.array([len(self.asked), len(text)], np.float32)


@pytest.fixture
def server() -> Server:
    return Server()


def _count(result: str) -> float:
    return REGISTRY.get_sample_value("rensou_query_cache_lookups_total", {"result": result}) or 0.0


async def test_a_question_is_embedded_once_and_its_vector_cannot_be_changed(server: Server) -> None:
    cache = QueryCache()
    before = [_count(result) for result in ("hit", "shared", "miss")]
    first, second = [await cache.vector("m", "lantern", 1, server.embed) for _ in range(2)]
    assert second is first and server.asked == ["lantern"]
    assert [_count(result) for result in ("hit", "shared", "miss")] == [before[0] + 1, before[1], before[2] + 1]
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 2


@pytest.mark.parametrize("other", ["Lantern", "lantern ", "lanter", "LANTERN", ""])
async def test_only_the_exact_text_is_the_same_question(server: Server, other: str) -> None:
    cache = QueryCache()
    for text in ("lantern", other):
        await cache.vector("m", text, 1, server.embed)
    assert server.asked == ["lantern", other]


async def test_the_least_recently_used_goes_first(server: Server) -> None:
    cache = QueryCache(capacity=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        await cache.vector("m", text, 1, server.embed)
    assert server.asked == ["a", "b", "c", "b"] and len(cache) == 2


async def test_another_model_begins_from_nothing(server: Server) -> None:
    cache = QueryCache()
    for model in ("m", "n", "m"):
        await cache.vector(model, "lantern", 1, server.embed)
    assert server.asked == ["lantern"] * 3 and len(cache) == 1
    assert cache.kept("n", "lantern") is None and cache.kept("m", "lantern") is not None


async def test_equal_questions_at_once_share_one_call(server: Server) -> None:
    cache, before = QueryCache(), _count("shared")
    vectors = await asyncio.gather(*(cache.vector("m", "lantern", 1, server.embed) for _ in range(8)))
    assert server.asked == ["lantern"] and all(vector is vectors[0] for vector in vectors)
    assert _count("shared") == before + 7


async def test_a_failure_is_told_to_all_who_share_it_and_is_not_kept(server: Server) -> None:
    cache = QueryCache()
    server.error = EmbeddingRejectedError("no", 401)
    calls = [cache.vector("m", "lantern", 1, server.embed) for _ in range(3)]
    assert await asyncio.gather(*calls, return_exceptions=True) == [server.error] * 3
    assert server.asked == ["lantern"]
    server.error = None
    assert (await cache.vector("m", "lantern", 1, server.embed)).tolist() == [2, 7]


async def test_a_caller_that_leaves_does_not_take_the_call_from_the_others(server: Server) -> None:
    cache = QueryCache()
    server.gate.clear()
    first, second = [asyncio.create_task(cache.vector("m", "lantern", 5, server.embed)) for _ in range(2)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    server.gate.set()
    assert (await second).tolist() == [1, 7] and first.cancelled() and server.asked == ["lantern"]


async def test_nobody_waits_beyond_their_own_time(server: Server) -> None:
    cache = QueryCache()
    server.gate.clear()
    patient = asyncio.create_task(cache.vector("m", "lantern", 5, server.embed))
    await asyncio.sleep(0)
    with pytest.raises(EmbeddingUnavailableError, match="in time"):
        await cache.vector("m", "lantern", 0.02, server.embed)
    server.gate.set()
    assert (await patient).tolist() == [1, 7]


async def test_a_hurried_caller_does_not_cost_a_patient_one_its_vector(server: Server) -> None:
    cache = QueryCache()
    server.gate.clear()
    hurried, patient = [asyncio.create_task(cache.vector("m", "lantern", s, server.embed)) for s in (0.02, 5)]
    await asyncio.wait({hurried})
    assert isinstance(hurried.exception(), EmbeddingUnavailableError)
    server.gate.set()
    assert (await patient).tolist() == [2, 7]


async def test_what_is_on_its_way_when_the_cache_is_cleared_is_not_kept(server: Server) -> None:
    cache = QueryCache()
    server.gate.clear()
    asked = asyncio.create_task(cache.vector("m", "lantern", 5, server.embed))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    cache.clear()
    server.gate.set()
    assert (await asked).tolist() == [1, 7] and len(cache) == 0
    await cache.vector("m", "lantern", 1, server.embed)
    assert server.asked == ["lantern"] * 2
