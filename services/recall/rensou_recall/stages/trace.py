"""The trace of an answer, made of what the stages left behind."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rensou_recall.stages.answer import Answer, Cued
from rensou_recall.stages.coverage import cover
from rensou_recall.types.gate import Gated, Verdict
from rensou_recall.types.profile import Profile
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Admission, Arm, Candidate, Fusion, Question, Ranked, Step
from rensou_recall.types.time_cue import CUE_POLICY
from rensou_recall.types.trace import (
    Trace,
    TracedArm,
    TracedBounds,
    TracedCue,
    TracedCuts,
    TracedDecision,
    TracedGate,
    TracedMove,
    TracedPlan,
    TracedRow,
    TracedTimings,
)
from rensou_shared.ids import RecordId, RecordRef
from rensou_shared.scope import ReadScope

Refs = Mapping[RecordId, RecordRef]

NEWEST_POLICY: Final = "newest-v1"
GATE_POLICY: Final = "gate-v1"
FUSION_POLICIES: Final[Mapping[Fusion, str]] = {Fusion.CONVEX: "convex-v1", Fusion.RRF: "rrf-v1"}


@dataclass(frozen=True, slots=True)
class Origins:
    """Whose trace it is: the service's version, what is read, and whether the vector was at hand (None: no vector)."""

    server_version: str
    scope: ReadScope
    vector_was_kept: bool | None = None


@dataclass(frozen=True, slots=True)
class Remains:
    """What the stages left behind.

    Attributes:
        candidates: What the arms found, for a question that is not blank.
        fused: Every candidate, best fused score first, before the gate.
        admitted: What the ranking held when it was cut.
        refs: Of everything named that still exists, and of every hit.
        plan: How the vector arm searched, or None.
        gate: What the gate decided, or None without one.
        profile: The profile whose order stands, or None.
    """

    candidates: Sequence[Candidate]
    fused: Sequence[Ranked]
    admitted: Sequence[Ranked]
    answer: Answer
    records: Mapping[RecordId, StoredRecord]
    refs: Refs
    plan: TracedPlan | None = None
    gate: TracedGate | None = None
    profile: Profile | None = None
    left_out: int = 0


def ids_to_name(fused: Iterable[Ranked], cue: Cued | None) -> list[RecordId]:
    """The records that a trace names, ascending: their refs hold kinds, which candidates lack."""
    named = {one.record_id for one in fused}
    if cue is not None:
        named.update(hit.record_id for hit in cue.findings.found.hits)
    return sorted(named)


def build_trace(
    origins: Origins, question: Question, steps: frozenset[Step] | None, remains: Remains, timings: TracedTimings
) -> Trace:
    """The trace of `remains.answer`; `steps` are those taken, None for a blank question."""
    hits, refs = remains.answer.hits, remains.refs
    fusion = None if steps is None else question.fusion
    texts = {refs[one.record_id]: remains.records[one.record_id].content for one in hits}
    policies = [NEWEST_POLICY if fusion is None else FUSION_POLICIES[fusion]]
    if remains.gate is not None:
        policies.append(GATE_POLICY)
    if remains.profile is not None:
        policies.append(f"{remains.profile.name.lower()}-v1")
    if remains.answer.outcome is not None:
        policies.append(CUE_POLICY)
    return Trace(
        server_version=origins.server_version,
        policies=tuple(policies),
        scope=origins.scope,
        bounds=TracedBounds(
            question.keep, question.depth, fusion, steps or frozenset(), len(question.exclude), question.gate
        ),
        plan=remains.plan,
        arms=_arms(remains, question.depth),
        candidates=tuple((refs[one.record_id], one) for one in remains.fused if one.record_id in refs),
        gate=remains.gate,
        time_cue=_cue(remains.answer, refs),
        cuts=_cuts(remains, question),
        coverage=cover(question.text, texts),
        vector_was_kept=origins.vector_was_kept,
        timings=timings,
    )


def traced_gate(gated: Gated, refs: Refs) -> TracedGate | None:
    """The gate's decisions about what still exists; None when the gate was off."""
    if gated.calibration is None:
        return None
    decisions = (_decision(one, refs[one.record_id]) for one in gated.verdicts if one.record_id in refs)
    return TracedGate(gated.calibration.origin.name.lower(), gated.calibration.sample, tuple(decisions))


def _decision(verdict: Verdict, ref: RecordRef) -> TracedDecision:
    return TracedDecision(
        ref=ref,
        signal=verdict.signal.name.lower(),
        score=verdict.value,
        threshold=verdict.threshold,
        passed=not verdict.is_refusal,
        reason=verdict.reason.name.lower(),
    )


def _arms(remains: Remains, depth: int) -> tuple[TracedArm, ...]:
    arms: list[tuple[Arm, list[tuple[RecordId, int, float]]]] = [
        (
            Arm.VECTOR,
            [(c.record_id, c.vector_rank, c.cosine or 0.0) for c in remains.candidates if c.vector_rank is not None],
        ),
        (
            Arm.LEXICAL,
            [(c.record_id, c.lexical_rank, c.bm25) for c in remains.candidates if c.lexical_rank is not None],
        ),
        (
            Arm.RECENT,
            [
                (one.record_id, vote.rank, vote.score)
                for one in remains.fused
                for vote in one.votes
                if vote.arm is Arm.RECENT and vote.rank is not None
            ],
        ),
    ]
    return tuple(_arm(arm, rows, remains.refs, depth) for arm, rows in arms if rows)


def _arm(arm: Arm, rows: Sequence[tuple[RecordId, int, float]], refs: Refs, depth: int) -> TracedArm:
    by_rank = sorted(rows, key=lambda row: row[1])
    traced = tuple(TracedRow(refs[number], rank, raw) for number, rank, raw in by_rank if number in refs)
    return TracedArm(arm, traced, len(rows) >= depth)


def _cue(answer: Answer, refs: Refs) -> TracedCue | None:
    if answer.outcome is None:
        return None
    before = {one.record_id: place for place, one in enumerate(answer.window, start=1)}
    moves = (
        TracedMove(refs[one.record_id], before[one.record_id], place)
        for place, one in enumerate(answer.hits, start=1)
        if before.get(one.record_id, place) != place
    )
    rows = ((refs[hit.record_id], hit) for hit in answer.outcome.findings.found.hits if hit.record_id in refs)
    seats = (one for one in answer.hits if one.admission is Admission.TIME_CUE)
    return TracedCue(tuple(rows), tuple(moves), tuple(refs[one.record_id] for one in seats))


def _cuts(remains: Remains, question: Question) -> TracedCuts:
    refs, hits = remains.refs, {one.record_id for one in remains.answer.window}
    rest = [one.record_id for one in remains.admitted if one.record_id not in hits]
    excluded = sum(number in refs and refs[number] in question.exclude for number in rest)
    gone = sum(number not in refs for number in rest)
    return TracedCuts(
        candidates=len(remains.fused),
        refused=len(remains.fused) - len(remains.admitted) - remains.left_out,
        excluded=excluded,
        gone=gone,
        beyond_limit=len(rest) - excluded - gone,
        left_out=remains.left_out,
    )
