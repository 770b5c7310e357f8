"""A cross-encoder on loopback with the /rerank route of text-embeddings-inference; it lies when a test tells it to."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Answer = Callable[[dict[str, Any]], Awaitable[web.StreamResponse]]


def score_of(query: str, text: str) -> float:
    """How many words of the question the text holds."""
    return float(len(set(query.lower().split()) & set(text.lower().strip(".").split())))


async def honest(body: dict[str, Any]) -> web.StreamResponse:
    """Scores each text, best first, as the server does."""
    scored = [{"index": n, "score": score_of(body["query"], text)} for n, text in enumerate(body["texts"])]
    return web.json_response(sorted(scored, key=lambda one: -one["score"]))


def says(answer: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """Answers this JSON; a text is sent as it is."""
    text = answer if isinstance(answer, str) else json.dumps(answer)

    async def respond(_: dict[str, Any]) -> web.StreamResponse:
        return web.Response(text=text, status=status, headers=headers, content_type="application/json")

    return respond


def takes_at_most(texts: int) -> Answer:
    """Honest to batches of so many texts; a larger one is refused, as by a server with a smaller bound."""

    async def respond(body: dict[str, Any]) -> web.StreamResponse:
        if len(body["texts"]) > texts:
            return web.json_response({"error": "batch size", "error_type": "Validation"}, status=413)
        return await honest(body)

    return respond


async def hangs(_: dict[str, Any]) -> web.StreamResponse:
    """Never answers."""
    await asyncio.sleep(60)
    return web.Response()


@dataclass
class FakeReranker:
    """The server's address, its script (a spent one is `always`), and what it was sent."""

    url: str = ""
    script: list[Answer] = field(default_factory=list)
    always: Answer = honest
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    async def handle(self, incoming: web.Request) -> web.StreamResponse:
        body = json.loads(await incoming.read())
        self.bodies.append(body)
        self.headers.append({key.lower(): value for key, value in incoming.headers.items()})
        answer = self.script.pop(0) if self.script else self.always
        return await answer(body)


@asynccontextmanager
async def fake_reranker() -> AsyncIterator[FakeReranker]:
    """Serves on a free port of loopback."""
    server = FakeReranker()
    app = web.Application(client_max_size=2 * 1024**2)
    app.router.add_post("/rerank", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/rerank"
    try:
        yield server
    finally:
        await runner.cleanup()
