"""The answer from drafts and quotes: which items stand, why others do not, and which bounds shaped them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rensou_recall.types.evidence import (
    BoundSource,
    Draft,
    EvidenceBound,
    EvidenceBounds,
    Item,
    Reconstruction,
    ReconstructQuestion,
    Shortfall,
    Walked,
)
from rensou_recall.types.records import Quote
from rensou_shared.ids import RecordId


def nothing(bounds: EvidenceBounds, shortfall: Shortfall) -> Reconstruction:
    """An answer without items."""
    return Reconstruction((), bounds.count, shortfall, 0, bounds.budget_chars)


def budget_source(question: ReconstructQuestion, used_chars: int) -> BoundSource:
    """Where the budget that was used comes from: only a default is ever raised."""
    is_raised = used_chars > question.bounds.budget_chars
    return BoundSource.DEFAULT_RAISED if is_raised else question.budget_source


def conclude(
    drafts: Sequence[Draft],
    walked: Sequence[Walked],
    quotes: Mapping[RecordId, Quote],
    bounds: EvidenceBounds,
    candidates: int,
) -> Reconstruction:
    """The items whose head is quoted, with every admitted quote in its place.

    `quotes` holds what the budget admitted, `candidates` is how many retrieval found and admitted. The bounds name only
    what happened inside the items that are returned, and `top_k`.
    """
    items = tuple(_item(draft, quotes) for draft in drafts if draft.quoting[0] in quotes)
    omitted = {bound for gained in walked[: len(items)] for bound in gained.omitted}
    omitted |= {EvidenceBound.MAX_EVIDENCE for item in items if item.claims_omitted}
    omitted |= {EvidenceBound.MAX_CORRECTIONS for item in items if _is_chain_cut(item)}
    reached = {bound for gained in walked[: len(items)] for bound in gained.reached}
    reached |= {EvidenceBound.TOP_K} if candidates >= bounds.top_k else set()
    return Reconstruction(
        items=items,
        effective_count=bounds.count,
        shortfall=_shortfall(len(items), len(drafts), bounds.count),
        used_budget_chars=sum(len(quote.content) for quote in quotes.values()),
        effective_budget_chars=bounds.budget_chars,
        omitted=tuple(bound for bound in EvidenceBound if bound in omitted),
        reached=tuple(bound for bound in EvidenceBound if bound in reached),
    )


def _shortfall(returned: int, drafted: int, count: int) -> Shortfall | None:
    if returned < drafted:
        return Shortfall.BUDGET_EXHAUSTED
    return Shortfall.EXHAUSTED_CANDIDATES if drafted < count else None


def _is_chain_cut(item: Item) -> bool:
    return any(claim.standing is not None and claim.standing.chain_cut for claim in item.claims)


def _item(draft: Draft, quotes: Mapping[RecordId, Quote]) -> Item:
    head_id, *others = draft.quoting
    head = next(claim for claim in draft.claims if claim.ref.id == head_id)
    claims = tuple(claim if claim is head else replace(claim, quote=quotes.get(claim.ref.id)) for claim in draft.claims)
    return Item(
        head_ref=head.ref,
        quote=quotes[head_id],
        claims=claims,
        independence_reason=draft.independence_reason,
        claims_omitted=draft.claims_omitted,
        quotes_omitted=sum(1 for record_id in others if record_id not in quotes),
        conflicts=draft.conflicts,
        timeline=draft.timeline,
    )
