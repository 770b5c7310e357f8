"""The trace of a reconstruction, from what its stages left behind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rensou_recall.stages.confidence import judge_sufficiency
from rensou_recall.types.confidence import MemoryConfidence, Witness
from rensou_recall.types.evidence import Cluster, DeclaredGraph, Draft, Reconstruction, Walked
from rensou_recall.types.reconstruct_trace import ReconstructTrace, TracedItem, TracedMember, TracedWalk
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.trace import Trace
from rensou_shared.ids import RecordId, RecordRef


@dataclass(frozen=True, slots=True)
class Assembly:
    """What the stages left behind; `window`, `walked` and `drafts` go together by position.

    Attributes:
        bundles: How many clusters the pool made.
        origins: Where the heads come from.
    """

    pool: Mapping[RecordId, StoredRecord]
    bundles: int
    window: Sequence[Cluster]
    graph: DeclaredGraph
    walked: Sequence[Walked]
    drafts: Sequence[Draft]
    confidences: Mapping[RecordId, MemoryConfidence]
    origins: Mapping[RecordId, Witness]


def trace_assembly(retrieval: Trace | None, made: Assembly, answer: Reconstruction) -> ReconstructTrace:
    """The trace of `answer`. Whether it suffices is judged by the items that are returned."""
    quotes = {item.head_ref: 1 + sum(claim.quote is not None for claim in item.claims) for item in answer.items}
    items = tuple(
        _item(made, cluster, gained, draft, quotes)
        for cluster, gained, draft in zip(made.window, made.walked, made.drafts, strict=True)
    )
    heads = [
        (made.origins[item.head_ref.id], made.confidences.get(item.head_ref.id))
        for item in items
        if item.is_returned and item.head_ref.id in made.origins
    ]
    return ReconstructTrace(retrieval, len(made.pool), made.bundles, _walk(made.graph), items, judge_sufficiency(heads))


def _item(
    made: Assembly, cluster: Cluster, gained: Walked, draft: Draft, quotes: Mapping[RecordRef, int]
) -> TracedItem:
    head_ref = next(claim.ref for claim in draft.claims if claim.ref.id == draft.quoting[0])
    confidence = made.confidences.get(head_ref.id)
    return TracedItem(
        head_ref=head_ref,
        members=tuple(TracedMember(made.pool[one.record_id].ref, one.rank, one.why) for one in cluster.members),
        reached=len(gained.records),
        claims=len(draft.claims),
        quotes=quotes.get(head_ref, 0),
        confidence=None if confidence is None else confidence.level,
        is_returned=head_ref in quotes,
    )


def _walk(graph: DeclaredGraph) -> TracedWalk:
    return TracedWalk(
        mentioned=len({entity for entities in graph.mentions.values() for entity in entities}),
        entities=len(graph.edges),
        edges=sum(len(edges) for edges in graph.edges.values()),
        records=len({record for found in graph.records.values() for record in found.record_ids}),
    )
