"""The embedding server of the chaos run: deterministic, and made to fail in the ways of real ones.

Each worker asks it by an address of its own (/w3/embed), so that a text that takes workers down takes down the one that
asked. The recall service's address (/recall/embed) fails like the others, and takes nobody down.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from enum import Enum
from hashlib import blake2b
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from chaos_texts import POISON

WINDOW: Final = 96
DIMENSIONS: Final = 32
RECALL: Final = "recall"
_SPECIALS: Final = 2
_TOKEN: Final = re.compile(r"[^\W\d_]{1,5}|\d{1,3}|\S")
_BATCH_S: Final = 0.15
_HANG_S: Final = 8.0


class Mood(Enum):
    """What the server does with a request."""

    HONEST = "honest"
    BUSY = "busy"
    HANGING = "hanging"
    SHORT = "short"
    NAN = "nan"
    WIDE = "wide"


def count(text: str) -> dict[str, Any]:
    """The token report of a text. A word is cut into pieces from its own start, so that a part of it counts anew."""
    ends = [match.end() for match in _TOKEN.finditer(text)]
    tokens = len(ends) + _SPECIALS
    end = len(text) if tokens <= WINDOW else ends[WINDOW - _SPECIALS - 1]
    return {"count": tokens, "window": WINDOW, "truncated": tokens > WINDOW, "window_end_char": end}


def vector(text: str) -> NDArray[np.float64]:
    """The unit vector of what the window holds of a text, (DIMENSIONS,)."""
    digest = blake2b(text[: count(text)["window_end_char"]].encode(), digest_size=DIMENSIONS)
    values = np.frombuffer(digest.digest(), np.uint8).astype(np.float64) - 127.5
    return values / np.linalg.norm(values)


class ChaosEmbedding:
    """The server on a free loopback port; `mood` may change at any time.

    Attributes:
        mood: What it does with whatever it is asked now.
        on_poison: Called with the name of whoever asks for the vector of a poisoned text.
        refused, lied: Answers so far that were an error, and that were false.
    """

    def __init__(self) -> None:
        self.mood = Mood.HONEST
        self.on_poison: Callable[[str], None] = lambda _: None
        self.refused = 0
        self.lied = 0
        self._busy = Counter[str]()
        app = web.Application(client_max_size=16 * 1024 * 1024)
        app.router.add_post("/{who}/embed", self._embed)
        app.router.add_post("/{who}/count_tokens", self._count_tokens)
        app.router.add_get("/{who}/capabilities", self._capabilities)
        self._runner = web.AppRunner(app, shutdown_timeout=1, access_log=None)
        self._port = 0

    def url(self, who: str) -> str:
        """The address of `who`."""
        return f"http://127.0.0.1:{self._port}/{who}/embed"

    def is_asked_by(self, who: str) -> bool:
        """Whether `who` waits for vectors now."""
        return self._busy[who] > 0

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def _embed(self, request: web.Request) -> web.Response:
        body, who = await _body(request), request.match_info["who"]
        texts: list[str] = body["texts"]
        if who != RECALL:
            self._busy[who] += 1
            try:
                await asyncio.sleep(_BATCH_S)
            finally:
                self._busy[who] -= 1
            if any(POISON in text for text in texts):
                self.on_poison(who)
                raise web.HTTPServiceUnavailable  # nobody is left to read it
        if (refusal := await self._refuse()) is not None:
            return refusal
        vectors = [vector(text).tolist() for text in texts]
        if self.mood in {Mood.SHORT, Mood.NAN, Mood.WIDE}:
            self.lied += 1
        match self.mood:
            case Mood.SHORT:
                vectors.pop()
            case Mood.NAN:
                vectors[-1][0] = float("nan")
            case Mood.WIDE:
                vectors = [[*one, 0.0] for one in vectors]
            case _:
                pass
        answer: dict[str, Any] = {"embeddings": vectors, "dimensions": len(vectors[0]) if vectors else DIMENSIONS}
        if body.get("token_info"):
            answer["token_info"] = [count(text) for text in texts]
        return web.json_response(answer)

    async def _count_tokens(self, request: web.Request) -> web.Response:
        reports = [count(text) for text in (await _body(request))["texts"]]
        if (refusal := await self._refuse()) is not None:
            return refusal
        if self.mood is Mood.SHORT:
            self.lied += 1
            reports.pop()
        return web.json_response({"token_info": reports})

    async def _capabilities(self, _: web.Request) -> web.Response:
        if (refusal := await self._refuse()) is not None:
            return refusal
        identity: dict[str, Any] = {
            "provider": "bench",
            "model": "chaos",
            "dimensions": DIMENSIONS,
            "window": WINDOW,
            "pooling": "none",
            "normalized": True,
            "digests": {"graph": "0", "tokenizer": "0"},
        }
        return web.json_response({"identity": identity, "incomplete": [], "fingerprint": "1:chaos"})

    async def _refuse(self) -> web.Response | None:
        """The answer of a server that does nothing of what it is asked; None when it does."""
        if self.mood not in {Mood.BUSY, Mood.HANGING}:
            return None
        self.refused += 1
        if self.mood is Mood.BUSY:
            return web.json_response({"error": "too many requests"}, status=429, headers={"Retry-After": "1"})
        await asyncio.sleep(_HANG_S)
        return web.json_response({"error": "too late"}, status=503)


async def _body(request: web.Request) -> dict[str, Any]:
    """The JSON of a request; whoever is killed while it sends one gets no answer."""
    try:
        return await request.json()
    except ConnectionError as error:
        raise web.HTTPBadRequest from error
