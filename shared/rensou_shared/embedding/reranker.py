"""The adapter to a cross-encoder that speaks the /rerank route of text-embeddings-inference."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import httpx

from rensou_shared.embedding.address import fits_header
from rensou_shared.embedding.batches import Batch, make_batches
from rensou_shared.embedding.errors import EmbeddingMalformedError, EmbeddingRejectedError
from rensou_shared.embedding.health import EmbeddingHealth
from rensou_shared.embedding.retry import Backoff, Clock, retry_until
from rensou_shared.embedding.transport import request_json_list
from rensou_shared.embedding.watch import WatchedCalls
from rensou_shared.json_types import is_object

MAX_BATCH_TEXTS: Final = 32
"""What text-embeddings-inference takes in a request unless it is told otherwise; one that takes less gets less."""
_MAX_BATCH_BYTES: Final = 900_000
_ABOUT_TEXTS: Final = frozenset({400, 413, 422})
# A question waits: one repetition, soon.
_BACKOFF: Final = Backoff(attempts=2, base_s=0.05, cap_s=0.2)


@dataclass(frozen=True, slots=True)
class RerankerConfig:
    """Address and credential of a cross-encoder.

    Raises:
        ValueError: an address that is not http(s), has no valid port or does not end in /rerank, or a token that no
            header can carry.
    """

    rerank_url: str
    bearer_token: str | None = None

    def __post_init__(self) -> None:
        parts = urlsplit(self.rerank_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("the reranker's address must be an http or https address")
        _ = parts.port  # raises for a port that is none
        if not parts.path.rstrip("/").endswith("/rerank"):
            raise ValueError("the reranker's address must end in /rerank")
        if self.bearer_token is not None and not fits_header(self.bearer_token):
            raise ValueError("the reranker's token must be of visible ASCII characters")


class Reranker:
    """A cross-encoder over HTTP, with what is known of its health; one for a process, closed at its end.

    Texts go to its address and nowhere else: no proxy of the environment, no redirect.
    """

    def __init__(self, config: RerankerConfig, calls: WatchedCalls, *, clock: Clock | None = None) -> None:
        self._config = config
        self._calls = calls
        self._clock = clock or Clock()
        self._client = httpx.AsyncClient(trust_env=False, follow_redirects=False)

    @property
    def health(self) -> EmbeddingHealth:
        """What is known about the server."""
        return self._calls.health

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def scores(self, query: str, texts: Sequence[str], timeout_s: float) -> tuple[float, ...]:
        """Return the model's raw score of each text for `query`, in the order of `texts`, within `timeout_s`.

        A batch that is too large for the server is halved. One text that it refuses is the end of the whole.

        Raises:
            EmbeddingError: as for an embedding server.
        """
        return await self._calls.make(lambda: self._in_batches(query, texts, timeout_s)) if texts else ()

    async def _in_batches(self, query: str, texts: Sequence[str], timeout_s: float) -> tuple[float, ...]:
        deadline = self._clock.now() + timeout_s
        pending = make_batches(texts, MAX_BATCH_TEXTS, _MAX_BATCH_BYTES)[::-1]
        scores: list[float] = []
        while pending:
            batch = pending.pop()
            body = _body(query, batch)

            async def ask(left_s: float, body: bytes = body, count: int = len(batch.texts)) -> tuple[float, ...]:
                return check_scores(await request_json_list(self._client, self._request(body, left_s), left_s), count)

            try:
                scores += await retry_until(deadline, ask, _BACKOFF, self._clock)
            except EmbeddingRejectedError as error:
                if error.status not in _ABOUT_TEXTS:
                    raise
                if len(batch.texts) == 1:
                    raise EmbeddingRejectedError(error.reason, error.status, batch.first) from error
                pending.extend(reversed(batch.halves()))
        return tuple(scores)

    def _request(self, body: bytes, timeout_s: float) -> httpx.Request:
        headers = {"accept": "application/json", "accept-encoding": "identity", "content-type": "application/json"}
        if self._config.bearer_token is not None:
            headers["authorization"] = f"Bearer {self._config.bearer_token}"
        return self._client.build_request(
            "POST", self._config.rerank_url, content=body, headers=headers, timeout=timeout_s
        )


def check_scores(answer: Sequence[object], texts: int) -> tuple[float, ...]:
    """Return the scores of a /rerank answer in the order of the texts.

    Raises:
        EmbeddingMalformedError: not one entry for each text, an index that is none or comes twice, or a score that is
            no finite number.
    """
    if len(answer) != texts:
        raise EmbeddingMalformedError(f"{len(answer)} scores for {texts} texts")
    scores: dict[int, float] = {}
    for entry in answer:
        index = entry.get("index") if is_object(entry) else None
        if type(index) is not int or not 0 <= index < texts or index in scores:
            raise EmbeddingMalformedError("an index that names no text, or a text twice")
        scores[index] = _finite(entry.get("score") if is_object(entry) else None, index)
    return tuple(scores[index] for index in range(texts))


def _finite(score: object, index: int) -> float:
    if type(score) is int or type(score) is float:
        try:
            if math.isfinite(number := float(score)):
                return number
        except OverflowError:  # an integer past float64
            pass
    raise EmbeddingMalformedError("a score that is no finite number", index)


def _body(query: str, batch: Batch) -> bytes:
    # The encoder cuts what is past its window; raw scores of two batches stand on one scale.
    asked = json.dumps(query, ensure_ascii=False).encode()
    return b'{"query":' + asked + b',"texts":[' + b",".join(batch.encoded) + b'],"raw_scores":true,"truncate":true}'
