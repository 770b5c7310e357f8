"""An embedding server and a counter of tokens as one port, which cuts texts to the window itself."""

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol, Self

import numpy as np

from rensou_shared.embedding.address import Prefixes
from rensou_shared.embedding.calls import without_prefix
from rensou_shared.embedding.errors import EmbeddingRejectedError, EmbeddingUnavailableError
from rensou_shared.embedding.identity import fingerprint_of
from rensou_shared.embedding.port import Embedded, ModelIdentity, Side, TokenCount

_MAX_CUTS: Final = 3


class VectorServer(Protocol):
    """A server that embeds. It puts its prefixes before texts itself, and need not count nor cut."""

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float) -> Embedded:
        """Return one vector for each text; see `EmbeddingPort.embed`."""
        ...

    async def identity(self, timeout_s: float) -> ModelIdentity:
        """Return which model answers now; its window is not looked at."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


class TokenCounter(Protocol):
    """Counts the tokens of texts as they are sent, prefix included. Fails as `EmbeddingPort.count` does."""

    @property
    def mark(self) -> str:
        """What tells it from another counter beside one server; '' for the server's own."""
        ...

    async def count(self, sent: Sequence[str], timeout_s: float) -> tuple[TokenCount, ...] | None:
        """Return the counts of the texts, or None when it cannot tell."""
        ...

    async def window(self, timeout_s: float) -> int | None:
        """Return the window in tokens, or None when it cannot tell."""
        ...


class CountedEmbedding:
    """An `EmbeddingPort` of a server that refuses what is past its window, and of a counter.

    A text that is refused is counted, cut where the window closes and sent again: its vector is that of its beginning,
    as with a server that cuts by itself.
    """

    def __init__(self, server: VectorServer, counter: TokenCounter, prefixes: Prefixes) -> None:
        self._server = server
        self._counter = counter
        self._prefixes = prefixes

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        """Return one vector for each text; see `EmbeddingPort.embed`.

        Counts are asked for beside the vectors. A count that fails fails the call: as unknown it would stay so.
        """
        if not texts:
            return Embedded(np.zeros((0, 0), np.float32), () if with_counts else None)
        if not with_counts:
            return await self._embed_cut(texts, side, timeout_s)
        counting = asyncio.create_task(self.count(texts, side, timeout_s))
        try:
            embedded = await self._embed_cut(texts, side, timeout_s)
            return Embedded(embedded.vectors, await counting)
        finally:
            counting.cancel()
            await asyncio.gather(counting, return_exceptions=True)

    async def count(self, texts: Sequence[str], side: Side, timeout_s: float) -> tuple[TokenCount, ...] | None:
        """Return how each text fills the window; its prefix takes its share and no place in the offsets."""
        prefix = self._prefixes.of(side)
        counts = await self._counter.count([prefix + text for text in texts], timeout_s)
        return None if counts is None else tuple(without_prefix(count, len(prefix)) for count in counts)

    async def identity(self, timeout_s: float) -> ModelIdentity:
        """Return which model answers now; the window and what counts are part of its fingerprint."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        known = await self._server.identity(timeout_s)
        window = await self._counter.window(deadline - asyncio.get_running_loop().time())
        fingerprint = fingerprint_of("counted", [known.fingerprint, self._counter.mark, window])
        return ModelIdentity(fingerprint, known.name, known.dimensions, window)

    async def _embed_cut(self, texts: Sequence[str], side: Side, timeout_s: float) -> Embedded:
        """Return the vectors of the texts, those cut that the server refuses and that are past the window."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        left_s, cuts = timeout_s, 0
        while True:
            try:
                return await self._server.embed(texts, side, left_s)
            except EmbeddingRejectedError as error:
                if error.index is None or error.status is None or cuts == _MAX_CUTS:
                    raise
                left_s = _left(deadline)
                cut = await self._cut(texts, side, left_s)
                if cut == texts:
                    raise
                texts, cuts, left_s = cut, cuts + 1, _left(deadline)

    async def _cut(self, texts: Sequence[str], side: Side, timeout_s: float) -> Sequence[str]:
        """Return the texts, those past the window cut where it closes; one of which nothing is left stays."""
        counts = await self.count(texts, side, timeout_s)
        if counts is None:
            return texts
        return [text[: count.window_end_char] or text for text, count in zip(texts, counts, strict=True)]


def _left(deadline: float) -> float:
    left_s = deadline - asyncio.get_running_loop().time()
    if left_s <= 0:
        raise EmbeddingUnavailableError("no time left to ask the server")
    return left_s
