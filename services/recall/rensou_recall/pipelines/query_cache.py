"""Vectors of questions that were asked before, and one embedding call for equal questions that are asked at once."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray
from prometheus_client import Counter

from rensou_shared.embedding.errors import EmbeddingUnavailableError

Vector = NDArray[np.float32]
# Embeds the question within the seconds that it is given, or raises an EmbeddingError.
EmbedQuestion = Callable[[str, float], Awaitable[Vector]]

# Vectors kept: 1,024 of 1,024 dimensions are 4 MB.
CACHED_QUESTIONS = 1_024

LOOKUPS = Counter(
    "rensou_query_cache_lookups",
    "Questions by where their vector came from: hit (kept), shared (another call's embedding), miss (embedded).",
    ["result"],
)


@dataclass(frozen=True, slots=True)
class _Flight:
    """An embedding call in progress, which gives up at `deadline_at` (the loop's clock)."""

    task: asyncio.Task[Vector]
    deadline_at: float


class QueryCache:
    """Vectors of the side QUERY under one model, by exact text; the least recently used one goes first.

    A text's vector under a model never changes, so that nothing here grows old; another model's questions begin from
    nothing. Texts are not kept, only their digests. What comes from here says nothing about the server's health.
    """

    def __init__(self, capacity: int = CACHED_QUESTIONS) -> None:
        self._capacity = capacity
        self._fingerprint: str | None = None
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        self._flights: dict[bytes, _Flight] = {}

    def __len__(self) -> int:
        return len(self._vectors)

    def clear(self) -> None:
        """Forgets every vector; what is still on its way is given to its callers and not kept."""
        self._fingerprint = None
        self._vectors = OrderedDict()
        self._flights = {}

    def kept(self, fingerprint: str, text: str) -> Vector | None:
        """The vector, read-only, when it is at hand; counts a hit."""
        key = _key(fingerprint, text)
        vector = self._vectors.get(key) if fingerprint == self._fingerprint else None
        if vector is not None:
            self._vectors.move_to_end(key)
            LOOKUPS.labels("hit").inc()
        return vector

    async def vector(self, fingerprint: str, text: str, timeout_s: float, embed: EmbedQuestion) -> Vector:
        """The vector of `text`, read-only: kept, or of an equal question's call in progress, or of one of its own.

        A caller that leaves does not take the call from the others, and no caller waits beyond `timeout_s`; one whose
        time is longer than that of the call that it joined asks again in what is left.

        Raises:
            EmbeddingError: As `embed` does.
        """
        if fingerprint != self._fingerprint:
            self.clear()
            self._fingerprint = fingerprint
        key, deadline_at = _key(fingerprint, text), asyncio.get_running_loop().time() + timeout_s
        while (vector := self.kept(fingerprint, text)) is None:
            flight = self._flights.get(key)
            if flight is None:
                LOOKUPS.labels("miss").inc()
                return await asyncio.shield(self._take_off(key, text, deadline_at, embed))
            vector = await _join(flight, deadline_at)
            if vector is not None:
                LOOKUPS.labels("shared").inc()
                break
        return vector

    def _take_off(self, key: bytes, text: str, deadline_at: float, embed: EmbedQuestion) -> asyncio.Task[Vector]:
        """A call of its own task: it ends by its own time, whoever still waits for it."""
        task = asyncio.create_task(self._embed_and_keep(key, text, deadline_at, embed))
        # One that nobody waits for any more may fail without a word: its outcome is counted where the server is asked.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._flights[key] = _Flight(task, deadline_at)
        return task

    async def _embed_and_keep(self, key: bytes, text: str, deadline_at: float, embed: EmbedQuestion) -> Vector:
        vectors, flights = self._vectors, self._flights
        try:
            vector = np.array(await embed(text, deadline_at - asyncio.get_running_loop().time()), np.float32)
        finally:
            flights.pop(key, None)
        vector.flags.writeable = False
        # After `clear` these are no longer the cache's own.
        vectors[key] = vector
        while len(vectors) > self._capacity:
            vectors.popitem(last=False)
        return vector


def _key(fingerprint: str, text: str) -> bytes:
    return sha256(f"{fingerprint}\0{text}".encode()).digest()


async def _join(flight: _Flight, deadline_at: float) -> Vector | None:
    """What the call in progress gives; None when its time was over before ours.

    Raises:
        EmbeddingError: The call failed before its time, or ours was over first.
    """
    clock = asyncio.get_running_loop().time
    await asyncio.wait({flight.task}, timeout=max(deadline_at - clock(), 0.0))
    if not flight.task.done():
        raise EmbeddingUnavailableError("the embedding server did not answer in time")
    if flight.task.exception() is not None and flight.deadline_at <= clock() < deadline_at:
        return None
    return flight.task.result()
