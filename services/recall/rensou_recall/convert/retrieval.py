"""Questions and explanations."""

from collections.abc import Sequence

from rensou.v1 import gate_pb2
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.confidence import encode_confidence
from rensou_recall.convert.fields import (
    bound,
    bound_terms,
    decode_time,
    encode_time,
    require_list,
    require_record_ref,
    require_text,
)
from rensou_recall.convert.profile import decode_profile, encode_admission, encode_effect, encode_outcome
from rensou_recall.convert.reach import decode_reach, encode_far
from rensou_recall.convert.records import encode_lowered, encode_quote, encode_record
from rensou_recall.convert.scopes import decode_known_scope
from rensou_recall.convert.standing import decode_resolution, encode_standing
from rensou_recall.convert.time_cue import decode_time_cue, encode_time_cue
from rensou_recall.convert.trace import encode_trace
from rensou_recall.convert.validity import encode_left_out, encode_validity
from rensou_recall.convert.votes import FUSION_NAMES, GATES, STEPS, encode_priors, encode_signal, encode_votes
from rensou_recall.pipelines.recall import MAX_LIMIT, RecallAnswer, RecallHit, RecallQuestion
from rensou_recall.types.call import Principal
from rensou_recall.types.retrieval import (
    ALL_STEPS,
    Degradation,
    DegradationKind,
    Fusion,
    GateLevel,
    Step,
)
from rensou_shared.domain import MAX_CONTENT_CHARS, MAX_EXCLUDED, MAX_QUERY_CHARS
from rensou_shared.errors import InvalidField
from rensou_shared.ids import RecordRef
from rensou_shared.scope import ReadScope

DEFAULT_LIMIT = 10
DEFAULT_QUOTE_CHARS = 1_000

_FUSIONS = {
    pb.FUSION_UNSPECIFIED: Fusion.CONVEX,
    pb.FUSION_CONVEX: Fusion.CONVEX,
    pb.FUSION_RRF: Fusion.RRF,
}
_STEPS_BY_VALUE = {value: step for step, value in STEPS.items()}
_GATES_BY_VALUE = {value: level for level, value in GATES.items()}
_DEGRADATIONS = {
    DegradationKind.NO_QUERY_VECTOR: pb.DEGRADATION_KIND_NO_QUERY_VECTOR,
    DegradationKind.MODEL_MISMATCH: pb.DEGRADATION_KIND_MODEL_MISMATCH,
    DegradationKind.RERANKER_UNAVAILABLE: pb.DEGRADATION_KIND_RERANKER_UNAVAILABLE,
}
SUPPORTED_STEPS: Sequence[rpc.Step] = tuple(STEPS.values())
SUPPORTED_FUSIONS: Sequence[pb.Fusion] = tuple(FUSION_NAMES.values())
SUPPORTED_GATES: Sequence[gate_pb2.Gate] = tuple(GATES.values())


def decode_fusion(fusion: pb.Fusion) -> Fusion:
    """How the arms are fused.

    Raises:
        InvalidField: The value is none of the enum.
    """
    if fusion not in _FUSIONS:
        raise InvalidField("fusion", f"{fusion} is no fusion of this version")
    return _FUSIONS[fusion]


def decode_steps(without: Sequence[rpc.Step]) -> frozenset[Step]:
    """The steps that stay when those of `without` are left out.

    Raises:
        InvalidField: A value is none of the enum.
    """
    left_out: set[Step] = set()
    for position, value in enumerate(without):
        if value not in _STEPS_BY_VALUE:
            raise InvalidField(f"without[{position}]", f"{value} is no step of this version")
        left_out.add(_STEPS_BY_VALUE[value])
    return ALL_STEPS - left_out


def decode_gate(value: gate_pb2.Gate) -> GateLevel:
    """How much a candidate must have to do with the question.

    Raises:
        InvalidField: The value is none of the enum.
    """
    if value == gate_pb2.GATE_UNSPECIFIED:
        return GateLevel.BALANCED
    if value not in _GATES_BY_VALUE:
        raise InvalidField("gate", f"{value} is no gate of this version")
    return _GATES_BY_VALUE[value]


def decode_recall(request: rpc.RecallRequest, principal: Principal) -> tuple[ReadScope, RecallQuestion]:
    """What may be read, and the question.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_known_scope(request, principal)
    text = require_text("query", request.query, MAX_QUERY_CHARS, allow_blank=True)
    limit, lowered = bound(request, "limit", default=DEFAULT_LIMIT, maximum=MAX_LIMIT)
    chars, lowered_chars = bound(request, "quote_chars", default=DEFAULT_QUOTE_CHARS, maximum=MAX_CONTENT_CHARS)
    fusion, exclude = decode_fusion(request.fusion), _decode_exclude(request.exclude)
    steps = decode_steps(request.without)
    cue = decode_time_cue("time_cue", request.time_cue) if request.HasField("time_cue") else None
    gate = decode_gate(request.gate)
    return scope, RecallQuestion(
        text,
        limit,
        chars,
        fusion,
        (*bound_terms("query", text), *lowered, *lowered_chars),
        exclude,
        steps,
        cue,
        request.trace,
        gate,
        decode_profile(request.profile),
        decode_resolution(request.resolution),
        request.include_replaced,
        decode_reach(request.reach),
        decode_time("valid_at", request, "valid_at"),
        request.confidence,
        request.report,
    )


def _decode_exclude(refs: Sequence[str]) -> frozenset[RecordRef]:
    require_list("exclude", refs, MAX_EXCLUDED)
    return frozenset(require_record_ref(f"exclude[{i}]", ref) for i, ref in enumerate(refs))


def encode_degradation(degradation: Degradation | None) -> pb.Degradation | None:
    """What an answer had to do without; None stays None."""
    if degradation is None:
        return None
    return pb.Degradation(
        kind=_DEGRADATIONS[degradation.kind],
        reason=degradation.reason,
        since_time=encode_time(degradation.since),
    )


def encode_recall(answer: RecallAnswer) -> rpc.RecallResponse:
    """The answer as a message."""
    return rpc.RecallResponse(
        hits=[_encode_hit(hit, answer.fusion) for hit in answer.hits],
        candidates=answer.candidates,
        degradation=encode_degradation(answer.degradation),
        lowered=[encode_lowered(one) for one in answer.lowered],
        time_cue=encode_time_cue(answer.time_cue),
        trace=encode_trace(answer.trace),
        refused=answer.refused,
        profile=encode_outcome(answer.profile),
        far=encode_far(answer.far),
        excluded_by_validity=encode_left_out(answer.left_out),
        excluded_by_validity_omitted=answer.left_out.beyond,
        recall_id=answer.recall_id,
    )


def _encode_hit(hit: RecallHit, fusion: Fusion | None) -> rpc.Hit:
    return rpc.Hit(
        record=encode_record(hit.record),
        quote=encode_quote(hit.quote),
        explanation=rpc.Explanation(
            fusion=pb.FUSION_UNSPECIFIED if fusion is None else FUSION_NAMES[fusion],
            score=hit.ranked.score,
            votes=encode_votes(hit.ranked),
            priors=encode_priors(hit.ranked),
            admission=encode_admission(hit.ranked.admission),
            relevance=hit.ranked.relevance,
            profile=encode_effect(hit.ranked.effect),
            relevance_signal=encode_signal(hit.ranked.relevance_signal),
            in_place_of="" if hit.in_place_of is None else str(hit.in_place_of),
        ),
        standing=encode_standing(hit.standing),
        validity=encode_validity(hit.record.validity),
        confidence=encode_confidence(hit.confidence),
    )
