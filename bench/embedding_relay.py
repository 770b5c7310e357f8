"""The bundled embedding server, and a relay before it that keeps what was embedded and how long that took.

One relay serves everybody whom a benchmark compares, so that all of them work on the same vectors and the time that
each call spent on embedding is known and not estimated.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from rensou_embedded.console import Console
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, Part, StackOptions

_MAX_BODY_BYTES = 16 * 1024 * 1024
_BATCH = 32
_TIMEOUT_S = 120
PASSAGE, QUERY = "passage", "query"


class EmbeddingRelay:
    """Passes calls on to `upstream` (ends in /embed).

    `default_side` is what a call without a side is given: a client that knows no sides is told so which one it is on.
    With `replays`, a text that was embedded before is answered from memory.
    """

    def __init__(self, upstream: str, token: str, *, replays: bool = False) -> None:
        self._upstream = upstream
        self._headers = {"Authorization": f"Bearer {token}"}
        self._replays = replays
        self._vectors: dict[tuple[str, str], list[float]] = {}
        self._session: aiohttp.ClientSession | None = None
        self.default_side = PASSAGE
        self.spent_ms = 0.0
        self.url = ""

    async def embed(self, texts: Sequence[str], side: str) -> NDArray[np.float32]:
        """A unit vector for each text, in order; asks only for what has not passed by yet."""
        missing = list(dict.fromkeys(text for text in texts if (side, text) not in self._vectors))
        for start in range(0, len(missing), _BATCH):
            await self._ask({"texts": missing[start : start + _BATCH], "side": side})
        return np.array([self._vectors[side, text] for text in texts], dtype=np.float32)

    def keep(self, texts: Sequence[str], side: str, vectors: Sequence[list[float]]) -> None:
        """Take `vectors` for what the model would say of `texts`."""
        self._vectors.update(zip([(side, text) for text in texts], vectors, strict=True))

    async def _ask(self, body: dict[str, Any]) -> tuple[int, bytes]:
        assert self._session is not None
        async with self._session.post(self._upstream, json=body, headers=self._headers) as answer:
            status, content = answer.status, await answer.read()
        if status == web.HTTPOk.status_code:
            texts, side = body["texts"], body["side"]
            self._vectors.update(zip([(side, text) for text in texts], json.loads(content)["embeddings"], strict=True))
        return status, content

    async def _embed(self, request: web.Request) -> web.Response:
        started = time.perf_counter()
        body = {"side": self.default_side} | await request.json()
        status, content = await (self._replay(body) if self._replays else self._ask(body))
        self.spent_ms += (time.perf_counter() - started) * 1000
        return web.Response(status=status, body=content, content_type="application/json")

    async def _replay(self, body: dict[str, Any]) -> tuple[int, bytes]:
        known = [self._vectors.get((body["side"], text)) for text in body["texts"]]
        if not all(known):
            return await self._ask(body)
        answer: dict[str, object] = {"embeddings": known, "dimensions": len(known[0] or ())}
        if body.get("token_info"):
            status, content = await self._count(body["texts"])
            if status != web.HTTPOk.status_code:
                return status, content
            answer |= json.loads(content)
        return web.HTTPOk.status_code, json.dumps(answer).encode()

    async def _count(self, texts: list[str]) -> tuple[int, bytes]:
        assert self._session is not None
        url = self._upstream.removesuffix("/embed") + "/count_tokens"
        async with self._session.post(url, json={"texts": texts}, headers=self._headers) as answer:
            return answer.status, await answer.read()

    async def _pass_on(self, request: web.Request) -> web.Response:
        assert self._session is not None
        url = self._upstream.removesuffix("/embed") + request.path
        body = await request.read()
        async with self._session.request(request.method, url, data=body or None, headers=self._headers) as answer:
            return web.Response(status=answer.status, body=await answer.read(), content_type="application/json")

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Serves on a free loopback port, named by `url`."""
        app = web.Application(client_max_size=_MAX_BODY_BYTES)
        app.router.add_post("/embed", self._embed)
        app.router.add_route("*", "/{other}", self._pass_on)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/embed"
        timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
        try:
            async with aiohttp.ClientSession(timeout=timeout) as self._session:
                yield
        finally:
            await runner.cleanup()


@asynccontextmanager
async def relayed_stack(folder: Path, *, replays: bool = False) -> AsyncIterator[tuple[EmbeddedStack, EmbeddingRelay]]:
    """A fresh stack in `folder` that embeds through a relay before the bundled model.

    Raises:
        StackError: Something is in the way.
    """
    environ = clean_environ(os.environ)
    options = StackOptions(folder / "model", environ, frozenset({Part.EMBEDDING}), grpc_port=0)
    model = EmbeddedStack(options, Console())
    await model.start()
    try:
        relay = EmbeddingRelay(model.embedding_url, model.embedding_token, replays=replays)
        async with relay.serving():
            stack = EmbeddedStack(
                StackOptions(folder / "stack", environ, grpc_port=0, embedding_url=relay.url), Console()
            )
            await stack.start()
            try:
                yield stack, relay
            finally:
                await stack.stop()
    finally:
        await asyncio.shield(model.stop())
