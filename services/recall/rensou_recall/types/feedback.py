"""What a recall returned, what became of it, and what the reports say."""

from dataclasses import dataclass
from enum import Enum

from rensou_recall.types.records import LoweredBound
from rensou_shared.ids import RecordId, RecordRef

MAX_COUNTS = 1_000
"""Rows of counts in one answer of diagnostics."""

MAX_REFS = 20
"""Records in one answer of diagnostics."""


class Verdict(Enum):
    """What became of a record."""

    USED = "used"
    UNUSED = "unused"
    WRONG = "wrong"


class FailureCode(Enum):
    """What went wrong, by rule."""

    NONE = "none"
    SYSTEM_DEGRADED = "system_degraded"
    STALE_CONFLICT = "stale_conflict"
    UNATTRIBUTED = "unattributed"
    CANDIDATE_MISS = "candidate_miss"
    FILTER_DROP = "filter_drop"
    RANKING_MISS = "ranking_miss"
    EVIDENCE_NOISE = "evidence_noise"


class UseDrop(Enum):
    """Why a verdict was not kept."""

    UNKNOWN_RECALL = "unknown_recall"
    UNKNOWN_RECORD = "unknown_record"
    BAD_VERDICT = "bad_verdict"
    INVALID_REF = "invalid_ref"


@dataclass(frozen=True, slots=True)
class StageRefs:
    """Records by stage: what each arm found, what else retrieval held, and what the gate refused."""

    vector: tuple[RecordId, ...]
    lexical: tuple[RecordId, ...]
    other: tuple[RecordId, ...]
    refused: tuple[RecordId, ...]

    @property
    def found(self) -> frozenset[RecordId]:
        """All of them."""
        return frozenset((*self.vector, *self.lexical, *self.other))


@dataclass(frozen=True, slots=True)
class LoggedRecall:
    """A recall on record."""

    degraded: bool
    stages: StageRefs
    returned: tuple[RecordId, ...]


@dataclass(frozen=True, slots=True)
class UseReport:
    """The verdict on one record; an item that is no such thing is a `UseDrop` in its place."""

    ref: RecordRef
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class UseCount:
    """How often a verdict was given for a reason; `month` is of UTC, "2026-12"."""

    month: str
    project_id: str
    verdict: Verdict
    code: FailureCode
    reports: int


@dataclass(frozen=True, slots=True)
class RefUse:
    """How often a record was reported."""

    ref: RecordRef
    wrong: int
    unused: int
    used: int


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What an agent's reports say."""

    counts: tuple[UseCount, ...]
    counts_omitted: int
    refs: tuple[RefUse, ...]
    lowered: tuple[LoweredBound, ...] = ()
