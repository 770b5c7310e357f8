"""Traces as messages."""

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.votes import ARMS, FUSION_NAMES, GATES, STEPS, encode_priors, encode_votes
from rensou_recall.types.retrieval import Ranked
from rensou_recall.types.time_cue import CueHit
from rensou_recall.types.trace import (
    TRACE_VERSION,
    Trace,
    TracedArm,
    TracedBounds,
    TracedCoverage,
    TracedCue,
    TracedCuts,
    TracedDecision,
    TracedGate,
    TracedPlan,
    TracedTimings,
)
from rensou_shared.ids import RecordRef
from rensou_shared.scope import ReadScope

_VECTORS = {
    None: rpc.QUESTION_VECTOR_UNSPECIFIED,
    True: rpc.QUESTION_VECTOR_KEPT,
    False: rpc.QUESTION_VECTOR_EMBEDDED,
}


def encode_trace(trace: Trace | None) -> rpc.Trace | None:
    """The trace; None stays None."""
    if trace is None:
        return None
    return rpc.Trace(
        trace_version=TRACE_VERSION,
        server_version=trace.server_version,
        policies=trace.policies,
        scope=_scope(trace.scope),
        bounds=_bounds(trace.bounds),
        plan=_plan(trace.plan),
        arms=[_arm(arm) for arm in sorted(trace.arms, key=lambda arm: ARMS[arm.arm])],
        candidates=[_candidate(ref, ranked) for ref, ranked in trace.candidates],
        gate=_gate(trace.gate),
        time_cue=_cue(trace.time_cue),
        cuts=_cuts(trace.cuts),
        coverage=_coverage(trace.coverage),
        question_vector=_VECTORS[trace.vector_was_kept],
        timings=_timings(trace.timings),
    )


def _scope(scope: ReadScope) -> pb.ReadScope:
    return pb.ReadScope(
        agent_id=scope.agent_id, project_id=scope.project_id, channel=scope.channel, source_id=scope.source_id
    )


def _bounds(bounds: TracedBounds) -> rpc.TracedBounds:
    return rpc.TracedBounds(
        limit=bounds.limit,
        depth=bounds.depth,
        fusion=pb.FUSION_UNSPECIFIED if bounds.fusion is None else FUSION_NAMES[bounds.fusion],
        steps=sorted(STEPS[step] for step in bounds.steps),
        exclude=bounds.exclude,
        gate=GATES[bounds.gate],
    )


def _plan(plan: TracedPlan | None) -> rpc.TracedPlan | None:
    return None if plan is None else rpc.TracedPlan(name=plan.name, readable_records=plan.readable_records)


def _arm(arm: TracedArm) -> rpc.TracedArm:
    rows = [rpc.TracedRow(ref=str(row.ref), rank=row.rank, raw=row.raw) for row in arm.rows]
    return rpc.TracedArm(arm=ARMS[arm.arm], rows=rows, depth_met=arm.depth_met)


def _candidate(ref: RecordRef, ranked: Ranked) -> rpc.TracedCandidate:
    return rpc.TracedCandidate(
        ref=str(ref), score=ranked.score, votes=encode_votes(ranked), priors=encode_priors(ranked)
    )


def _gate(gate: TracedGate | None) -> rpc.TracedGate | None:
    if gate is None:
        return None
    return rpc.TracedGate(
        origin=gate.origin, sample=gate.sample, decisions=[_decision(decision) for decision in gate.decisions]
    )


def _decision(decision: TracedDecision) -> rpc.TracedDecision:
    return rpc.TracedDecision(
        ref=str(decision.ref),
        signal=decision.signal,
        score=decision.score,
        threshold=decision.threshold,
        passed=decision.passed,
        reason=decision.reason,
    )


def _cue(cue: TracedCue | None) -> rpc.TracedCue | None:
    if cue is None:
        return None
    moves = [
        rpc.TracedMove(ref=str(move.ref), from_place=move.from_place, to_place=move.to_place) for move in cue.moves
    ]
    return rpc.TracedCue(
        rows=[_cue_row(ref, hit) for ref, hit in cue.rows], moves=moves, seats=[str(ref) for ref in cue.seats]
    )


def _cue_row(ref: RecordRef, hit: CueHit) -> rpc.TracedCueRow:
    return rpc.TracedCueRow(
        ref=str(ref),
        cosine=hit.cosine,
        vector_rank=hit.vector_rank,
        bm25=hit.bm25,
        lexical_rank=hit.lexical_rank,
    )


def _cuts(cuts: TracedCuts) -> rpc.TracedCuts:
    return rpc.TracedCuts(
        candidates=cuts.candidates,
        refused=cuts.refused,
        excluded=cuts.excluded,
        gone=cuts.gone,
        beyond_limit=cuts.beyond_limit,
        excluded_by_validity=cuts.left_out,
    )


def _coverage(coverage: TracedCoverage) -> rpc.TracedCoverage:
    parts = [
        rpc.TracedPart(span=pb.Span(start=part.start, end=part.end), refs=[str(ref) for ref in part.refs])
        for part in coverage.parts
    ]
    return rpc.TracedCoverage(parts=parts, parts_omitted=coverage.parts_omitted, chars_a_hit=coverage.chars_a_hit)


def _timings(timings: TracedTimings) -> rpc.TracedTimings:
    return rpc.TracedTimings(
        embed_ms=timings.embed_ms,
        database_ms=timings.database_ms,
        stages_ms=timings.stages_ms,
        gate_ms=timings.gate_ms,
        rerank_ms=timings.rerank_ms,
        trace_ms=timings.trace_ms,
        total_ms=timings.total_ms,
    )
