"""An embedding port that remembers how its server is and spares callers the wait for a dead one."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.errors import (
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.embedding.health import EmbeddingHealth, FaultKind
from rensou_shared.embedding.port import Embedded, EmbeddingPort, ModelIdentity, Side, TokenCount

T = TypeVar("T")


class GuardedEmbedding:
    """An `EmbeddingPort` in front of another: counts its outcomes and fails at once while the circuit is open.

    A call without texts reaches no server, so it is passed on uncounted.
    """

    def __init__(self, port: EmbeddingPort, health: EmbeddingHealth, breaker: CircuitBreaker) -> None:
        self._port = port
        self._health = health
        self._breaker = breaker

    @property
    def health(self) -> EmbeddingHealth:
        """What is known about the server."""
        return self._health

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        """See `EmbeddingPort.embed`."""

        def call() -> Awaitable[Embedded]:
            return self._port.embed(texts, side, timeout_s, with_counts=with_counts)

        return await (self._observed(call) if texts else call())

    async def count(self, texts: Sequence[str], side: Side, timeout_s: float) -> tuple[TokenCount, ...] | None:
        """See `EmbeddingPort.count`."""

        def call() -> Awaitable[tuple[TokenCount, ...] | None]:
            return self._port.count(texts, side, timeout_s)

        return await (self._observed(call) if texts else call())

    async def identity(self, timeout_s: float) -> ModelIdentity:
        """See `EmbeddingPort.identity`."""
        return await self._observed(lambda: self._port.identity(timeout_s))

    async def _observed(self, call: Callable[[], Awaitable[T]]) -> T:
        if not self._breaker.try_enter():
            reason = self._health.report.reason or "it failed"
            raise EmbeddingUnavailableError(f"not asked again yet: {reason}", self._breaker.retry_after_s)
        settled = False
        try:
            answer = await call()
            self._note_success()
            settled = True
            return answer
        except (EmbeddingUnavailableError, EmbeddingMalformedError) as error:
            settled = self._note_failure(error.reason, FaultKind.UNREACHABLE, _asked_wait_s(error))
            raise
        except EmbeddingRejectedError as error:
            if error.is_misconfigured:
                settled = self._note_failure(error.reason, FaultKind.MISCONFIGURED, 0.0)
            raise
        finally:
            # Cancelled, or a text refused by a server that is well: no verdict, but a probe must not stay open.
            if not settled:
                self._breaker.abandon()

    def _note_success(self) -> None:
        self._breaker.succeed()
        self._health.record_success()

    def _note_failure(self, reason: str, kind: FaultKind, wait_s: float) -> bool:
        self._breaker.fail(wait_s)
        self._health.record_failure(reason, kind)
        return True


def _asked_wait_s(error: EmbeddingUnavailableError | EmbeddingMalformedError) -> float:
    """Return how long the server asked to be left alone, 0 if it did not."""
    return (error.retry_after_s or 0.0) if isinstance(error, EmbeddingUnavailableError) else 0.0
