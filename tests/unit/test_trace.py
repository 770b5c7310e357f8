"""The trace of an answer, and its message."""

from datetime import UTC, datetime, timedelta

import pytest

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.trace import encode_trace
from rensou_recall.stages.answer import answer, cued, ids_to_read
from rensou_recall.stages.fuse import fuse
from rensou_recall.stages.rank import rank
from rensou_recall.stages.trace import Origins, Remains, build_trace, ids_to_name, traced_gate
from rensou_recall.types.gate import Calibration, Gated, Reason, Signal, Verdict
from rensou_recall.types.records import Source, StoredRecord
from rensou_recall.types.retrieval import Arm, Candidate, Fusion, Question, Step
from rensou_recall.types.time_cue import Confidence, CuedPeriod, CueFindings, CueHit, Period
from rensou_recall.types.trace import Trace, TracedDecision, TracedGate, TracedPlan, TracedTimings
from rensou_shared.ids import AgentId, RecordId, RecordRef
from rensou_shared.scope import ReadScope

NOW = datetime(2026, 3, 29, tzinfo=UTC)
TIMINGS = TracedTimings(1.0, 2.0, 3.0, 0.5, 3.5, 10.0)
ORIGINS = Origins("1.2.3", ReadScope(AgentId("ann"), "p", "c", "s"), vector_was_kept=True)
GONE = 6
STEPS = frozenset({Step.CONTEXT, Step.SESSION})
ROWS = [
    Candidate(RecordId(number), 1 - number / 10, number if number < 5 else None, 9.0 - number, 7 - number, 0.0)
    for number in range(1, 7)
]


def ref(number: int) -> RecordRef:
    return RecordRef("ep" if number % 2 else "mem", RecordId(number))


def traced(question: Question, cue: CueFindings | None = None, refused: frozenset[int] = frozenset()) -> Trace:
    fused = rank(fuse(ROWS, question.fusion))
    admitted = [one for one in fused if one.record_id not in refused]
    follows = cued(cue, [one.record_id for one in ROWS], admitted)
    records = {
        one: StoredRecord(ref(one), "secret tea", "", "", Source(), "", None, None, NOW, False, 1)
        for one in ids_to_read(admitted, follows, question)
        if one != GONE
    }
    named = {one: ref(one) for one in ids_to_name(fused, follows) if one != GONE}
    remains = Remains(ROWS, fused, admitted, answer(admitted, follows, records, question), records, named)
    return build_trace(ORIGINS, question, STEPS, remains, TIMINGS)


def test_the_cuts_account_for_every_candidate() -> None:
    trace = traced(Question("tea", Fusion.CONVEX, 4, 2, exclude=frozenset({ref(1)})), refused=frozenset({3}))
    cuts = trace.cuts
    assert (cuts.candidates, cuts.refused, cuts.excluded, cuts.gone, cuts.beyond_limit) == (6, 1, 1, 1, 1)
    assert cuts.candidates == cuts.refused + cuts.excluded + cuts.gone + cuts.beyond_limit + 2


def test_arms_are_by_rank_and_say_whether_the_depth_was_met() -> None:
    vector, lexical = traced(Question("tea", Fusion.CONVEX, 4, 2)).arms
    assert (vector.arm, [(row.ref, row.rank) for row in vector.rows]) == (
        Arm.VECTOR,
        [(ref(n), n) for n in (1, 2, 3, 4)],
    )
    assert (lexical.arm, [row.ref.id for row in lexical.rows]) == (Arm.LEXICAL, [5, 4, 3, 2, 1])
    assert vector.depth_met
    assert not traced(Question("tea", Fusion.CONVEX, 9, 2)).arms[0].depth_met


def test_what_is_gone_is_named_nowhere_and_candidates_are_in_the_order_of_their_score() -> None:
    trace = traced(Question("tea", Fusion.RRF, 9, 6))
    scores = [ranked.score for _, ranked in trace.candidates]
    assert scores == sorted(scores, reverse=True)
    assert {one.id for one, _ in trace.candidates} == {1, 2, 3, 4, 5}
    assert "6" not in {str(row.ref.id) for arm in trace.arms for row in arm.rows}
    assert trace.policies == ("rrf-v1",)


def test_moves_and_seats_of_a_time_cue_are_told() -> None:
    hits = (CueHit(RecordId(9), 0.5, 1, 0.0, None), CueHit(RecordId(3), 0.2, 2, 1.0, 1))
    findings = CueFindings(Period(NOW - timedelta(days=9), NOW), Confidence.VAGUE, found=CuedPeriod(hits, 2, False))
    trace = traced(Question("tea", Fusion.CONVEX, 9, 3), findings)
    assert trace.time_cue is not None
    assert [one.id for one, _ in trace.time_cue.rows] == [9, 3]
    assert [(move.ref.id, move.from_place, move.to_place) for move in trace.time_cue.moves] == []
    assert [one.id for one in trace.time_cue.seats] == [9]
    assert trace.policies == ("convex-v1", "cued-v1")


def test_a_message_holds_the_whole_trace_and_no_text() -> None:
    trace = traced(Question("tea", Fusion.CONVEX, 4, 2))
    message = encode_trace(trace)
    assert message is not None
    assert (message.trace_version, message.server_version) == (1, "1.2.3")
    assert message.scope == pb.ReadScope(agent_id="ann", project_id="p", channel="c", source_id="s")
    assert list(message.bounds.steps) == [rpc.STEP_CONTEXT, rpc.STEP_SESSION]
    assert message.question_vector == rpc.QUESTION_VECTOR_KEPT
    assert message.timings.total_ms == pytest.approx(10.0)
    assert not message.HasField("plan")
    assert not message.HasField("gate")
    assert message.coverage.parts[0].span == pb.Span(start=0, end=3)
    assert len(message.coverage.parts[0].refs) == 2
    assert b"secret" not in message.SerializeToString()
    assert encode_trace(None) is None


def test_the_gates_decisions_are_told_by_name() -> None:
    verdicts = (
        Verdict(RecordId(1), Signal.CLOSENESS, 0.9, 0.75, Reason.NEAR),
        Verdict(RecordId(2), Signal.WORDS, 0.1, 0.6, Reason.TOO_FAR),
        Verdict(RecordId(GONE), Signal.NONE, None, None, Reason.SMALL_POOL),
    )
    gated = Gated((), verdicts, Calibration(64, (0.1,)))
    told = traced_gate(gated, {RecordId(1): ref(1), RecordId(2): ref(2)})
    assert told == TracedGate(
        "calibrated",
        64,
        (
            TracedDecision(ref(1), "closeness", 0.9, 0.75, True, "near"),
            TracedDecision(ref(2), "words", 0.1, 0.6, False, "too_far"),
        ),
    )
    assert traced_gate(Gated((), (), None), {}) is None


def test_a_plan_and_a_gate_are_told_as_they_are_given() -> None:
    decision = TracedDecision(ref(1), "cosine", 0.1, 0.2, False, "too_far")
    question = Question("tea", Fusion.CONVEX, 4, 2)
    fused = rank(fuse(ROWS, question.fusion))
    remains = Remains(
        ROWS, fused, fused, answer(fused, None, {}, question), {}, {},
        plan=TracedPlan("exact", 7), gate=TracedGate("calibrated", 64, (decision,)),
    )  # fmt: skip
    message = encode_trace(build_trace(ORIGINS, question, STEPS, remains, TIMINGS))
    assert message is not None
    assert (message.plan.name, message.plan.readable_records) == ("exact", 7)
    assert (message.gate.origin, message.gate.sample) == ("calibrated", 64)
    assert message.gate.decisions[0] == rpc.TracedDecision(
        ref="ep:1", signal="cosine", score=0.1, threshold=0.2, reason="too_far"
    )
