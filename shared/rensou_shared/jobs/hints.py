"""What a hint is, and how one is sent."""

from dataclasses import dataclass
from typing import Final, Protocol

from rensou_shared.ids import AgentId, BuildId

QUEUE_NAME: Final = "rensou:builds"
"""The sorted set in Redis that hints wait in."""

TASK_NAME: Final = "build"
"""The worker's function that a hint calls, with the agent, the build and the attempt."""

HINT_LIFETIME_S: Final = 60
"""A hint that nobody took for so long is dropped; the reconciler hints at what is still due."""


@dataclass(frozen=True, slots=True)
class BuildHint:
    """That a build is due. The same build and attempt are one hint, however often they are sent."""

    agent_id: AgentId
    build_id: BuildId
    attempt: int
    """Errors and crashes of the build so far."""

    @property
    def job_id(self) -> str:
        """The name under which Redis keeps one copy."""
        return f"nb:{self.build_id}:{self.attempt}"


class HintSender(Protocol):
    """Sends hints. A fault of Redis costs at most a short wait and is counted, never raised."""

    async def send(self, hint: BuildHint) -> bool:
        """Whether the hint is in the queue now."""
        ...

    async def depth(self) -> int | None:
        """How many hints wait, or None when that is not known; asks Redis."""
        ...

    async def fault(self) -> str | None:
        """Why hints cannot be sent now, or None when they can; asks Redis."""
        ...


class NoHints:
    """A sender for a deployment without Redis: the worker finds its work by asking Postgres."""

    async def send(self, hint: BuildHint) -> bool:
        """False: nothing was sent."""
        return False

    async def depth(self) -> int | None:
        """None: there is no queue."""
        return None

    async def fault(self) -> str | None:
        """Always a reason: there is no Redis."""
        return "no Redis is configured"
