"""Findings about an agent's data and about what the service depends on."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from rensou_shared.ids import EntityId, RecordId, RecordRef, RelationId


class Severity(IntEnum):
    """How bad a finding is."""

    INFO = 1
    WARNING = 2
    CRITICAL = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found: how many rows, and up to ten of them by ref.

    Attributes:
        repairable: Of the call, how many it could ask the worker for; `queued` is how many it did.
        unknown: Rows beside `count` that the check cannot judge.
        waiting: Of `count`, those that the worker was asked for before.
        remaining: What later calls can ask for.
        episodes: Of `count`, those that are episodes.
    """

    check: str
    severity: Severity
    count: int
    repairable: int
    queued: int
    message: str
    refs: tuple[str, ...]
    unknown: int = 0
    waiting: int = 0
    remaining: int = 0
    episodes: int = 0


@dataclass(frozen=True, slots=True)
class DependencyState:
    """Whether something that the service needs answers; `since` is when this process has first seen the state."""

    name: str
    healthy: bool
    reason: str
    since: datetime


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """The findings, worst first; `records` counts the agent's live records."""

    findings: tuple[Finding, ...]
    dependencies: tuple[DependencyState, ...]
    checks: tuple[str, ...]
    records: int


@dataclass(frozen=True, slots=True)
class Lacking:
    """Records that one check found.

    Attributes:
        count: How many; `episodes` and `waiting` (a build waits or runs) are of them.
        unknown: How many others it cannot judge.
        askable: How many, of both, a build can be asked for; `ask` are the first of them.
        refs: The lowest of `count`.
    """

    count: int
    unknown: int
    episodes: int
    waiting: int
    askable: int
    refs: tuple[RecordRef, ...]
    ask: tuple[RecordId, ...]


@dataclass(frozen=True, slots=True)
class OddRelations:
    """Relations that could not be declared today: of a thing with itself, between places that nobody reads together."""

    itself: tuple[RelationId, ...]
    crossing: tuple[RelationId, ...]


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """How many names and aliases mean several entities to one reader, and the lowest of those entities."""

    aliases: int
    entities: tuple[EntityId, ...]
