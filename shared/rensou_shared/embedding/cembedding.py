"""The adapter to servers of the CEmbedding contract: /embed, /count_tokens, /capabilities."""

from collections.abc import Mapping, Sequence
from typing import Self

import httpx
import numpy as np

from rensou_shared.embedding.batches import Batch
from rensou_shared.embedding.calls import (
    ABSENT_ROUTE,
    PROBE_TEXT,
    BatchLimits,
    ServerCalls,
    joined_counts,
    without_prefix,
)
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.checks import check_counts, check_vectors
from rensou_shared.embedding.errors import EmbeddingMalformedError, EmbeddingRejectedError
from rensou_shared.embedding.identity import identity_by_probe, parse_capabilities, with_prefixes
from rensou_shared.embedding.port import Embedded, ModelIdentity, Side, TokenCount
from rensou_shared.embedding.retry import Backoff, Clock


class CEmbedding:
    """An `EmbeddingPort` over HTTP; one for a process, closed at its end."""

    def __init__(
        self,
        config: CEmbeddingConfig,
        *,
        client: httpx.AsyncClient | None = None,
        backoff: Backoff | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._config = config
        self._calls = ServerCalls(config.bearer_token, client=client, backoff=backoff, clock=clock)
        self._limits = BatchLimits(config.max_batch_texts, config.max_batch_bytes)
        self._dimensions = config.dimensions

    async def aclose(self) -> None:
        """Close the connections."""
        await self._calls.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        """Return one unit vector for each text, in order; see `EmbeddingPort.embed`.

        A token report that is wrong costs the counts, not the vectors.
        """
        parts = await self._calls.in_batches(
            self._sent(texts, side),
            self._limits,
            timeout_s,
            lambda batch, left_s: self._embed(batch, side, left_s, with_counts),
        )
        if not parts:
            return Embedded(np.zeros((0, self._dimensions or 0), np.float32), () if with_counts else None)
        return Embedded(
            np.concatenate([part.vectors for part in parts]), joined_counts([part.counts for part in parts])
        )

    async def count(self, texts: Sequence[str], side: Side, timeout_s: float) -> tuple[TokenCount, ...] | None:
        """Return how each text fills the window, None when the server cannot tell; see `EmbeddingPort.count`.

        The client's own prefix takes its share of the window and no place in the offsets.
        """
        sent = self._sent(texts, side)
        return joined_counts(
            await self._calls.in_batches(
                sent, self._limits, timeout_s, lambda batch, left_s: self._count(batch, side, left_s)
            )
        )

    async def identity(self, timeout_s: float) -> ModelIdentity:
        """Return which model answers now, by its own report or, from a server without one, by its vectors' shape."""
        deadline = self._calls.now() + timeout_s
        try:
            identity = await self._calls.until(deadline, self._capabilities)
        except EmbeddingRejectedError as error:
            if error.status not in ABSENT_ROUTE:
                raise
            identity = await self._probe(deadline - self._calls.now())
        if self._config.dimensions is None:
            # What the server says that it serves outweighs its first vectors: one wrong answer must not stand for ever.
            self._dimensions = identity.dimensions
        return with_prefixes(identity, self._config.query_prefix, self._config.passage_prefix)

    def _sent(self, texts: Sequence[str], side: Side) -> list[str]:
        prefix = self._config.prefix(side)
        return [prefix + text for text in texts]

    async def _embed(self, batch: Batch, side: Side, timeout_s: float, with_counts: bool) -> Embedded:
        answer = await self._post("embed", _body(batch, side, with_counts), timeout_s)
        vectors = check_vectors(answer, len(batch.texts), self._dimensions)
        self._dimensions = vectors.shape[1]
        counts = self._counts_or_unknown(answer, batch, side) if with_counts else None
        return Embedded(vectors, counts)

    async def _count(self, batch: Batch, side: Side, timeout_s: float) -> tuple[TokenCount, ...] | None:
        try:
            answer = await self._post("count_tokens", _body(batch, side, with_counts=False), timeout_s)
        except EmbeddingRejectedError as error:
            if error.status in ABSENT_ROUTE:
                return None
            raise
        return self._counts(answer, batch, side)

    async def _capabilities(self, timeout_s: float) -> ModelIdentity:
        return parse_capabilities(await self._calls.get(self._config.route("capabilities"), timeout_s))

    async def _probe(self, timeout_s: float) -> ModelIdentity:
        self._dimensions = self._config.dimensions  # the question is what the server serves now
        embedded = await self.embed([PROBE_TEXT], Side.PASSAGE, timeout_s, with_counts=True)
        window = embedded.counts[0].window if embedded.counts else None
        return identity_by_probe(embedded.vectors.shape[1], window)

    async def _post(self, route: str, body: bytes, timeout_s: float) -> Mapping[str, object]:
        return await self._calls.post(self._config.route(route), body, timeout_s)

    def _counts_or_unknown(
        self, answer: Mapping[str, object], batch: Batch, side: Side
    ) -> tuple[TokenCount, ...] | None:
        try:
            return self._counts(answer, batch, side)
        except EmbeddingMalformedError:
            return None

    def _counts(self, answer: Mapping[str, object], batch: Batch, side: Side) -> tuple[TokenCount, ...] | None:
        counts = check_counts(answer.get("token_info"), batch.texts)
        prefix_chars = len(self._config.prefix(side))
        if counts is None or not prefix_chars:
            return counts
        return tuple(without_prefix(count, prefix_chars) for count in counts)


def _body(batch: Batch, side: Side, with_counts: bool) -> bytes:
    wanted = b',"token_info":true' if with_counts else b""
    return b'{"texts":[' + b",".join(batch.encoded) + b'],"side":"' + side.value.encode() + b'"' + wanted + b"}"
