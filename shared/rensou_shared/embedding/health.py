"""What is known about the embedding server from the calls made to it."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

FAULT_AFTER_FAILURES: Final = 2
"""One lost call is an accident; the second in a row is a fault worth telling the caller of."""


class HealthState(enum.Enum):
    """What the last calls say."""

    UNKNOWN = "unknown"
    """Nothing was asked yet, or one call failed and none before it."""
    HEALTHY = "healthy"
    FAULT = "fault"


class FaultKind(enum.Enum):
    """Who can help."""

    UNREACHABLE = "unreachable"
    """The server is away, overloaded or answers nonsense: it may pass."""
    MISCONFIGURED = "misconfigured"
    """The server refuses every request (address, credentials): an operator must act."""


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The health of the embedding server at one moment."""

    state: HealthState
    since: datetime
    """UTC; of a fault, when its first failure was."""
    failing_since: datetime | None
    """UTC; the first failure since the last success, also before it is a fault."""
    reason: str
    """Of the last failure, without any text that was sent; empty unless failures stand."""
    kind: FaultKind | None
    failures: int
    """Failures since the last success."""


class EmbeddingHealth:
    """A state machine over the outcomes of calls; answers from a cache are no outcomes."""

    def __init__(self, utc_now: Callable[[], datetime], fault_after: int = FAULT_AFTER_FAILURES) -> None:
        self._utc_now = utc_now
        self._fault_after = fault_after
        self._report = HealthReport(HealthState.UNKNOWN, utc_now(), None, "", None, 0)

    @property
    def report(self) -> HealthReport:
        """The health now."""
        return self._report

    def record_success(self) -> None:
        """Note a call that the server answered well: it clears any fault."""
        now, last = self._utc_now(), self._report
        since = last.since if last.state is HealthState.HEALTHY else now
        self._report = HealthReport(HealthState.HEALTHY, since, None, "", None, 0)

    def record_failure(self, reason: str, kind: FaultKind) -> None:
        """Note a call that failed for a reason that is not one of its texts."""
        last = self._report
        began = last.failing_since or self._utc_now()
        failures = last.failures + 1
        state, since = (HealthState.FAULT, began) if failures >= self._fault_after else (last.state, last.since)
        self._report = HealthReport(state, since, began, reason, kind, failures)
