"""Recall: retrieval, cut to what was asked for, quoted from the start of each record."""

from dataclasses import dataclass

from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.retrieve import retrieve
from rensou_recall.stages.excerpt import quote_start
from rensou_recall.types.call import Call
from rensou_recall.types.profile import Profile, ProfileOutcome
from rensou_recall.types.records import LoweredBound, Quote, StoredRecord
from rensou_recall.types.retrieval import ALL_STEPS, Degradation, Fusion, GateLevel, Question, Ranked, Step
from rensou_recall.types.time_cue import CueOutcome, TimeCue
from rensou_recall.types.trace import Trace
from rensou_shared.domain import RECALL_BUDGET_CHARS
from rensou_shared.ids import RecordRef
from rensou_shared.scope import ReadScope

# Candidates an arm, whatever the limit: a longer answer is the same ranking, continued.
MAX_LIMIT = 100


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """A question to Recall, checked: 0 <= limit <= 100, 0 <= quote_chars <= 16,000; what was lowered is named."""

    text: str
    limit: int
    quote_chars: int
    fusion: Fusion
    lowered: tuple[LoweredBound, ...]
    exclude: frozenset[RecordRef] = frozenset()
    steps: frozenset[Step] = ALL_STEPS
    time_cue: TimeCue | None = None
    trace: bool = False
    gate: GateLevel = GateLevel.BALANCED
    profile: Profile = Profile.FLAT


@dataclass(frozen=True, slots=True)
class RecallHit:
    """A ranked record with its quote."""

    ranked: Ranked
    record: StoredRecord
    quote: Quote


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """Hits, best first, and what the answer had to do without."""

    hits: tuple[RecallHit, ...]
    candidates: int
    fusion: Fusion | None
    degradation: Degradation | None
    lowered: tuple[LoweredBound, ...]
    time_cue: CueOutcome | None = None
    trace: Trace | None = None
    refused: int = 0
    profile: ProfileOutcome | None = None


async def recall(deps: Deps, call: Call, scope: ReadScope, question: RecallQuestion) -> RecallAnswer:
    """The records that answer the question.

    Raises:
        UnsupportedMode: The deployment has not that profile.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    asked = Question(
        question.text,
        question.fusion,
        MAX_LIMIT,
        question.limit,
        exclude=question.exclude,
        steps=question.steps,
        time_cue=question.time_cue,
        trace=question.trace,
        gate=question.gate,
        profile=question.profile,
    )
    found = await retrieve(deps, call, scope, asked)
    chars = question.quote_chars
    lowered = list(question.lowered)
    if found.ranked and chars * len(found.ranked) > RECALL_BUDGET_CHARS:
        chars = RECALL_BUDGET_CHARS // len(found.ranked)
        asked = next((one.requested for one in lowered if one.field == "quote_chars"), question.quote_chars)
        lowered = [one for one in lowered if one.field != "quote_chars"]
        lowered.append(LoweredBound("quote_chars", asked, chars))
    hits = tuple(
        RecallHit(ranked, record, quote_start(record.content, chars))
        for ranked in found.ranked
        for record in (found.records[ranked.record_id],)
    )
    return RecallAnswer(
        hits,
        found.candidates,
        found.fusion,
        found.degradation,
        tuple(lowered),
        found.time_cue,
        found.trace,
        found.refused,
        found.profile,
    )
