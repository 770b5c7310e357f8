"""How many builds may wait before further ones are deferred."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QueueCaps:
    """Bounds of the queue of builds.

    Attributes:
        per_agent: Builds of one agent that may wait.
        in_all: Builds of all agents together that may wait.
    """

    per_agent: int = 10_000
    in_all: int = 100_000

    @property
    def refill(self) -> "QueueCaps":
        """Up to where deferred records are taken up again: half of it, so that new records need not be deferred."""
        return QueueCaps(max(1, self.per_agent // 2), max(1, self.in_all // 2))


DEFAULT_CAPS = QueueCaps()
