"""The adapters to servers that are not of the CEmbedding contract, against a real socket."""

from pathlib import Path

import numpy as np
import pytest
from aiohttp import web

from rensou_shared.embedding.errors import (
    EmbeddingRejectedError,
)
from rensou_shared.embedding.port import Side, TokenCount
from rensou_shared.embedding.prefix_counters import read_llama_refusal
from rensou_shared.embedding.tei import TeiInfo, parse_tokens
from tests.unit.adapter_ports import LONG, TEXTS, TIMEOUT_S, AnyServer, any_server, counting, exact, port_of
from tests.unit.lying_embedding_server import Request, honest, vector_of
from tests.unit.real_embedding_servers import KINDS, LLAMA_CONTEXT, MODEL, TEI_BATCH, WINDOW, serve, tei
from tests.unit.toy_tokenizer import count_tokens, toy_tokenizer

__all__ = ["any_server", "counting"]


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


@pytest.mark.parametrize("places", [[(0, 1), (1, 5), (1, 5), (1, 5), (1, 5)], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]])
@pytest.mark.parametrize("window", range(1, 6))
def test_a_character_that_tokens_share_is_read_when_all_of_them_are(places: list[tuple[int, int]], window: int) -> None:
    tokens = [{"special": False, "start": start, "stop": stop} for start, stop in places]
    count = parse_tokens(tokens, "a🍵", TeiInfo("m", None, "f16", window, 4, 0), 0)
    assert count == TokenCount(5, window, window < 5, 2 if window == 5 else 1)


async def test_counts_come_with_the_vectors(counting: AnyServer) -> None:
    _, _, port = counting
    texts = ["The pot.", LONG, "The mat."]
    embedded = await port.embed(texts, Side.PASSAGE, TIMEOUT_S, with_counts=True)
    assert embedded.counts == await port.count(texts, Side.PASSAGE, TIMEOUT_S)
    assert embedded.counts is not None and [count.truncated for count in embedded.counts] == [False, True, False]


@pytest.mark.parametrize("text", [LONG, "🍵" * 20, "x " * 10 + "🫖" * 20, "㍿" * 40], ids=range(4))
async def test_a_text_past_the_window_is_embedded_by_its_beginning(counting: AnyServer, text: str) -> None:
    _, _, port = counting
    embedded = await port.embed(["The pot.", text], Side.PASSAGE, TIMEOUT_S, with_counts=True)
    assert embedded.counts is not None
    beginning = text[: embedded.counts[1].window_end_char]
    assert count_tokens(beginning) <= WINDOW
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
    assert read_llama_refusal(500, b'{"error":{"code":500,"message":"input is too large to process."}}') is not None


@pytest.mark.parametrize("comma", ["", ","], ids=["period", "comma"])
async def test_a_build_of_llamacpp_that_names_no_numbers_refuses_a_text_all_the_same(comma: str) -> None:
    message = f"input is too large to process{comma or '.'} {'please ' * bool(comma)}increase the physical batch size"

    async def older(request: Request) -> web.StreamResponse:
        if request.route == "embeddings" and max(map(count_tokens, request.body["input"])) > WINDOW:
            return web.json_response({"error": {"code": 500, "message": message, "type": "server_error"}}, status=500)
        return await KINDS["llamacpp"](request)

    async with serve("llamacpp", older) as server:
        port = port_of(server, "llamacpp")
        embedded = await port.embed(["The pot.", LONG], Side.PASSAGE, TIMEOUT_S)
        await port.aclose()
        unaware = port_of(server, "llamacpp", window=0)
        with pytest.raises(EmbeddingRejectedError, match="past the physical batch") as refused:
            await unaware.embed(["The pot.", "door " * 40], Side.PASSAGE, TIMEOUT_S)
        await unaware.aclose()
    assert embedded.vectors.shape == (2, 4) and refused.value.index == 1


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
