"""Repeating a request that may succeed later, within the time that the caller has."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from rensou_shared.embedding.errors import EmbeddingMalformedError, EmbeddingUnavailableError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Backoff:
    """Full jitter: the n-th wait is uniform in [0, min(cap_s, base_s · 2ⁿ)] ("Exponential Backoff and Jitter", AWS)."""

    attempts: int = 4
    base_s: float = 0.1
    cap_s: float = 5.0

    def wait_s(self, failures: int, draw: float, retry_after_s: float | None) -> float:
        """Return the wait after `failures` (from 1) failures; `draw` is uniform in [0, 1).

        A server that names a wait gets at least that long.
        """
        # The exponent is bounded before the power is taken: 2.0**1024 does not exist.
        jittered = draw * min(self.cap_s, self.base_s * 2.0 ** min(failures - 1, 60))
        return max(jittered, retry_after_s or 0.0)


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and chance as the retries see them; tests bring their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    draw: Callable[[], float] = random.random


async def retry_until(deadline: float, attempt: Callable[[float], Awaitable[T]], backoff: Backoff, clock: Clock) -> T:
    """Return what `attempt(remaining_s)` returns, repeating it after transient failures.

    `deadline` is a time of `clock`. Gives up after `backoff.attempts`, or at once when the wait would pass it.

    Raises:
        EmbeddingUnavailableError: the last failure, or no time was left.
        EmbeddingMalformedError: the last failure.
        EmbeddingRejectedError: at the first time; such a request is never repeated.
    """
    failures = 0
    while True:
        remaining_s = deadline - clock.now()
        if remaining_s <= 0.0:
            raise EmbeddingUnavailableError("no time left to ask the server")
        try:
            return await attempt(remaining_s)
        except (EmbeddingUnavailableError, EmbeddingMalformedError) as error:
            failures += 1
            asked_s = error.retry_after_s if isinstance(error, EmbeddingUnavailableError) else None
            wait_s = backoff.wait_s(failures, clock.draw(), asked_s)
            if failures >= backoff.attempts or clock.now() + wait_s >= deadline:
                raise
        await clock.sleep(wait_s)
