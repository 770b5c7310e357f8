"""The adapter to a cross-encoder, against a server that lies."""

import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.errors import (
    EmbeddingError,
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.embedding.health import EmbeddingHealth
from rensou_shared.embedding.reranker import Reranker, RerankerConfig, check_scores
from rensou_shared.embedding.watch import WatchedCalls
from tests.unit.fake_reranker import FakeReranker, fake_reranker, hangs, says, score_of, takes_at_most

TEXTS = [f"the boat number {n}" for n in range(50)]
TWO = ["a boat", "an oven"]


@pytest.fixture
async def server() -> AsyncIterator[FakeReranker]:
    async with fake_reranker() as one:
        yield one


@pytest.fixture
async def client(server: FakeReranker) -> AsyncIterator[Reranker]:
    calls = WatchedCalls(EmbeddingHealth(lambda: datetime.now(UTC)), CircuitBreaker(time.monotonic))
    one = Reranker(RerankerConfig(server.url, "secret-of-a-test"), calls)
    yield one
    await one.aclose()


async def test_scores_come_in_the_order_of_the_texts(client: Reranker, server: FakeReranker) -> None:
    assert await client.scores("oven an", TWO, 5) == (0.0, 2.0)
    (body,) = server.bodies
    assert body == {"query": "oven an", "texts": TWO, "raw_scores": True, "truncate": True}
    assert server.headers[0]["authorization"] == "Bearer secret-of-a-test"


async def test_no_text_asks_nobody(client: Reranker, server: FakeReranker) -> None:
    assert await client.scores("oven", [], 5) == ()
    assert not server.bodies


async def test_a_request_carries_at_most_32_texts(client: Reranker, server: FakeReranker) -> None:
    scores = await client.scores("boat 7", TEXTS, 5)
    assert [len(body["texts"]) for body in server.bodies] == [32, 18]
    assert scores.index(max(scores)) == 7
    assert len(scores) == 50


async def test_a_batch_that_is_too_large_for_the_server_is_halved(client: Reranker, server: FakeReranker) -> None:
    server.always = takes_at_most(10)
    assert await client.scores("boat 41", TEXTS, 5) == tuple(score_of("boat 41", text) for text in TEXTS)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_server_is_asked_once_more(client: Reranker, server: FakeReranker, status: int) -> None:
    server.script = [says({"error": "Model is overloaded"}, status)]
    assert await client.scores("boat", TWO, 5) == (1.0, 0.0)
    assert len(server.bodies) == 2


async def test_a_server_that_names_a_long_wait_is_not_waited_for(client: Reranker, server: FakeReranker) -> None:
    server.always = says({"error": "Model is overloaded"}, 429, {"retry-after": "30"})
    with pytest.raises(EmbeddingUnavailableError) as caught:
        await client.scores("boat", TWO, 5)
    assert caught.value.reason == "status 429"
    assert len(server.bodies) == 1
    with pytest.raises(EmbeddingUnavailableError, match="not asked again yet"):
        await client.scores("boat", TWO, 5)
    assert len(server.bodies) == 1


async def test_a_slow_server_is_given_up_in_time(client: Reranker, server: FakeReranker) -> None:
    server.always = hangs
    began = time.monotonic()
    with pytest.raises(EmbeddingUnavailableError):
        await client.scores("boat", TWO, 0.3)
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    "answer",
    [
        [{"index": 0, "score": 1.0}],
        [{"index": 0, "score": 1.0}, {"index": 1, "score": 1.0}, {"index": 2, "score": 1.0}],
        [{"index": 0, "score": 1.0}, {"index": 0, "score": 0.5}],
        [{"index": 0, "score": 1.0}, {"index": 2, "score": 0.5}],
        [{"index": 0, "score": 1.0}, {"index": -1, "score": 0.5}],
        [{"index": 0, "score": 1.0}, {"index": True, "score": 0.5}],
        [{"index": 0, "score": 1.0}, {"index": "1", "score": 0.5}],
        [{"index": 0, "score": 1.0}, {"index": 1}],
        [{"index": 0, "score": 1.0}, {"index": 1, "score": "0.5"}],
        [{"index": 0, "score": 1.0}, {"index": 1, "score": True}],
        [{"index": 0, "score": 1.0}, {"index": 1, "score": None}],
        [{"index": 0, "score": 1.0}, [1, 0.5]],
        '[{"index": 0, "score": 1.0}, {"index": 1, "score": NaN}]',
        '[{"index": 0, "score": 1.0}, {"index": 1, "score": Infinity}]',
        '[{"index": 0, "score": 1.0}, {"index": 1, "score": 1' + "0" * 400 + "}]",
        {"results": []},
        "no JSON",
        "",
    ],
)
async def test_nothing_of_a_wrong_answer_is_used(client: Reranker, server: FakeReranker, answer: Any) -> None:
    server.always = says(answer)
    with pytest.raises(EmbeddingMalformedError):
        await client.scores("boat", TWO, 5)
    assert client.health.report.failures == 1


@pytest.mark.parametrize("status", [401, 404, 301])
async def test_a_refusal_is_not_repeated(client: Reranker, server: FakeReranker, status: int) -> None:
    server.always = says({}, status)
    with pytest.raises(EmbeddingRejectedError):
        await client.scores("boat", TWO, 5)
    assert len(server.bodies) == 1


async def test_one_text_that_is_refused_ends_the_whole_and_is_no_fault_of_the_server(
    client: Reranker, server: FakeReranker
) -> None:
    server.always = says({"error": "tokenization"}, 422)
    with pytest.raises(EmbeddingRejectedError, match="text 0"):
        await client.scores("boat", TWO, 5)
    assert client.health.report.failures == 0


async def test_after_three_failures_a_dead_server_is_not_asked(client: Reranker, server: FakeReranker) -> None:
    server.always = says({}, 500)
    for _ in range(5):
        with pytest.raises(EmbeddingError):
            await client.scores("boat", TWO, 5)
    assert len(server.bodies) == 6
    assert client.health.report.failing_since is not None


@pytest.mark.parametrize(
    ("url", "token"),
    [
        ("ftp://host/rerank", None),
        ("http:///rerank", None),
        ("http://host:port/rerank", None),
        ("http://host/predict", None),
        ("http://host/rerank", "two words"),
        ("http://host/rerank", ""),
    ],
)
def test_an_unusable_address_or_token_is_refused(url: str, token: str | None) -> None:
    with pytest.raises(ValueError, match="reranker|port|Port"):
        RerankerConfig(url, token)


def test_scores_are_sorted_by_index() -> None:
    assert check_scores([{"index": 1, "score": 2}, {"index": 0, "score": -1.5}], 2) == (-1.5, 2.0)
