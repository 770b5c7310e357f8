"""The CEmbedding adapter against a real socket."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from aiohttp import web

from rensou_shared.embedding.cembedding import CEmbedding
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.errors import (
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.embedding.port import Side, TokenCount
from rensou_shared.embedding.retry import Backoff, Clock
from tests.unit.lying_embedding_server import (
    DIMENSIONS,
    LyingServer,
    Request,
    hangs,
    honest,
    lying_server,
    says,
    vector_of,
)

TIMEOUT_S = 5.0
TEN = [f"text {index}" for index in range(10)]


@pytest_asyncio.fixture
async def server() -> AsyncIterator[LyingServer]:
    async with lying_server() as running:
        yield running


def client_of(server: LyingServer, **config: Any) -> CEmbedding:
    """A client that does not wait between attempts."""
    return CEmbedding(CEmbeddingConfig(server.url, **config), backoff=Backoff(attempts=3, base_s=0.0))


async def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length(server: LyingServer) -> None:
    async with client_of(server) as client:
        vectors = (await client.embed(TEN, Side.PASSAGE, TIMEOUT_S)).vectors
    expected = np.array([vector_of(text) for text in TEN])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, rtol=1e-6)


async def test_a_request_names_the_side_and_keeps_the_query_string(server: LyingServer) -> None:
    async with client_of(server) as client:
        await client.embed(["a"], Side.QUERY, TIMEOUT_S)
        await client.count(["a"], Side.PASSAGE, TIMEOUT_S)
        await client.identity(TIMEOUT_S)
    seen = [(request.route, request.query, request.body.get("side")) for request in server.requests]
    assert seen == [
        ("embed", "tenant=a", "query"),
        ("count_tokens", "tenant=a", "passage"),
        ("capabilities", "tenant=a", None),
    ]


@pytest.mark.parametrize(("token", "header"), [("s3cret", "Bearer s3cret"), (None, None)])
async def test_the_token_is_sent_when_there_is_one(server: LyingServer, token: str | None, header: str | None) -> None:
    async with client_of(server, bearer_token=token) as client:
        await client.embed(["a"], Side.QUERY, TIMEOUT_S)
    assert server.requests[0].headers.get("authorization") == header


async def test_a_prefix_is_sent_and_offsets_come_back_without_it(server: LyingServer) -> None:
    async with client_of(server, query_prefix="q: ", passage_prefix="p: ") as client:
        counts = await client.count(["123456789", "short"], Side.PASSAGE, TIMEOUT_S)
        embedded = await client.embed(["123456789"], Side.QUERY, TIMEOUT_S, with_counts=True)
    assert counts == (TokenCount(14, 12, True, 7), TokenCount(10, 12, False, 5))
    assert embedded.counts == (TokenCount(14, 12, True, 7),)
    assert [request.texts[0] for request in server.requests] == ["p: 123456789", "q: 123456789"]


async def test_a_prefix_past_the_window_leaves_no_room(server: LyingServer) -> None:
    async with client_of(server, passage_prefix="a very long prefix: ") as client:
        counts = await client.count(["x"], Side.PASSAGE, TIMEOUT_S)
    assert counts is not None
    assert counts[0].window_end_char == 0


async def test_a_prefix_makes_another_fingerprint(server: LyingServer) -> None:
    async with client_of(server) as plain, client_of(server, passage_prefix="p: ") as prefixed:
        one, other = await plain.identity(TIMEOUT_S), await prefixed.identity(TIMEOUT_S)
    assert (one.fingerprint, one.name, one.dimensions, one.window) == ("1:abc", "liar", DIMENSIONS, 12)
    assert other.fingerprint not in ("", one.fingerprint)


async def test_counts_come_only_when_asked_for(server: LyingServer) -> None:
    async with client_of(server) as client:
        with_counts = await client.embed(["a", "b" * 20], Side.PASSAGE, TIMEOUT_S, with_counts=True)
        without = await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)
    assert with_counts.counts == (TokenCount(3, 12, False, 1), TokenCount(22, 12, True, 10))
    assert without.counts is None
    assert "token_info" not in server.requests[1].body


async def test_many_texts_go_in_batches_of_a_hundred(server: LyingServer) -> None:
    texts = [f"{index}" for index in range(250)]
    async with client_of(server) as client:
        embedded = await client.embed(texts, Side.PASSAGE, TIMEOUT_S, with_counts=True)
    assert [len(request.texts) for request in server.requests] == [100, 100, 50]
    assert [text for request in server.requests for text in request.texts] == texts
    assert embedded.vectors.shape == (250, DIMENSIONS)
    assert len(embedded.counts or ()) == 250


async def test_a_body_stays_under_the_servers_limit(server: LyingServer) -> None:
    async with client_of(server) as client:
        await client.embed(["京" * 16_000] * 60, Side.PASSAGE, TIMEOUT_S)
    assert len(server.requests) > 1
    assert all(request.size_bytes < 1024**2 for request in server.requests)


async def test_no_texts_need_no_server(server: LyingServer) -> None:
    async with client_of(server) as client:
        assert (await client.embed([], Side.PASSAGE, TIMEOUT_S)).vectors.shape == (0, 0)
        assert await client.count([], Side.PASSAGE, TIMEOUT_S) == ()
    assert server.requests == []


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
async def test_a_passing_failure_is_tried_again(server: LyingServer, status: int) -> None:
    server.script = [says({"error": "later"}, status)] * 2
    async with client_of(server) as client:
        assert (await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)).vectors.shape == (1, DIMENSIONS)
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 413, 422, 501])
async def test_a_refusal_is_never_tried_again(server: LyingServer, status: int) -> None:
    server.always = says({"error": "no"}, status)
    async with client_of(server) as client:
        with pytest.raises(EmbeddingRejectedError) as raised:
            await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)
    assert (raised.value.status, raised.value.transient) == (status, False)
    assert raised.value.is_misconfigured == (status not in {400, 413, 422})
    assert len(server.requests) == 1


async def test_credentials_that_are_refused_are_not_halved(server: LyingServer) -> None:
    server.always = says({"error": "unauthorized"}, 401)
    async with client_of(server) as client:
        with pytest.raises(EmbeddingRejectedError):
            await client.embed(TEN, Side.PASSAGE, TIMEOUT_S)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_text_that_is_refused_is_found_among_its_neighbours(server: LyingServer, status: int) -> None:
    async def refuses_six(request: Request) -> web.StreamResponse:
        return await (says({"error": "bad"}, status) if "text 6" in request.texts else honest)(request)

    server.always = refuses_six
    async with client_of(server) as client:
        with pytest.raises(EmbeddingRejectedError, match="text 6:") as raised:
            await client.embed(TEN, Side.PASSAGE, TIMEOUT_S)
    assert raised.value.index == 6
    assert len(server.requests) <= 8


async def test_a_batch_that_is_refused_for_its_size_goes_in_halves(server: LyingServer) -> None:
    async def takes_three(request: Request) -> web.StreamResponse:
        return await (says({"error": "batch"}, 413) if len(request.texts) > 3 else honest)(request)

    server.always = takes_three
    async with client_of(server) as client:
        vectors = (await client.embed(TEN, Side.PASSAGE, TIMEOUT_S)).vectors
    first = np.array([vector_of(text)[0] / np.linalg.norm(vector_of(text)) for text in TEN])
    np.testing.assert_allclose(vectors[:, 0], first, rtol=1e-6)


@pytest.mark.parametrize(("text", "reason"), [("\ud83d", "lone surrogate"), ("x" * 600, "602 bytes")])
async def test_a_text_that_cannot_be_sent_is_named(server: LyingServer, text: str, reason: str) -> None:
    async with client_of(server, max_batch_bytes=500) as client:
        with pytest.raises(EmbeddingRejectedError, match=reason) as raised:
            await client.embed(["fine", text], Side.PASSAGE, TIMEOUT_S)
    assert raised.value.index == 1
    assert server.requests == []


async def test_an_error_never_shows_what_was_sent_or_answered(server: LyingServer) -> None:
    server.always = says({"error": "cannot take: my secret"}, 400)
    async with client_of(server) as client:
        with pytest.raises(EmbeddingRejectedError) as raised:
            await client.embed(["my secret"], Side.PASSAGE, TIMEOUT_S)
    assert "secret" not in str(raised.value)


async def test_retry_after_is_waited_for(server: LyingServer) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    server.script = [says({}, 429, {"Retry-After": "2"})]
    clock = Clock(now=lambda: 0.0, sleep=sleep, draw=lambda: 0.0)
    async with CEmbedding(CEmbeddingConfig(server.url), clock=clock) as client:
        await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)
    assert slept == [2.0]


async def test_a_retry_after_past_the_deadline_is_reported_at_once(server: LyingServer) -> None:
    server.always = says({}, 429, {"Retry-After": "120"})
    async with asyncio.timeout(1.0), client_of(server) as client:
        with pytest.raises(EmbeddingUnavailableError, match="429") as raised:
            await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)
    assert (raised.value.retry_after_s, len(server.requests)) == (120.0, 1)


async def test_a_server_that_hangs_costs_no_more_than_the_timeout(server: LyingServer) -> None:
    server.always = hangs
    async with asyncio.timeout(2.0), client_of(server) as client:
        with pytest.raises(EmbeddingUnavailableError, match="no answer within"):
            await client.embed(["a"], Side.PASSAGE, 0.2)


async def test_a_server_that_drips_costs_no_more_than_the_timeout(server: LyingServer) -> None:
    async def drips(_: Request) -> web.StreamResponse:
        return web.Response(body=_drops())

    async def _drops() -> AsyncIterator[bytes]:
        for _ in range(1000):
            yield b" "
            await asyncio.sleep(0.02)

    server.always = drips
    async with asyncio.timeout(2.0), client_of(server) as client:
        with pytest.raises(EmbeddingUnavailableError, match="no answer within"):
            await client.embed(["a"], Side.PASSAGE, 0.3)


async def test_an_answer_past_its_bound_is_cut_off(server: LyingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rensou_shared.embedding.transport.MAX_ANSWER_BYTES", 10_000)
    server.always = says(" " * 20_000)
    async with client_of(server) as client:
        with pytest.raises(EmbeddingMalformedError, match="over 10000 bytes"):
            await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/embed"
        async with CEmbedding(CEmbeddingConfig(url), backoff=Backoff(attempts=2, base_s=0.0)) as client:
            with pytest.raises(EmbeddingUnavailableError, match="no connection"):
                await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)


async def test_no_time_left_asks_nobody(server: LyingServer) -> None:
    async with client_of(server) as client:
        with pytest.raises(EmbeddingUnavailableError, match="no time left"):
            await client.embed(["a"], Side.PASSAGE, 0.0)
    assert server.requests == []
