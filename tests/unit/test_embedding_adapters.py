"""The adapters to servers that are not of the CEmbedding contract, against a real socket."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from aiohttp import web

from rensou_shared.embedding.deployment import ClosablePort, ServerSettings, make_port
from rensou_shared.embedding.errors import (
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.embedding.port import Side, TokenCount
from rensou_shared.embedding.prefix_counters import read_llama_refusal
from rensou_shared.embedding.retry import Backoff
from rensou_shared.embedding.tokenizer_file import count_in_window
from tests.unit.lying_embedding_server import Answer, LyingServer, Request, hangs, honest, says, vector_of
from tests.unit.real_embedding_servers import KINDS, LLAMA_CONTEXT, MODEL, TEI_BATCH, WINDOW, serve, tei
from tests.unit.toy_tokenizer import count_tokens, toy_tokenizer

TIMEOUT_S = 10.0
COUNTING = ("tei", "vllm", "llamacpp")
LONG = "The key is under the mat by the door. " * 8
TEXTS = {
    "english": LONG,
    "japanese": "明日は京都で会議がある。鍵は玄関のマットの下にある。" * 4,
    "four bytes": "🍵🫖𠮷野家 " * 20,
    "families": "👨‍👩‍👧‍👦" * 12,
    "marks": "e\u0301o\u0308\u0323 a\u030a" * 20,
    "windows lines": "The mat.\r\nThe door.\r\n\r\n" * 12,
    "no spaces": "doorkettle" * 40,
    "spaces": " " * 300,
    "short": "The pot.",
    "nothing": "",
}


def settings_of(server: LyingServer, kind: str, **more: object) -> ServerSettings:
    model = "" if kind in {"tei", "llamacpp"} else MODEL
    # llama.cpp does not say what its physical batch is.
    window = WINDOW if kind == "llamacpp" else 0
    return ServerSettings(server.url, kind, **({"model": model, "window": window} | more))  # type: ignore[arg-type]


def port_of(server: LyingServer, kind: str, **more: object) -> ClosablePort:
    return make_port(settings_of(server, kind, **more), "RENSOU_EMBEDDING", Backoff(attempts=3, base_s=0.0))


@pytest_asyncio.fixture(params=KINDS)
async def any_server(request: pytest.FixtureRequest) -> AsyncIterator[tuple[str, LyingServer, ClosablePort]]:
    async with serve(request.param) as server:
        port = port_of(server, request.param)
        yield request.param, server, port
        await port.aclose()


@pytest_asyncio.fixture(params=COUNTING)
async def counting(request: pytest.FixtureRequest) -> AsyncIterator[tuple[str, LyingServer, ClosablePort]]:
    async with serve(request.param) as server:
        port = port_of(server, request.param)
        yield request.param, server, port
        await port.aclose()


def exact(text: str) -> TokenCount:
    """The count and the window's end by the tokens of the whole text."""
    return count_in_window(toy_tokenizer().encode(text), len(text), WINDOW)


AnyServer = tuple[str, LyingServer, ClosablePort]


async def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length(any_server: AnyServer) -> None:
    _, _, port = any_server
    texts = [f"text {number}" for number in range(70)]
    embedded = await port.embed(texts, Side.PASSAGE, TIMEOUT_S)
    expected = np.array([vector_of(text) for text in texts])
    np.testing.assert_allclose(embedded.vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-6)
    assert embedded.counts is None


async def test_no_texts_ask_nothing(any_server: AnyServer) -> None:
    _, server, port = any_server
    assert (await port.embed([], Side.PASSAGE, TIMEOUT_S, with_counts=True)).vectors.shape == (0, 0)
    assert server.requests == []


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_a_count_and_its_end_are_the_tokenizers(counting: AnyServer, text: str) -> None:
    kind, _, port = counting
    counts = await port.count([text], Side.PASSAGE, TIMEOUT_S)
    assert counts is not None
    known = exact(text)
    assert (counts[0].count, counts[0].window, counts[0].truncated) == (known.count, WINDOW, known.truncated)
    end = counts[0].window_end_char
    if kind == "tei":
        assert end == known.window_end_char
    elif known.truncated:
        assert count_tokens(text[:end]) <= WINDOW
        assert known.window_end_char - 12 <= end <= known.window_end_char + 12
    else:
        assert end == len(text)


async def test_counts_come_with_the_vectors(counting: AnyServer) -> None:
    _, _, port = counting
    texts = ["The pot.", LONG, "The mat."]
    embedded = await port.embed(texts, Side.PASSAGE, TIMEOUT_S, with_counts=True)
    assert embedded.counts == await port.count(texts, Side.PASSAGE, TIMEOUT_S)
    assert embedded.counts is not None and [count.truncated for count in embedded.counts] == [False, True, False]


async def test_a_text_past_the_window_is_embedded_by_its_beginning(counting: AnyServer) -> None:
    _, _, port = counting
    embedded = await port.embed(["The pot.", LONG], Side.PASSAGE, TIMEOUT_S, with_counts=True)
    assert embedded.counts is not None
    beginning = LONG[: embedded.counts[1].window_end_char]
    alone = await port.embed([beginning], Side.PASSAGE, TIMEOUT_S)
    np.testing.assert_array_equal(embedded.vectors[1], alone.vectors[0])


async def test_a_prefix_takes_its_tokens_and_no_place_in_the_offsets(counting: AnyServer) -> None:
    kind, server, _ = counting
    port = port_of(server, kind, prefixes='["質問: ", "文章: "]')
    counts = await port.count([LONG], Side.PASSAGE, TIMEOUT_S)
    await port.aclose()
    whole = exact("文章: " + LONG)
    assert counts is not None and counts[0].count == whole.count
    assert abs(counts[0].window_end_char - (whole.window_end_char - 4)) <= (0 if kind == "tei" else 12)


async def test_a_prompt_of_the_server_itself_is_taken_off_the_offsets() -> None:
    async with serve("tei", tei("文🍵: ")) as server:
        port = port_of(server, "tei")
        counts = await port.count([LONG, "The pot."], Side.PASSAGE, TIMEOUT_S)
        other = (await port.identity(TIMEOUT_S)).fingerprint
        await port.aclose()
    whole = exact("文🍵: " + LONG)
    assert counts is not None
    assert counts[0] == TokenCount(whole.count, WINDOW, True, whole.window_end_char - len("文🍵: "))
    assert (counts[1].truncated, counts[1].window_end_char) == (False, 8)
    async with serve("tei") as server:
        port = port_of(server, "tei")
        assert (await port.identity(TIMEOUT_S)).fingerprint != other
        await port.aclose()


async def test_the_identity_names_the_model_and_its_window(any_server: AnyServer) -> None:
    kind, _, port = any_server
    identity = await port.identity(TIMEOUT_S)
    assert identity == await port.identity(TIMEOUT_S)
    assert identity.name == ("bge-m3-q8_0.gguf" if kind == "llamacpp" else MODEL)
    assert (identity.dimensions, identity.window) == (4, None if kind == "openai" else WINDOW)


async def test_a_server_without_tokens_counts_nothing() -> None:
    async with serve("openai") as server:
        port = port_of(server, "openai")
        assert await port.count(["The pot."], Side.PASSAGE, TIMEOUT_S) is None
        embedded = await port.embed(["The pot."], Side.PASSAGE, TIMEOUT_S, with_counts=True)
        await port.aclose()
    assert embedded.counts is None


async def test_llamacpp_without_a_window_takes_the_context_and_then_says_what_is_too_small() -> None:
    async with serve("llamacpp") as server:
        port = port_of(server, "llamacpp", window=0)
        assert (await port.identity(TIMEOUT_S)).window == LLAMA_CONTEXT
        fits_the_context = "door " * 40
        assert WINDOW < count_tokens(fits_the_context) <= LLAMA_CONTEXT
        with pytest.raises(EmbeddingRejectedError, match=rf"\(-ub\) has {WINDOW}") as refused:
            await port.embed(["The pot.", fits_the_context], Side.PASSAGE, TIMEOUT_S)
        await port.aclose()
    assert refused.value.index == 1 and "door" not in str(refused.value)


def test_of_the_500s_of_llamacpp_one_is_a_refusal() -> None:
    reason = b'{"error":{"code":500,"message":"input (734 tokens) is too large to process. increase the physical batch'
    refusal = read_llama_refusal(500, reason + b' size (current batch size: 512)","type":"server_error"}}')
    assert refusal is not None and refusal.status == 413
    assert str(refusal) == "status 500: an input of 734 tokens, the physical batch (-ub) has 512"
    assert read_llama_refusal(500, b'{"error":{"code":500,"message":"the current context"}}') is None
    assert read_llama_refusal(503, reason) is None


async def test_llamacpp_that_tells_nothing_is_of_unknown_window() -> None:
    async def closed(request: Request) -> web.StreamResponse:
        if request.route == "props":
            return web.json_response({"error": {"code": 501, "message": "not supported"}}, status=501)
        return await KINDS["llamacpp"](request)

    async with serve("llamacpp", closed) as server:
        port = port_of(server, "llamacpp", window=0)
        assert await port.count(["The pot."], Side.PASSAGE, TIMEOUT_S) is None
        assert (await port.identity(TIMEOUT_S)).window is None
        await port.aclose()


async def test_a_batch_is_of_the_size_that_the_server_names() -> None:
    async with serve("tei") as server:
        port = port_of(server, "tei")
        await port.embed(["The pot."] * 10, Side.PASSAGE, TIMEOUT_S, with_counts=True)
        await port.aclose()
    sizes = [len(request.body["inputs"]) for request in server.requests if request.route == "embed"]
    assert sizes == [TEI_BATCH, TEI_BATCH, 2]
    assert all(request.body["truncate"] is False for request in server.requests if request.route == "embed")


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
        says([[{"id": 5, "special": False, "stop": 1}, {"id": 5, "special": False, "stop": 0}]]),
        says([["a"]]),
        says({"count": True, "max_model_len": 8}),
        says({"count": 3, "max_model_len": 0}),
        says({"tokens": 3}),
    ],
    ids=range(8),
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


async def test_a_token_is_sent_to_every_route(any_server: AnyServer) -> None:
    kind, server, _ = any_server
    port = port_of(server, kind, token="s3cret")
    await port.identity(TIMEOUT_S)
    await port.embed(["a"], Side.QUERY, TIMEOUT_S, with_counts=True)
    await port.aclose()
    assert {request.headers.get("authorization") for request in server.requests} == {"Bearer s3cret"}


@pytest.mark.parametrize("kind", [*KINDS, "cembedding"])
async def test_a_tokenizer_at_hand_counts_for_any_server(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    toy_tokenizer().save(str(path))
    async with serve("tei" if kind == "cembedding" else kind) as server:
        if kind == "cembedding":
            server.always = honest
        port = port_of(server, kind, tokenizer=str(path), window=WINDOW)
        texts = list(TEXTS.values())
        counts = await port.count(texts, Side.PASSAGE, TIMEOUT_S)
        embedded = await port.embed([LONG], Side.PASSAGE, TIMEOUT_S, with_counts=True)
        window = (await port.identity(TIMEOUT_S)).window
        await port.aclose()
    assert counts == tuple(exact(text) for text in texts) and window == WINDOW
    assert embedded.counts == (exact(LONG),)
    assert not [request for request in server.requests if request.route == "count_tokens"]
