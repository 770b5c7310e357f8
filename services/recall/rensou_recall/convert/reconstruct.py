"""Questions to Reconstruct, and assembled answers."""

from collections.abc import Sequence

from rensou.v1 import recall_service_pb2 as rpc
from rensou_recall.convert.confidence import encode_confidence
from rensou_recall.convert.fields import bound, bound_terms, decode_time, encode_time, require_text
from rensou_recall.convert.reach import decode_reach, encode_far
from rensou_recall.convert.reconstruct_trace import encode_reconstruct_trace
from rensou_recall.convert.records import encode_lowered, encode_quote
from rensou_recall.convert.retrieval import decode_fusion, decode_gate, decode_steps, encode_degradation
from rensou_recall.convert.scopes import decode_known_scope
from rensou_recall.convert.standing import decode_resolution, encode_standing
from rensou_recall.convert.validity import encode_entry, encode_left_out, encode_validity
from rensou_recall.types.call import Principal
from rensou_recall.types.evidence import (
    BoundSource,
    Claim,
    ClaimRole,
    Conflict,
    EvidenceBound,
    EvidenceBounds,
    Item,
    Reconstruction,
    ReconstructQuestion,
    Shortfall,
)
from rensou_recall.types.records import LoweredBound
from rensou_recall.types.roles import Role
from rensou_shared.domain import MAX_QUERY_CHARS
from rensou_shared.ids import format_relation_ref
from rensou_shared.scope import ReadScope

DEFAULT_COUNT = MAX_COUNT = 10
DEFAULT_TOP_K, MAX_TOP_K = 20, 100
DEFAULT_HOPS, MAX_HOPS = 2, 5
DEFAULT_EVIDENCE, MAX_EVIDENCE = 40, 100
DEFAULT_BUDGET_CHARS, MIN_BUDGET_CHARS, MAX_BUDGET_CHARS = 4_000, 800, 20_000

_ROLES = {
    Role.SUPPORTS: rpc.ROLE_SUPPORTS,
    Role.SUPERSEDES: rpc.ROLE_SUPERSEDES,
    Role.CORRECTS: rpc.ROLE_CORRECTS,
    Role.QUALIFIES: rpc.ROLE_QUALIFIES,
    Role.CONTRADICTS: rpc.ROLE_CONTRADICTS,
    Role.TEMPORAL_PREDECESSOR: rpc.ROLE_TEMPORAL_PREDECESSOR,
}
_BOUNDS = {
    EvidenceBound.TOP_K: rpc.BOUND_TOP_K,
    EvidenceBound.MAX_HOPS: rpc.BOUND_MAX_HOPS,
    EvidenceBound.MAX_EVIDENCE: rpc.BOUND_MAX_EVIDENCE,
    EvidenceBound.NEIGHBOURHOOD: rpc.BOUND_NEIGHBOURHOOD,
    EvidenceBound.MAX_CORRECTIONS: rpc.BOUND_MAX_CORRECTIONS,
}
_SOURCES = {
    BoundSource.REQUEST: rpc.BOUND_SOURCE_REQUEST,
    BoundSource.DEFAULT: rpc.BOUND_SOURCE_DEFAULT,
    BoundSource.DEFAULT_RAISED: rpc.BOUND_SOURCE_DEFAULT_RAISED,
    BoundSource.CLAMPED: rpc.BOUND_SOURCE_CLAMPED,
}
_SHORTFALLS = {
    None: rpc.SHORTFALL_UNSPECIFIED,
    Shortfall.COUNT_ZERO: rpc.SHORTFALL_COUNT_ZERO,
    Shortfall.NO_RELEVANT_EVIDENCE: rpc.SHORTFALL_NO_RELEVANT_EVIDENCE,
    Shortfall.EXHAUSTED_CANDIDATES: rpc.SHORTFALL_EXHAUSTED_CANDIDATES,
    Shortfall.BUDGET_EXHAUSTED: rpc.SHORTFALL_BUDGET_EXHAUSTED,
}


def decode_reconstruct(request: rpc.ReconstructRequest, principal: Principal) -> tuple[ReadScope, ReconstructQuestion]:
    """What may be read, and the question.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_known_scope(request, principal)
    text = require_text("query", request.query, MAX_QUERY_CHARS, allow_blank=True)
    bounds, moved = _decode_bounds(request)
    fusion, steps, gate = decode_fusion(request.fusion), decode_steps(request.without), decode_gate(request.gate)
    lowered, reach = (*bound_terms("query", text), *moved), decode_reach(request.reach)
    count_source, budget_source = (_source(request, field, moved) for field in ("count", "budget_chars"))
    resolution = decode_resolution(request.resolution)
    return scope, ReconstructQuestion(
        text,
        fusion,
        bounds,
        lowered,
        steps,
        gate,
        count_source,
        budget_source,
        resolution,
        request.include_replaced,
        reach,
        decode_time("valid_at", request, "valid_at"),
        request.trace,
        request.report,
    )


def _source(request: rpc.ReconstructRequest, field: str, moved: Sequence[LoweredBound]) -> BoundSource:
    if not request.HasField(field):
        return BoundSource.DEFAULT
    return BoundSource.CLAMPED if any(one.field == field for one in moved) else BoundSource.REQUEST


def _decode_bounds(request: rpc.ReconstructRequest) -> tuple[EvidenceBounds, list[LoweredBound]]:
    count, count_moved = bound(request, "count", default=DEFAULT_COUNT, maximum=MAX_COUNT)
    top_k, top_k_moved = bound(request, "top_k", default=DEFAULT_TOP_K, maximum=MAX_TOP_K, minimum=1)
    hops, hops_moved = bound(request, "max_hops", default=DEFAULT_HOPS, maximum=MAX_HOPS)
    evidence, evidence_moved = bound(request, "max_evidence", default=DEFAULT_EVIDENCE, maximum=MAX_EVIDENCE, minimum=1)
    budget, budget_moved = bound(
        request, "budget_chars", default=DEFAULT_BUDGET_CHARS, maximum=MAX_BUDGET_CHARS, minimum=1
    )
    if budget < MIN_BUDGET_CHARS:
        budget_moved = [LoweredBound("budget_chars", budget, MIN_BUDGET_CHARS)]
        budget = MIN_BUDGET_CHARS
    moved = [*count_moved, *top_k_moved, *hops_moved, *evidence_moved, *budget_moved]
    return EvidenceBounds(count, top_k, hops, evidence, budget), moved


def encode_reconstruct(answer: Reconstruction) -> rpc.ReconstructResponse:
    """The answer as a message."""
    return rpc.ReconstructResponse(
        items=[_encode_item(item) for item in answer.items],
        effective_count=answer.effective_count,
        shortfall=_SHORTFALLS[answer.shortfall],
        used_budget_chars=answer.used_budget_chars,
        effective_budget_chars=answer.effective_budget_chars,
        bounds=_encode_bounds(answer),
        degradation=encode_degradation(answer.degradation),
        count_source=_SOURCES[answer.count_source],
        budget_source=_SOURCES[answer.budget_source],
        terms_omitted=answer.terms_omitted,
        trace=encode_reconstruct_trace(answer.trace),
        far=encode_far(answer.far),
        excluded_by_validity=encode_left_out(answer.left_out),
        excluded_by_validity_omitted=answer.left_out.beyond,
        recall_id=answer.recall_id,
    )


def _encode_bounds(answer: Reconstruction) -> rpc.Bounds | None:
    if not (answer.omitted or answer.reached or answer.lowered):
        return None
    return rpc.Bounds(
        omitted=[_BOUNDS[met] for met in answer.omitted],
        reached=[_BOUNDS[met] for met in answer.reached],
        lowered=[encode_lowered(one) for one in answer.lowered],
    )


def _encode_item(item: Item) -> rpc.Item:
    return rpc.Item(
        head_ref=str(item.head_ref),
        quote=encode_quote(item.quote),
        claims=[_encode_claim(claim) for claim in item.claims],
        independence_reason=item.independence_reason,
        claims_omitted=item.claims_omitted,
        quotes_omitted=item.quotes_omitted,
        conflicts=[_encode_conflict(conflict) for conflict in item.conflicts],
        retired=item.retired,
        timeline=[encode_entry(entry) for entry in item.timeline.entries],
        timeline_omitted=item.timeline.omitted,
    )


def _encode_conflict(conflict: Conflict) -> rpc.Conflict:
    return rpc.Conflict(
        refs=[str(ref) for ref in conflict.refs],
        reason=rpc.CONFLICT_REASON_DECLARED_CONTRADICTION,
        relation_ref=format_relation_ref(conflict.relation_id),
        settled=conflict.settled,
    )


def _encode_claim(claim: Claim) -> rpc.Claim:
    return rpc.Claim(
        ref=str(claim.ref),
        as_of_time=encode_time(claim.as_of),
        why=claim.why,
        hops=claim.hops,
        roles=[_encode_role(role) for role in claim.roles],
        quote=None if claim.quote is None else encode_quote(claim.quote),
        confidence=encode_confidence(claim.confidence),
        standing=encode_standing(claim.standing),
        validity=encode_validity(claim.validity),
    )


def _encode_role(role: ClaimRole) -> rpc.ClaimRole:
    return rpc.ClaimRole(role=_ROLES[role.role], ref=str(role.ref))
