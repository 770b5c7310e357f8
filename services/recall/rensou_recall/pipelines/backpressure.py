"""How much room the queue of builds has. A record that finds none is stored all the same, and its build is deferred.

What waits is counted, never kept in a row that every Store would have to write: no Store waits for another, and the
caps may be passed by what is being stored at that moment (by other processes in the last second, of the cap in all).
"""

from collections.abc import Callable
from typing import Final

from prometheus_client import Counter

from rensou_recall.store.save import count_all_pending_builds, count_pending_builds
from rensou_shared.db.pool import Connection
from rensou_shared.ids import AgentId
from rensou_shared.jobs.caps import QueueCaps

DEFERRED_BUILDS = Counter("rensou_builds_deferred", "Records stored or revised without a build: the queue was full.")

FRESH_S: Final = 1.0
"""How old the count of all agents' builds may be: up to its cap it costs milliseconds."""


class Backlog:
    """How many builds of all agents wait: as counted last, and what this process has queued since. For one loop."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._counted = 0
        self._added = 0
        self._stale_at = now()
        self._counting = False

    async def waiting(self, connection: Connection, cap: int) -> int:
        """The number; `cap` stands for that many or more. Counted over `connection` when it is old."""
        if self._now() >= self._stale_at and not self._counting:
            await self._count(connection, cap)
        return self._counted + self._added

    async def _count(self, connection: Connection, cap: int) -> None:
        self._counting, self._added = True, 0
        try:
            self._counted = await count_all_pending_builds(connection, cap)
            self._stale_at = self._now() + FRESH_S
        finally:
            self._counting = False

    def add(self, builds: int) -> None:
        """Notes builds that this process has queued."""
        self._added += builds


class Room:
    """How many more builds a transaction may queue."""

    def __init__(self, left: int) -> None:
        self._left = left

    @property
    def is_full(self) -> bool:
        """Whether no build may be queued any more."""
        return self._left <= 0

    def take(self) -> None:
        """Notes a build that was queued."""
        self._left -= 1


async def read_room(connection: Connection, agent_id: AgentId, caps: QueueCaps, backlog: Backlog) -> Room:
    """The room that the agent has now: read once a transaction, which counts what it queues itself."""
    own = caps.per_agent - await count_pending_builds(connection, agent_id, caps.per_agent)
    return Room(min(own, caps.in_all - await backlog.waiting(connection, caps.in_all)))
