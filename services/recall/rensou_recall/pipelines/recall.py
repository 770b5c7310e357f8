"""Recall: retrieval, cut to what was asked for, quoted from the start of each record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rensou_recall.pipelines.confidence import load_confidences, weighed_record
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.feedback import log_recall, logged_recall
from rensou_recall.pipelines.retrieve import retrieve
from rensou_recall.pipelines.standing import edges_at, load_standings, starts_of
from rensou_recall.stages.excerpt import quote_start, withhold
from rensou_recall.stages.standing import Standings
from rensou_recall.stages.successor import Seat, live, seat_successors, sinks_of
from rensou_recall.stages.validity import cut_left_out, instant_of
from rensou_recall.store.known_at import reading
from rensou_recall.store.records import load_records
from rensou_recall.types.call import Call
from rensou_recall.types.confidence import MemoryConfidence
from rensou_recall.types.far import FarList
from rensou_recall.types.profile import Profile, ProfileOutcome
from rensou_recall.types.reach import Reach
from rensou_recall.types.records import LoweredBound, Quote, StoredRecord
from rensou_recall.types.retrieval import ALL_STEPS, Degradation, Fusion, GateLevel, Question, Ranked, Step
from rensou_recall.types.retrieved import Retrieved
from rensou_recall.types.standing import Resolution, Standing
from rensou_recall.types.time_cue import CueOutcome, TimeCue
from rensou_recall.types.trace import Trace
from rensou_recall.types.validity import NOTHING_LEFT_OUT, LeftOut
from rensou_shared.domain import RECALL_BUDGET_CHARS
from rensou_shared.ids import RecordId, RecordRef
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
    resolution: Resolution = Resolution.ANY
    include_replaced: bool = False
    reach: Reach = Reach.NEAR
    valid_at: datetime | None = None
    confidence: bool = False
    report: bool = False


@dataclass(frozen=True, slots=True)
class RecallHit:
    """A ranked record with its quote, and what is declared about it.

    Attributes:
        in_place_of: The replaced record that was ranked, where this one has taken its place.
    """

    ranked: Ranked
    record: StoredRecord
    quote: Quote
    standing: Standing | None = None
    in_place_of: RecordRef | None = None
    confidence: MemoryConfidence | None = None


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
    far: FarList | None = None
    left_out: LeftOut = NOTHING_LEFT_OUT
    recall_id: str = ""


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
        reach=question.reach,
        valid_at=question.valid_at,
        report=question.report,
    )
    found = await retrieve(deps, call, scope, asked)
    seats, standings = await _resolve(deps, call, scope, question, found)
    places = (*seats, *_far_seats(found))
    confidences = await _confidences(deps, call, scope, question, places)
    chars = question.quote_chars
    lowered = list(question.lowered)
    if places and chars * len(places) > RECALL_BUDGET_CHARS:
        chars = RECALL_BUDGET_CHARS // len(places)
        asked = next((one.requested for one in lowered if one.field == "quote_chars"), question.quote_chars)
        lowered = [one for one in lowered if one.field != "quote_chars"]
        lowered.append(LoweredBound("quote_chars", asked, chars))
    hits = tuple(
        replace(_hit(seat, standings.get(number), question, chars), confidence=confidences.get(number))
        for seat in places
        for number in (seat.record.ref.id,)
    )
    recall_id = await _log(deps, call, scope, found, hits) if question.report else ""
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
        found.far,
        cut_left_out(found.left_out),
        recall_id,
    )


async def _confidences(
    deps: Deps, call: Call, scope: ReadScope, question: RecallQuestion, seats: Sequence[Seat]
) -> Mapping[RecordId, MemoryConfidence]:
    """How well each record is grounded; unasked, nothing of it is read."""
    if not question.confidence or not seats:
        return {}
    weighed = [weighed_record(seat.record) for seat in seats]
    async with reading(deps.database, scope, timeout_s=call.remaining_s()) as connection:
        return (await load_confidences(connection, scope, weighed, question.valid_at)).of


async def _resolve(
    deps: Deps, call: Call, scope: ReadScope, question: RecallQuestion, found: Retrieved
) -> tuple[tuple[Seat, ...], Standings]:
    """Who sits in the places of the ranking, and what is declared about them; under ANY nothing of it is read."""
    records = {one.record_id: found.records[one.record_id] for one in found.ranked}
    far = () if found.far is None else found.far.records.values()
    if question.resolution is Resolution.ANY or not (records or far):
        return seat_successors(found.ranked, records, {}, question.exclude), {}
    async with reading(deps.database, scope, call.remaining_s()) as connection:
        load = edges_at(question.valid_at)
        standings = await load_standings(connection, scope, starts_of([*records.values(), *far]), load)
        if question.resolution is Resolution.ANNOTATE:
            return seat_successors(found.ranked, records, {}, question.exclude), standings
        unread = [one for one in sinks_of(records, standings) if one not in records]
        at = instant_of(records.values(), question.valid_at)
        read = live(await load_records(connection, scope, unread, at) if unread else {})
    return seat_successors(found.ranked, {**records, **read}, standings, question.exclude), standings


def _hit(seat: Seat, standing: Standing | None, question: RecallQuestion, chars: int) -> RecallHit:
    is_withheld = standing is not None and standing.is_replaced and not question.include_replaced
    content = seat.record.content
    quote = withhold(content) if is_withheld else quote_start(content, chars)
    return RecallHit(seat.ranked, seat.record, quote, standing, seat.in_place_of)


async def _log(deps: Deps, call: Call, scope: ReadScope, found: Retrieved, hits: Sequence[RecallHit]) -> str:
    returned = tuple(hit.record.ref.id for hit in hits)
    return await log_recall(deps, call, scope, "recall", logged_recall(found, returned))


def _far_seats(found: Retrieved) -> tuple[Seat, ...]:
    """The places held for retired records, to whom nobody succeeds."""
    if found.far is None:
        return ()
    return tuple(Seat(one, found.far.records[one.record_id]) for one in found.far.held)
