"""Calls of one embedding server: its connections, its credential, repeats and batches."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import httpx

from rensou_shared.embedding.batches import Batch, make_batches
from rensou_shared.embedding.errors import EmbeddingMalformedError, EmbeddingRejectedError
from rensou_shared.embedding.port import TokenCount
from rensou_shared.embedding.retry import Backoff, Clock, retry_until
from rensou_shared.embedding.transport import ReadRefusal, request_json, request_json_list

T = TypeVar("T")

ABSENT_ROUTE: Final = frozenset({404, 405, 501})
PROBE_TEXT: Final = "Which model is this?"

_ABOUT_TEXTS: Final = frozenset({400, 413, 422})


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """The most that goes into one request."""

    texts: int
    size_bytes: int = 900_000
    """Of texts as JSON: servers refuse bodies past 1 or 2 MB."""


class ServerCalls:
    """Asks one server, one for a process, closed at its end.

    A batch that the server refuses because of what is in it is halved until the text at fault is alone and named.
    """

    def __init__(
        self,
        bearer_token: str | None,
        *,
        client: httpx.AsyncClient | None = None,
        backoff: Backoff | None = None,
        clock: Clock | None = None,
        read_refusal: ReadRefusal | None = None,
    ) -> None:
        self._bearer_token = bearer_token
        # A proxy of the environment must not stand between two services of one deployment.
        self._client = client or httpx.AsyncClient(trust_env=False, follow_redirects=False)
        self._backoff = backoff or Backoff()
        self._clock = clock or Clock()
        self._read_refusal = read_refusal

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def now(self) -> float:
        """The time that deadlines are in."""
        return self._clock.now()

    async def get(self, url: str, timeout_s: float) -> Mapping[str, object]:
        """Return the object that `url` answers. Not repeated: see `until`."""
        request = self._request("GET", url, None, timeout_s)
        return await request_json(self._client, request, timeout_s, self._read_refusal)

    async def post(self, url: str, body: bytes, timeout_s: float) -> Mapping[str, object]:
        """Return the object that `url` answers to the JSON `body`. Not repeated."""
        request = self._request("POST", url, body, timeout_s)
        return await request_json(self._client, request, timeout_s, self._read_refusal)

    async def post_for_list(self, url: str, body: bytes, timeout_s: float) -> list[object]:
        """Return the list that `url` answers to the JSON `body`. Not repeated."""
        request = self._request("POST", url, body, timeout_s)
        return await request_json_list(self._client, request, timeout_s, self._read_refusal)

    async def until(self, deadline: float, attempt: Callable[[float], Awaitable[T]]) -> T:
        """Return what `attempt(remaining_s)` does, repeated after transient failures until `deadline`."""
        return await retry_until(deadline, attempt, self._backoff, self._clock)

    async def in_batches(
        self, texts: Sequence[str], limits: BatchLimits, timeout_s: float, ask: Callable[[Batch, float], Awaitable[T]]
    ) -> list[T]:
        """Return the answers of `ask(batch, remaining_s)` to all batches of `texts`, in order."""
        deadline = self._clock.now() + timeout_s
        pending = make_batches(texts, limits.texts, limits.size_bytes)[::-1]
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
            return await self.until(deadline, lambda left_s: ask(batch, left_s))
        except EmbeddingMalformedError as error:
            if error.index is None:
                raise
            raise EmbeddingMalformedError(error.reason, batch.first + error.index) from error

    def _request(self, method: str, url: str, body: bytes | None, timeout_s: float) -> httpx.Request:
        headers = {"accept": "application/json", "accept-encoding": "identity"}
        if body is not None:
            headers["content-type"] = "application/json"
        if self._bearer_token is not None:
            headers["authorization"] = f"Bearer {self._bearer_token}"
        return self._client.build_request(method, url, content=body, headers=headers, timeout=timeout_s)


def joined_counts(reports: Sequence[tuple[TokenCount, ...] | None]) -> tuple[TokenCount, ...] | None:
    """Return the counts of all batches; those of some are as good as none."""
    joined: list[TokenCount] = []
    for report in reports:
        if report is None:
            return None
        joined.extend(report)
    return tuple(joined)


def without_prefix(count: TokenCount, prefix_chars: int) -> TokenCount:
    """Return the count of a text that was sent behind a prefix, its offset in the text itself."""
    end = max(0, count.window_end_char - prefix_chars)
    return TokenCount(count.count, count.window, count.truncated, end)


def names_a_text(error: EmbeddingRejectedError) -> bool:
    """Whether the refusal is of what was in the request, not of address or credential."""
    return error.status in _ABOUT_TEXTS


def _smaller(batch: Batch, error: EmbeddingRejectedError) -> tuple[Batch, Batch]:
    """Return the halves of a batch that was refused for what is in it.

    Raises:
        EmbeddingRejectedError: it was refused for another reason, or its one text is what is refused.
    """
    if not names_a_text(error):
        raise error
    if len(batch.texts) == 1:
        raise EmbeddingRejectedError(error.reason, error.status, batch.first) from error
    return batch.halves()
