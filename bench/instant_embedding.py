"""An embedding server of the CEmbedding contract that takes no time: what is measured around it is the service.

The vectors are those of `topics`: a question lies near the records of its topic.
"""

from types import TracebackType
from typing import Self

from aiohttp import web

from topics import DIMENSIONS, vectors

WINDOW = 512
_CHARS_PER_TOKEN = 4


def _count(text: str) -> dict[str, int | bool]:
    count = len(text) // _CHARS_PER_TOKEN + 2
    end = min(len(text), (WINDOW - 2) * _CHARS_PER_TOKEN)
    return {"count": count, "window": WINDOW, "truncated": count > WINDOW, "window_end_char": end}


async def _embed(request: web.Request) -> web.Response:
    body = await request.json()
    answer: dict[str, object] = {"embeddings": vectors(body["texts"]).tolist(), "dimensions": DIMENSIONS}
    if body.get("token_info"):
        answer["token_info"] = [_count(text) for text in body["texts"]]
    return web.json_response(answer)


async def _count_tokens(request: web.Request) -> web.Response:
    body = await request.json()
    return web.json_response({"token_info": [_count(text) for text in body["texts"]]})


async def _capabilities(_: web.Request) -> web.Response:
    identity = {
        "provider": "bench",
        "model": "instant",
        "dimensions": DIMENSIONS,
        "window": WINDOW,
        "pooling": "none",
        "normalized": True,
        "digests": {"graph": "0", "tokenizer": "0"},
    }
    return web.json_response({"identity": identity, "incomplete": [], "fingerprint": "1:instant"})


class InstantEmbedding:
    """The server on a free loopback port; its time of answering is measured by `embed_ms` of the benchmark."""

    def __init__(self) -> None:
        app = web.Application(client_max_size=16 * 1024 * 1024)
        app.router.add_post("/embed", _embed)
        app.router.add_post("/count_tokens", _count_tokens)
        app.router.add_get("/capabilities", _capabilities)
        self._runner = web.AppRunner(app)
        self.url = ""

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/embed"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._runner.cleanup()
