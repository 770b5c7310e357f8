"""An embedding server on loopback that does what a test tells it, right or wrong."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

WINDOW = 12
DIMENSIONS = 4

Answer = Callable[["Request"], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    route: str
    query: str
    headers: dict[str, str]
    body: dict[str, Any]
    size_bytes: int

    @property
    def texts(self) -> list[str]:
        return self.body["texts"]


def vector_of(text: str) -> list[float]:
    """A vector that tells texts apart and is not of unit length."""
    return [float(len(text)), float(sum(map(ord, text)) % 97), 1.0, -2.0]


def token_info_of(text: str) -> dict[str, Any]:
    """One token a code point and two special ones."""
    count = len(text) + 2
    truncated = count > WINDOW
    return {
        "count": count,
        "window": WINDOW,
        "truncated": truncated,
        "window_end_char": WINDOW - 2 if truncated else len(text),
    }


async def honest(request: Request) -> web.StreamResponse:
    """Answer as the contract says."""
    if request.route == "capabilities":
        identity = {"provider": "test", "model": "liar", "dimensions": DIMENSIONS, "window": WINDOW}
        return web.json_response({"identity": identity, "incomplete": [], "fingerprint": "1:abc"})
    info = [token_info_of(text) for text in request.texts]
    if request.route == "count_tokens":
        return web.json_response({"token_info": info})
    vectors = [vector_of(text) for text in request.texts]
    answer: dict[str, Any] = {"embeddings": vectors, "dimensions": DIMENSIONS}
    return web.json_response(answer | ({"token_info": info} if request.body.get("token_info") else {}))


def says(answer: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """Answer with this JSON, or with this text as it is."""
    text = answer if isinstance(answer, str) else json.dumps(answer)

    async def respond(_: Request) -> web.StreamResponse:
        return web.Response(text=text, status=status, headers=headers, content_type="application/json")

    return respond


async def hangs(_: Request) -> web.StreamResponse:
    """Never answer."""
    await asyncio.sleep(60)
    return web.Response()


@dataclass
class LyingServer:
    """The server's address, its script, and what it was asked; a spent script is honesty."""

    url: str = ""
    script: list[Answer] = field(default_factory=list)
    always: Answer = honest
    requests: list[Request] = field(default_factory=list)

    async def handle(self, incoming: web.Request) -> web.StreamResponse:
        raw = await incoming.read()
        body = json.loads(raw) if raw else {}
        headers = {key.lower(): value for key, value in incoming.headers.items()}
        route = incoming.path.rpartition("/")[2]
        request = Request(route, incoming.query_string, headers, body, len(raw))
        self.requests.append(request)
        answer = self.script.pop(0) if self.script else self.always
        return await answer(request)


@asynccontextmanager
async def lying_server() -> AsyncIterator[LyingServer]:
    """Serve on a free port of loopback."""
    server = LyingServer()
    app = web.Application(client_max_size=1024**2)
    app.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1/embed?tenant=a"
    try:
        yield server
    finally:
        await runner.cleanup()
