"""When the answer was, as the caller remembers it, and what that did."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Final

from rensou_shared.ids import RecordId

CUE_POLICY: Final = "cued-v1"


class Confidence(Enum):
    """How well the caller remembers; the surest first."""

    SURE = auto()
    LIKELY = auto()
    VAGUE = auto()


class AgoUnit(Enum):
    """A length of time; the value is its hours."""

    DAYS = 24
    WEEKS = 7 * 24
    MONTHS = 30 * 24


class CueIgnored(Enum):
    """Why a cue was not used."""

    RECENT_ONLY = auto()


@dataclass(frozen=True, slots=True)
class Between:
    """From `after` to before `before` (aware), at least one of them."""

    after: datetime | None
    before: datetime | None


@dataclass(frozen=True, slots=True)
class Ago:
    """About `value` (0 and up) units before now."""

    unit: AgoUnit
    value: int


@dataclass(frozen=True, slots=True)
class LongAgo:
    """In the oldest third of what the scope reads."""


@dataclass(frozen=True, slots=True)
class TimeCue:
    """When the answer was, and how sure that is."""

    confidence: Confidence
    form: Between | Ago | LongAgo


@dataclass(frozen=True, slots=True)
class Period:
    """[start_at, end_at), UTC, at least a second long."""

    start_at: datetime
    end_at: datetime


@dataclass(frozen=True, slots=True)
class ScopeSpan:
    """The times of the oldest and of the newest record that a scope reads, UTC."""

    oldest_at: datetime
    newest_at: datetime


@dataclass(frozen=True, slots=True)
class CueHit:
    """A record of the period, as the cue's arm saw it: scores of what the arms would have made of it, ranks from 1.

    Attributes:
        cosine: -1 to 1; None without a query vector or without the record's.
        vector_rank: None beyond the depth, or without a cosine.
        lexical_rank: None beyond the depth, or when the record says no word of the question.
    """

    record_id: RecordId
    cosine: float | None
    vector_rank: int | None
    bm25: float
    lexical_rank: int | None


@dataclass(frozen=True, slots=True)
class CuedPeriod:
    """What the cue's arm found.

    Attributes:
        hits: Best first.
        held: How many records of the period the scope reads, up to the number that were scored or listed.
        cut: The period holds more records than were scored.
    """

    hits: tuple[CueHit, ...]
    held: int
    cut: bool


@dataclass(frozen=True, slots=True)
class CueFindings:
    """The period that was used, or why none was, and the records found in it."""

    period: Period
    confidence: Confidence
    revised: bool = False
    ignored: CueIgnored | None = None
    found: CuedPeriod = CuedPeriod((), held=0, cut=False)


@dataclass(frozen=True, slots=True)
class CueOutcome:
    """What a cue did to an answer: `moved` hits stand higher than without it, `seated` ones are there for it alone."""

    findings: CueFindings
    moved: int
    seated: int
