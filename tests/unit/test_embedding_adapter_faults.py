"""Wrong answers, failures and silence of embedding servers that are not of the CEmbedding contract."""

import pytest
from aiohttp import web

from rensou_shared.embedding.errors import (
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.embedding.port import Side
from tests.unit.adapter_ports import COUNTING, TIMEOUT_S, AnyServer, any_server, counting, port_of
from tests.unit.lying_embedding_server import Answer, Request, hangs, says
from tests.unit.real_embedding_servers import KINDS, serve

__all__ = ["any_server", "counting"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "lie",
    [
        says({"embeddings": []}),
        says([[1.0, 2.0, 3.0, 4.0]]),
        says({"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0, 4.0]}]}),
        says("[[NaN, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]"),
        says('{"data": [{"index": 0, "embedding": [NaN, 1]}, {"index": 1, "embedding": [1, 1]}]}'),
        says([[1.0, 2.0], [1.0]]),
        says({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}),
        says({"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]}),
        says([[0.0, 0.0], [0.0, 0.0]]),
        says("<html>"),
    ],
    ids=range(10),
)
async def test_a_wrong_answer_is_used_in_no_part(kind: str, lie: Answer) -> None:
    async with serve(kind) as server:
        port = port_of(server, kind)
        await port.identity(TIMEOUT_S)
        server.always = lie
        with pytest.raises(EmbeddingMalformedError):
            await port.embed(["a", "b"], Side.PASSAGE, TIMEOUT_S)
        await port.aclose()


@pytest.mark.parametrize("kind", COUNTING)
@pytest.mark.parametrize(
    "lie",
    [
        says([]),
        says([[{"id": 5, "text": "a", "special": False, "start": 0, "stop": 99}]]),
        says([[{"id": 5, "text": "a", "special": False, "start": None, "stop": None}]]),
        says([[{"special": False, "start": 0, "stop": 1}, {"special": False, "start": 0, "stop": 0}]]),
        says([[{"special": False, "start": 1, "stop": 0}]]),
        says([[{"special": False, "stop": 1}]]),
        says([["a"]]),
        says({"count": True, "max_model_len": 8}),
        says({"count": 3, "max_model_len": 0}),
        says({"tokens": 3}),
    ],
    ids=range(10),
)
async def test_a_wrong_report_fails_the_count(kind: str, lie: Answer) -> None:
    async with serve(kind) as server:
        port = port_of(server, kind)
        await port.identity(TIMEOUT_S)
        server.always = lie
        with pytest.raises(EmbeddingMalformedError):
            await port.count(["a"], Side.PASSAGE, TIMEOUT_S)
        await port.aclose()


async def test_a_count_that_fails_is_not_taken_as_unknown(counting: AnyServer) -> None:
    kind, server, port = counting
    await port.identity(TIMEOUT_S)

    async def cannot_count(request: Request) -> web.StreamResponse:
        return await (says({}, 503) if request.route == "tokenize" else KINDS[kind])(request)

    server.always = cannot_count
    with pytest.raises(EmbeddingUnavailableError):
        await port.embed(["a"], Side.PASSAGE, TIMEOUT_S, with_counts=True)


@pytest.mark.parametrize("status", [408, 424, 429, 500, 503])
async def test_a_failing_server_is_asked_again(any_server: AnyServer, status: int) -> None:
    _, server, port = any_server
    await port.identity(TIMEOUT_S)
    server.script = [says({"error": "Model is overloaded", "error_type": "Overloaded"}, status)] * 2
    assert (await port.embed(["a"], Side.PASSAGE, TIMEOUT_S)).vectors.shape == (1, 4)


async def test_a_busy_server_is_left_alone_as_long_as_it_asks(any_server: AnyServer) -> None:
    _, server, port = any_server
    await port.identity(TIMEOUT_S)
    server.always = says({"error": "busy"}, 429, {"Retry-After": "30"})
    asked = len(server.requests)
    with pytest.raises(EmbeddingUnavailableError) as busy:
        await port.embed(["a"], Side.PASSAGE, TIMEOUT_S)
    assert busy.value.retry_after_s == 30.0 and len(server.requests) == asked + 1


async def test_a_server_that_hangs_costs_the_time_and_no_more(any_server: AnyServer) -> None:
    _, server, port = any_server
    await port.identity(TIMEOUT_S)
    server.always = hangs
    with pytest.raises(EmbeddingUnavailableError):
        await port.embed(["a"], Side.PASSAGE, 0.2, with_counts=True)


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_the_text_at_fault_is_named_when_it_is_not_too_long(any_server: AnyServer, status: int) -> None:
    kind, server, port = any_server
    await port.identity(TIMEOUT_S)

    async def picky(request: Request) -> web.StreamResponse:
        sent = request.body.get("inputs") or request.body.get("input")
        if request.route in {"embed", "embeddings"} and "bad" in sent:
            return web.json_response({"error": "bad"}, status=status)
        return await KINDS[kind](request)

    server.always = picky
    with pytest.raises(EmbeddingRejectedError) as refused:
        await port.embed(["a", "b", "bad", "d"], Side.PASSAGE, TIMEOUT_S)
    assert refused.value.index == 2


async def test_a_wrong_credential_is_no_texts_fault(any_server: AnyServer) -> None:
    _, server, port = any_server
    server.always = says({"error": "Unauthorized"}, 401)
    with pytest.raises(EmbeddingRejectedError) as refused:
        await port.embed(["a"], Side.PASSAGE, TIMEOUT_S, with_counts=True)
    assert refused.value.is_misconfigured
