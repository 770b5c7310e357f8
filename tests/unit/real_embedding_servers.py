"""Servers on loopback that answer as text-embeddings-inference, vLLM and llama.cpp do, their errors included.

The tokens are those of `toy_tokenizer`; a text past the window is refused, as each of them refuses it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tests.unit.lying_embedding_server import Answer, LyingServer, Request, lying_server, vector_of
from tests.unit.toy_tokenizer import byte_spans, count_tokens, toy_tokenizer

WINDOW = 32
MODEL = "BAAI/bge-m3"
TEI_BATCH = 4
LLAMA_CONTEXT = 64


def tei(default_prompt: str = "") -> Answer:
    """What text-embeddings-inference answers; it puts `default_prompt` before every text."""

    async def answer(request: Request) -> web.StreamResponse:
        if request.route == "info":
            return web.json_response(_TEI_INFO)
        inputs: list[str] = request.body["inputs"]
        if len(inputs) > TEI_BATCH:
            return _tei_error(422, f"batch size {len(inputs)} > maximum allowed batch size {TEI_BATCH}", "Validation")
        prompted = [default_prompt + text for text in inputs]
        if request.route == "tokenize":
            return web.json_response([_tei_tokens(text) for text in prompted])
        longest = max(map(count_tokens, prompted))
        if longest > WINDOW and not request.body["truncate"]:
            reason = f"`inputs` must have less than {WINDOW} tokens. Given: {longest}"
            return _tei_error(422, reason, "Validation")
        return web.json_response([vector_of(text) for text in prompted])

    return answer


def _tei_error(status: int, error: str, error_type: str) -> web.Response:
    return web.json_response({"error": error, "error_type": error_type}, status=status)


def _tei_tokens(text: str) -> list[dict[str, Any]]:
    encoding = toy_tokenizer().encode(text, add_special_tokens=False)
    first = {"id": 0, "text": "<s>", "special": True, "start": None, "stop": None}
    last = {"id": 1, "text": "</s>", "special": True, "start": None, "stop": None}
    content = [
        # The server slices `text` by its bytes as if they were characters: nothing to rely on.
        {"id": token_id, "text": text[start:stop], "special": False, "start": start, "stop": stop}
        for token_id, (start, stop) in zip(encoding.ids, byte_spans(text), strict=True)
    ]
    return [first, *content, last]


_TEI_INFO = {
    "model_id": MODEL,
    "model_sha": "5617a9f61b028005a4858fdac845db406aefb181",
    "model_dtype": "float16",
    "model_type": {"embedding": {"pooling": "cls"}},
    "max_concurrent_requests": 512,
    "max_input_length": WINDOW,
    "max_batch_tokens": 16384,
    "max_batch_requests": None,
    "max_client_batch_size": TEI_BATCH,
    "auto_truncate": True,
    "tokenization_workers": 2,
    "version": "1.8.0",
    "sha": None,
    "docker_label": None,
}


async def vllm(request: Request) -> web.StreamResponse:
    """What vLLM answers."""
    if request.route == "models":
        model = {"id": MODEL, "object": "model", "created": 1, "owned_by": "vllm", "max_model_len": WINDOW}
        return web.json_response({"object": "list", "data": [model]})
    if request.body["model"] != MODEL:
        return _openai_error(404, f"The model `{request.body['model']}` does not exist.", "NotFoundError")
    if request.route == "tokenize":
        ids = toy_tokenizer().encode(request.body["prompt"]).ids
        answer = {"count": len(ids), "max_model_len": WINDOW, "tokens": ids, "token_strs": None}
        return web.json_response(answer)
    for text in request.body["input"]:
        if (count := count_tokens(text)) > WINDOW:
            reason = (
                f"This model's maximum context length is {WINDOW} tokens. However, you requested {count} tokens in "
                "the input for embedding generation. Please reduce the length of the input."
            )
            return _openai_error(400, reason, "BadRequestError")
    return web.json_response(_openai_answer(request.body["input"]))


async def llamacpp(request: Request) -> web.StreamResponse:
    """What llama.cpp's server answers, its context larger than its physical batch."""
    if request.route == "props":
        props = {
            "default_generation_settings": {"id": 0, "n_ctx": LLAMA_CONTEXT, "params": {}},
            "total_slots": 1,
            "model_path": "/models/bge-m3-q8_0.gguf",
            "build_info": "b6500-a1b2c3d4",
        }
        return web.json_response(props)
    if request.route == "tokenize":
        assert request.body["add_special"] is True and request.body["parse_special"] is False
        return web.json_response({"tokens": toy_tokenizer().encode(request.body["content"]).ids})
    for text in request.body["input"]:
        if (count := count_tokens(text)) > WINDOW:
            reason = (
                f"input ({count} tokens) is too large to process. increase the physical batch size "
                f"(current batch size: {WINDOW})"
            )
            return web.json_response({"error": {"code": 500, "message": reason, "type": "server_error"}}, status=500)
    return web.json_response(_openai_answer(request.body["input"]))


async def openai(request: Request) -> web.StreamResponse:
    """What a server of /v1/embeddings alone answers."""
    if request.route != "embeddings":
        return _openai_error(404, "Invalid URL", "invalid_request_error")
    return web.json_response(_openai_answer(request.body["input"]))


def _openai_error(status: int, message: str, kind: str) -> web.Response:
    error = {"message": message, "type": kind, "param": None, "code": status}
    return web.json_response({"error": error}, status=status)


def _openai_answer(texts: list[str]) -> dict[str, Any]:
    data = [{"object": "embedding", "index": index, "embedding": vector_of(text)} for index, text in enumerate(texts)]
    tokens = sum(map(count_tokens, texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    # No order is promised.
    return {"object": "list", "data": data[::-1], "model": MODEL, "usage": usage}


KINDS = {"tei": tei(), "vllm": vllm, "llamacpp": llamacpp, "openai": openai}


@asynccontextmanager
async def serve(kind: str, always: Answer | None = None) -> AsyncIterator[LyingServer]:
    """A server of a kind; its `url` is the route that embeds, and its script comes first, as of any lying server."""
    async with lying_server() as server:
        server.always = always or KINDS[kind]
        if kind != "tei":
            server.url = server.url.replace("/embed?", "/embeddings?")
        yield server
