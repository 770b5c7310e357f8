"""The adapter to servers of the CEmbedding contract: /embed, /count_tokens, /capabilities."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Self, TypeVar

import httpx
import numpy as np

from rensou_shared.embedding.batches import Batch, make_batches
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.checks import check_counts, check_vectors
from rensou_shared.embedding.errors import EmbeddingMalformedError, EmbeddingRejectedError
from rensou_shared.embedding.identity import identity_by_probe, parse_capabilities, with_prefixes
from rensou_shared.embedding.port import Embedded, ModelIdentity, Side, TokenCount
from rensou_shared.embedding.retry import Backoff, Clock, retry_until
from rensou_shared.embedding.transport import request_json

T = TypeVar("T")

_ABSENT_ROUTE: Final = frozenset({404, 405, 501})
_ABOUT_TEXTS: Final = frozenset({400, 413, 422})
_PROBE_TEXT: Final = "Which model is this?"


class CEmbedding:
    """An `EmbeddingPort` over HTTP; one for a process, closed at its end.

    A batch that the server refuses because of what is in it is halved until the text at fault is alone and named.
    """

    def __init__(
        self,
        config: CEmbeddingConfig,
        *,
        client: httpx.AsyncClient | None = None,
        backoff: Backoff | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._config = config
        # A proxy of the environment must not stand between two services of one deployment.
        self._client = client or httpx.AsyncClient(trust_env=False, follow_redirects=False)
        self._backoff = backoff or Backoff()
        self._clock = clock or Clock()
        self._dimensions = config.dimensions

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        """Return one unit vector for each text, in order; see `EmbeddingPort.embed`.

        A token report that is wrong costs the counts, not the vectors.
        """
        parts = await self._in_batches(
            texts, side, timeout_s, lambda batch, left_s: self._embed(batch, side, left_s, with_counts)
        )
        if not parts:
            return Embedded(np.zeros((0, self._dimensions or 0), np.float32), () if with_counts else None)
        return Embedded(np.concatenate([part.vectors for part in parts]), _joined([part.counts for part in parts]))

    async def count(self, texts: Sequence[str], side: Side, timeout_s: float) -> tuple[TokenCount, ...] | None:
        """Return how each text fills the window, None when the server cannot tell; see `EmbeddingPort.count`.

        The client's own prefix takes its share of the window and no place in the offsets.
        """
        return _joined(
            await self._in_batches(texts, side, timeout_s, lambda batch, left_s: self._count(batch, side, left_s))
        )

    async def identity(self, timeout_s: float) -> ModelIdentity:
        """Return which model answers now, by its own report or, from a server without one, by its vectors' shape."""
        deadline = self._clock.now() + timeout_s
        try:
            identity = await retry_until(deadline, self._capabilities, self._backoff, self._clock)
        except EmbeddingRejectedError as error:
            if error.status not in _ABSENT_ROUTE:
                raise
            identity = await self._probe(deadline - self._clock.now())
        if self._config.dimensions is None:
            # What the server says that it serves outweighs its first vectors: one wrong answer must not stand for ever.
            self._dimensions = identity.dimensions
        return with_prefixes(identity, self._config.query_prefix, self._config.passage_prefix)

    async def _in_batches(
        self, texts: Sequence[str], side: Side, timeout_s: float, ask: Callable[[Batch, float], Awaitable[T]]
    ) -> list[T]:
        """Return the answers of `ask(batch, remaining_s)` to all batches of `texts`, in order."""
        deadline = self._clock.now() + timeout_s
        prefix = self._config.prefix(side)
        prefixed = [prefix + text for text in texts]
        pending = make_batches(prefixed, self._config.max_batch_texts, self._config.max_batch_bytes)[::-1]
        answers: list[T] = []
        while pending:
            batch = pending.pop()
            try:
                answers.append(await self._ask(batch, deadline, ask))
            except EmbeddingRejectedError as error:
                pending.extend(reversed(_smaller(batch, error)))
        return answers

    async def _ask(self, batch: Batch, deadline: float, ask: Callable[[Batch, float], Awaitable[T]]) -> T:
        try:
            return await retry_until(deadline, lambda left_s: ask(batch, left_s), self._backoff, self._clock)
        except EmbeddingMalformedError as error:
            if error.index is None:
                raise
            raise EmbeddingMalformedError(error.reason, batch.first + error.index) from error

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
            if error.status in _ABSENT_ROUTE:
                return None
            raise
        return self._counts(answer, batch, side)

    async def _capabilities(self, timeout_s: float) -> ModelIdentity:
        request = self._request("GET", "capabilities", None, timeout_s)
        return parse_capabilities(await request_json(self._client, request, timeout_s))

    async def _probe(self, timeout_s: float) -> ModelIdentity:
        self._dimensions = self._config.dimensions  # the question is what the server serves now
        embedded = await self.embed([_PROBE_TEXT], Side.PASSAGE, timeout_s, with_counts=True)
        window = embedded.counts[0].window if embedded.counts else None
        return identity_by_probe(embedded.vectors.shape[1], window)

    async def _post(self, route: str, body: bytes, timeout_s: float) -> Mapping[str, object]:
        return await request_json(self._client, self._request("POST", route, body, timeout_s), timeout_s)

    def _request(self, method: str, route: str, body: bytes | None, timeout_s: float) -> httpx.Request:
        headers = {"accept": "application/json", "accept-encoding": "identity"}
        if body is not None:
            headers["content-type"] = "application/json"
        if self._config.bearer_token is not None:
            headers["authorization"] = f"Bearer {self._config.bearer_token}"
        url = self._config.route(route)
        return self._client.build_request(method, url, content=body, headers=headers, timeout=timeout_s)

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
        return tuple(_without_prefix(count, prefix_chars) for count in counts)


def _body(batch: Batch, side: Side, with_counts: bool) -> bytes:
    wanted = b',"token_info":true' if with_counts else b""
    return b'{"texts":[' + b",".join(batch.encoded) + b'],"side":"' + side.value.encode() + b'"' + wanted + b"}"


def _smaller(batch: Batch, error: EmbeddingRejectedError) -> tuple[Batch, Batch]:
    """Return the halves of a batch that was refused for what is in it.

    Raises:
        EmbeddingRejectedError: it was refused for another reason, or its one text is what is refused.
    """
    if error.status not in _ABOUT_TEXTS:
        raise error
    if len(batch.texts) == 1:
        raise EmbeddingRejectedError(error.reason, error.status, batch.first) from error
    return batch.halves()


def _without_prefix(count: TokenCount, prefix_chars: int) -> TokenCount:
    end = max(0, count.window_end_char - prefix_chars)
    return TokenCount(count.count, count.window, count.truncated, end)


def _joined(reports: Sequence[tuple[TokenCount, ...] | None]) -> tuple[TokenCount, ...] | None:
    """Return the counts of all batches; those of some are as good as none."""
    joined: list[TokenCount] = []
    for report in reports:
        if report is None:
            return None
        joined.extend(report)
    return tuple(joined)
