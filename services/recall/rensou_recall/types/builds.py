"""Builds as operators see them."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from rensou_recall.types.listing import PageRequest
from rensou_recall.types.records import LoweredBound
from rensou_shared.ids import AgentId, BuildId, RecordRef

_LAST_NAME = "\U0010ffff" * 33
"""Beyond every agent's name in the order of bytes: names are at most 128 bytes."""


class BuildState(Enum):
    """How a build stands that has not ended well."""

    PENDING = "pending"
    QUARANTINED = "quarantined"
    RUNNING = "running"
    DEAD = "dead"


class RetryOutcome(Enum):
    """What became of a build that was to be run again."""

    QUEUED = "queued"
    NOT_FOUND = "not_found"
    NOT_DEAD = "not_dead"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Reach:
    """Whose builds a call is about; `agents` is None for every agent, else in the order of bytes and not empty."""

    agents: tuple[AgentId, ...] | None

    @property
    def first(self) -> str:
        """No agent of them comes before it."""
        return self.agents[0] if self.agents else ""

    @property
    def last(self) -> str:
        """No agent of them comes after it."""
        return self.agents[-1] if self.agents else _LAST_NAME


@dataclass(frozen=True, slots=True)
class BuildListing:
    """Which builds are asked for; `state` is None for any."""

    reach: Reach
    state: BuildState | None
    page: PageRequest
    with_summary: bool


@dataclass(frozen=True, slots=True)
class ListedBuild:
    """A build.

    Attributes:
        age_s: Seconds since the work was asked for, at `created_at`.
        fingerprint: The embedding model that it is for; None: whichever is active.
        outdated: The record has another text by now, or the model is retired.
    """

    agent_id: AgentId
    id: BuildId
    record: RecordRef
    state: BuildState
    errors: int
    crashes: int
    next_at: datetime
    lease_until: datetime | None
    created_at: datetime
    age_s: float
    last_error: str | None
    fingerprint: str | None
    rebuild: bool
    outdated: bool


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """How many builds stand where; `pending` has neither quarantined ones nor rebuilds, `ended` is of a minute."""

    pending: int
    quarantined: int
    running: int
    dead: int
    rebuilds: int
    oldest_s: float
    ended: int


@dataclass(frozen=True, slots=True)
class BuildPage:
    """One page; `next_token` is '' on the last one."""

    builds: tuple[ListedBuild, ...]
    next_token: str
    lowered: tuple[LoweredBound, ...]
    summary: BuildSummary | None


@dataclass(frozen=True, slots=True)
class Retry:
    """Which dead builds are to be run again; `ids` is None for any of them, at most `limit`."""

    reach: Reach
    ids: tuple[BuildId, ...] | None
    limit: int
    lowered: tuple[LoweredBound, ...] = ()


@dataclass(frozen=True, slots=True)
class RetriedBuild:
    """A build that was met or named; agent and record are None when it was not found."""

    id: BuildId
    outcome: RetryOutcome
    agent_id: AgentId | None = None
    record: RecordRef | None = None
    rebuild: bool = False


@dataclass(frozen=True, slots=True)
class Retried:
    """What became of each; `remaining` dead ones are left."""

    builds: tuple[RetriedBuild, ...]
    remaining: int
    lowered: tuple[LoweredBound, ...]
