"""An embedding server of the CEmbedding contract that takes no time, or a fixed one: the rest is the service's.

The vectors are those of `topics`: a question lies near the records of its topic.
"""

import asyncio
from types import TracebackType
from typing import Self

from aiohttp import web

from topics import DIMENSIONS, vectors

WINDOW = 512
_CHARS_PER_TOKEN = 4


def _count(text: str, fits: bool) -> dict[str, int | bool]:
    if fits:
        return {"count": 2, "window": WINDOW, "truncated": False, "window_end_char": len(text)}
    count = len(text) // _CHARS_PER_TOKEN + 2
    end = min(len(text), (WINDOW - 2) * _CHARS_PER_TOKEN)
    return {"count": count, "window": WINDOW, "truncated": count > WINDOW, "window_end_char": end}


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
    """The server on a free loopback port; its time of answering is measured by `embed_ms` of the benchmark.

    Attributes:
        batch_s: How long it takes over each request to embed, however many texts are in it; several go on at once.
        fits: Whether it says of every text that it fits the window, for the sake of comparison.
        batches: How many requests to embed it has answered.
    """

    def __init__(self) -> None:
        self.batch_s = 0.0
        self.fits = False
        self.batches = 0
        app = web.Application(client_max_size=16 * 1024 * 1024)
        app.router.add_post("/embed", self._embed)
        app.router.add_post("/count_tokens", self._count_tokens)
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

    async def _embed(self, request: web.Request) -> web.Response:
        body = await request.json()
        if self.batch_s:
            await asyncio.sleep(self.batch_s)
        self.batches += 1
        answer: dict[str, object] = {"embeddings": vectors(body["texts"]).tolist(), "dimensions": DIMENSIONS}
        if body.get("token_info"):
            answer["token_info"] = [_count(text, self.fits) for text in body["texts"]]
        return web.json_response(answer)

    async def _count_tokens(self, request: web.Request) -> web.Response:
        body = await request.json()
        return web.json_response({"token_info": [_count(text, self.fits) for text in body["texts"]]})
