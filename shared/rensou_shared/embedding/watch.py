"""Calls to a server that are counted, and spared while it is known to be dead."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.errors import (
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.embedding.health import EmbeddingHealth, FaultKind

T = TypeVar("T")


class WatchedCalls:
    """Calls to one server: their outcomes are its health, and while the circuit is open they fail at once."""

    def __init__(self, health: EmbeddingHealth, breaker: CircuitBreaker) -> None:
        self._health = health
        self._breaker = breaker

    @property
    def health(self) -> EmbeddingHealth:
        """What is known about the server."""
        return self._health

    async def make(self, call: Callable[[], Awaitable[T]]) -> T:
        """What `call` returns.

        Raises:
            EmbeddingUnavailableError: The circuit is open, or as the call raises it.
            EmbeddingError: As the call raises it.
        """
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
