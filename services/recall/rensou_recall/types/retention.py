"""Policies of retention: which records may be retired, and why."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import Enum, auto

from rensou_recall.types.records import LoweredBound
from rensou_shared.ids import RecordRef
from rensou_shared.scope import ReadScope, WriteScope


class RetentionTest(Enum):
    """A test of a policy, in the order in which grounds are given."""

    OLDER_THAN_DAYS = auto()
    NOT_RECALLED_DAYS = auto()
    STATE_REPLACED = auto()
    VALIDITY_PAST = auto()
    CONFIDENCE_AT_MOST = auto()
    WRONG_REPORTS_AT_LEAST = auto()
    UNUSED_REPORTS_AT_LEAST = auto()
    SOURCE_TYPE = auto()
    CHANNEL = auto()


@dataclass(frozen=True, slots=True)
class RetentionTests:
    """The tests that must hold, all of them; None: not asked. `confidence_at_most` is a level by number."""

    older_than_days: int | None = None
    not_recalled_days: int | None = None
    state_replaced: bool | None = None
    validity_past: bool | None = None
    confidence_at_most: int | None = None
    wrong_reports_at_least: int | None = None
    unused_reports_at_least: int | None = None
    source_type: str | None = None
    channel: str | None = None

    @property
    def as_json(self) -> str:
        """The tests that are asked, as a JSON object with its keys in order."""
        asked = {name: value for name, value in asdict(self).items() if value is not None}
        return json.dumps(asked, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class PolicyKey:
    """Which policy: its place and name.

    It reaches the records of exactly this project and channel; project '' is the global pool alone, channel '' is every
    channel of the project.
    """

    scope: WriteScope
    name: str

    @property
    def reads(self) -> ReadScope:
        """What may be read of what is declared and asserted about the records that it reaches."""
        return ReadScope(self.scope.agent_id, self.scope.project_id, self.scope.channel)


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy as it stands."""

    key: PolicyKey
    tests: RetentionTests
    put_by: str
    put_at: datetime


@dataclass(frozen=True, slots=True)
class RetentionFacts:
    """What a policy is tested by that the record itself says; `now` is the database's time of the call."""

    ref: RecordRef
    created_at: datetime
    source_type: str
    channel: str
    locked: bool
    retired: bool
    now: datetime


@dataclass(frozen=True, slots=True)
class Ground:
    """A test that a record meets, what was found, and the refs that say so, where others do."""

    test: RetentionTest
    found: str
    refs: tuple[RecordRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A record that a policy would retire, and why."""

    ref: RecordRef
    created_at: datetime
    grounds: tuple[Ground, ...]


@dataclass(frozen=True, slots=True)
class RetentionPage:
    """Matches in the order of time, kind and number; `next_token` is '' on the last page."""

    matches: tuple[Match, ...]
    next_token: str
    digest: str
    lowered: tuple[LoweredBound, ...]


class SkipReason(Enum):
    """Why a record was not retired."""

    LOCKED = auto()
    NO_LONGER_MATCHES = auto()
    ALREADY_RETIRED = auto()
    NOT_FOUND = auto()


@dataclass(frozen=True, slots=True)
class Application:
    """Which records a policy is applied to, by the digest that it was listed with, and why."""

    key: PolicyKey
    refs: Sequence[RecordRef]
    digest: str
    reason: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of them, in the order of the request."""

    retired: tuple[RecordRef, ...]
    skipped: tuple[tuple[RecordRef, SkipReason], ...]
