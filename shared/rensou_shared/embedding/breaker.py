"""A circuit breaker: a dead server is asked now and then, not by every call."""

from collections.abc import Callable
from typing import Final

OPEN_AFTER_FAILURES: Final = 3
COOL_DOWN_S: Final = 5.0


class CircuitBreaker:
    """Closed while calls succeed; open for `cool_down_s` after so many failures in a row; then one call probes.

    A call that was let in must be ended by exactly one of `succeed`, `fail` and `abandon`. For one event loop.
    """

    def __init__(
        self,
        now: Callable[[], float],
        open_after: int = OPEN_AFTER_FAILURES,
        cool_down_s: float = COOL_DOWN_S,
    ) -> None:
        self._now = now
        self._open_after = open_after
        self._cool_down_s = cool_down_s
        self._failures = 0
        self._open_until = now()
        self._probing = False
        self._succeeded_at: float | None = None

    def try_enter(self) -> bool:
        """Whether a call may be made now; in an open circuit the first one past the cool-down is the probe."""
        if self._failures < self._open_after:
            return True
        if self._probing or self._now() < self._open_until:
            return False
        self._probing = True
        return True

    @property
    def retry_after_s(self) -> float:
        """Seconds until a call may be let in; 0 when it may be now or depends on a probe under way."""
        if self._failures < self._open_after:
            return 0.0
        return max(0.0, self._open_until - self._now())

    def has_succeeded_within(self, seconds: float) -> bool:
        """Whether a call worked in the last `seconds`."""
        return self._succeeded_at is not None and self._now() - self._succeeded_at <= seconds

    def succeed(self) -> None:
        """End a call that worked: the circuit closes."""
        self._succeeded_at = self._now()
        self._failures = 0
        self._probing = False

    def fail(self, at_least_s: float = 0.0) -> None:
        """End a call that failed; a server that named a wait is left alone for that long from the first time."""
        self._failures = max(self._failures + 1, self._open_after if at_least_s > 0.0 else 0)
        self._probing = False
        self._open_until = max(self._open_until, self._now() + max(self._cool_down_s, at_least_s))

    def abandon(self) -> None:
        """End a call that says nothing about the server: it was cancelled, or one of its texts was refused."""
        self._probing = False
