"""When records and relations are true: what is asserted, what stands, and what an answer says of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rensou_recall.types.graph import DropReason
from rensou_recall.types.interval import Interval, ValidityState
from rensou_shared.ids import EntityId, RecordRef, RelationId

MAX_EXCLUDED_BY_VALIDITY: Final = 50
"""Refs that an answer names of what valid_at left out; the rest is counted."""
MAX_TIMELINE: Final = 32
"""Entries of a timeline; the rest is counted."""
MAX_TIMELINES: Final = 50
"""Timelines of relations that an answer has; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a caller says of an interval: a bound of None keeps what stands, unless it is said that there is none."""

    valid_from: datetime | None = None
    valid_to: datetime | None = None
    without_from: bool = False
    without_to: bool = False


@dataclass(frozen=True, slots=True)
class Validity:
    """What stands asserted of something, seen at the instant `at`; times are UTC."""

    interval: Interval
    recorded_at: datetime
    at: datetime

    @property
    def state(self) -> ValidityState:
        """Where `at` lies in the interval."""
        return self.interval.state_at(self.at)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What valid_at left out, in order; `beyond`: how many more were not read."""

    refs: tuple[RecordRef | RelationId, ...] = ()
    beyond: int = 0


NOTHING_LEFT_OUT: Final = LeftOut()


ValidityTarget = RecordRef | RelationId


@dataclass(frozen=True, slots=True)
class Assertion:
    """That a target is true in an interval."""

    target: ValidityTarget
    claimed: Claimed


@dataclass(frozen=True, slots=True)
class Standing:
    """The open assertion about a target."""

    id: int
    interval: Interval


@dataclass(frozen=True, slots=True)
class ValidityWrite:
    """An assertion to be written; it closes `closes` (None: nothing stands), and `is_new` says that its target is."""

    target: ValidityTarget
    interval: Interval
    closes: int | None = None
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Asserted:
    """What stands of a target now, and whether the call wrote it."""

    interval: Interval
    changed: bool


AssertionAnswer = Asserted | DropReason
"""What became of one assertion: made, or why not."""


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A record or relation in time; `validity` is None when nothing is asserted of it."""

    ref: RecordRef | RelationId
    validity: Validity | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """Entries in the order of time, and how many more there are."""

    entries: tuple[TimelineEntry, ...] = ()
    omitted: int = 0


NO_TIMELINE: Final = Timeline()


@dataclass(frozen=True, slots=True)
class RelationTimeline:
    """What is said of one subject by one predicate (in normal form)."""

    subject: EntityId
    predicate: str
    timeline: Timeline
