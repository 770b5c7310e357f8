"""The reads between retrieval and the answer: the declared graph around the items, and the texts that are quoted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from rensou_recall.stages.budget import admitted
from rensou_recall.stages.excerpt import withhold
from rensou_recall.stages.overlap import QuestionGrams
from rensou_recall.stages.passage import choose_quote
from rensou_recall.stages.reach import reach
from rensou_recall.stages.validity import instant_of
from rensou_recall.stages.walk import item_starts
from rensou_recall.store.evidence_graph import (
    FRONTIER_BATCH,
    load_pool_links,
    load_pool_mentions,
    load_walk_edges,
    load_walk_records,
)
from rensou_recall.store.evidence_records import load_evidence_traits, load_scored_nodes
from rensou_recall.store.records import load_records
from rensou_recall.store.validity import load_walk_outside
from rensou_recall.types.evidence import (
    Cluster,
    DeclaredGraph,
    Edge,
    EvidenceBounds,
    EvidenceTraits,
    MentioningRecords,
    QuoteSlot,
    RecordLink,
    Walked,
)
from rensou_recall.types.records import Quote, StoredRecord
from rensou_recall.types.retrieved import Retrieved
from rensou_recall.types.validity import NOTHING_LEFT_OUT, LeftOut
from rensou_shared.db.pool import Connection
from rensou_shared.ids import EntityId, RecordId, RecordRef
from rensou_shared.scope import ReadScope

# Texts are read a few at a time: the budget usually ends after the first.
_QUOTE_BATCH = 32

Pool = Mapping[RecordId, StoredRecord]
T = TypeVar("T")


async def load_declared_graph(
    connection: Connection,
    scope: ReadScope,
    window: Sequence[Cluster],
    pool: Pool,
    bounds: EvidenceBounds,
    valid_at: datetime | None = None,
    left_out: LeftOut = NOTHING_LEFT_OUT,
) -> DeclaredGraph:
    """Everything that the walk over `window` may use, and nothing that the scope does not read or is not true then.

    `left_out` is what retrieval has told of already.
    """
    members = [member.record_id for cluster in window for member in cluster.members]
    mentions = await load_pool_mentions(connection, scope, members)
    graph = DeclaredGraph(mentions, {}, {})
    edges: dict[EntityId, tuple[Edge, ...]] = {}
    reached: set[EntityId] = set()
    waiting = [item_starts(cluster, graph) for cluster in window]
    # Each round reads one level further out for every item that is not complete yet.
    while waiting:
        found = [(start, reach(start, edges, bounds.max_hops)) for start in waiting]
        reached.update(entity for _, own in found if not own.unread for entity in own.entities)
        waiting = [start for start, own in found if own.unread]
        for batch in _batches(sorted({entity for _, own in found for entity in own.unread}), FRONTIER_BATCH):
            edges |= await load_walk_edges(connection, scope, batch, valid_at=valid_at)
    records: dict[EntityId, MentioningRecords] = {}
    for batch in _batches(sorted(reached), FRONTIER_BATCH):
        records |= await load_walk_records(connection, scope, batch, list(pool), bounds.max_evidence, valid_at)
    if valid_at is None or not reached:
        return DeclaredGraph(mentions, edges, records)
    known = [*pool, *(ref.id for ref in left_out.refs if isinstance(ref, RecordRef))]
    outside = await load_walk_outside(connection, scope, sorted(reached), known, valid_at)
    return DeclaredGraph(mentions, edges, records, outside)


async def load_claim_traits(
    connection: Connection,
    scope: ReadScope,
    pool: Pool,
    walked: Sequence[Walked],
    max_evidence: int,
    valid_at: datetime | None = None,
) -> dict[RecordId, EvidenceTraits]:
    """The traits of the pool and of every reached record that an item could keep.

    What is asserted is seen at `valid_at` or, where nobody asks for another instant, at one for all of them.
    """
    traits = {
        number: EvidenceTraits(record.ref, record.occurred_at, record.validity) for number, record in pool.items()
    }
    at = instant_of(pool.values(), valid_at)
    ids = sorted(record.record_id for gained in walked for record in gained.records[:max_evidence])
    return traits | (await load_evidence_traits(connection, scope, ids, at) if ids else {})


async def load_evidence_links(
    connection: Connection,
    scope: ReadScope,
    pool: Pool,
    walked: Sequence[Walked],
    links: Sequence[RecordLink],
    bounds: EvidenceBounds,
    valid_at: datetime | None = None,
) -> tuple[RecordLink, ...]:
    """`links` between records of the pool and, where the walk reached any, those that reached records have part in."""
    reached = [record.record_id for gained in walked for record in gained.records[: bounds.max_evidence]]
    return await load_pool_links(connection, scope, [*pool, *reached], valid_at) if reached else tuple(links)


@dataclass(frozen=True, slots=True)
class Quoting:
    """What quotes are chosen by: the question's grams, its vector and model as retrieval used them, and the budget.

    For the first `heads` quotes the budget is raised as far as they need. Of the `withheld` nothing is quoted.
    """

    asked: QuestionGrams
    found: Retrieved
    budget_chars: int
    heads: int
    withheld: frozenset[RecordId] = frozenset()


@dataclass(frozen=True, slots=True)
class Quoted:
    """The quotes that the budget admits, and the budget that was used."""

    quotes: Mapping[RecordId, Quote]
    budget_chars: int


async def quote_within_budget(
    connection: Connection, scope: ReadScope, slots: Sequence[QuoteSlot], pool: Pool, quoting: Quoting
) -> Quoted:
    """The quotes of the longest prefix of `slots` that the budget admits.

    A record that was forgotten during the call has no quote and takes no room.
    """
    chosen: list[tuple[RecordId, Quote | None]] = []
    used_chars = 0
    budget_chars = quoting.budget_chars
    for batch in _batches(slots, _QUOTE_BATCH):
        for record_id, quote in await _quote_batch(connection, scope, batch, pool, quoting):
            chosen.append((record_id, quote))
            used_chars += _length(quote)
            if len(chosen) <= quoting.heads:
                budget_chars = max(budget_chars, used_chars)
            if used_chars > budget_chars:
                break
        if used_chars > budget_chars:
            break
    count = admitted((_length(quote) for _, quote in chosen), budget_chars)
    return Quoted({record_id: quote for record_id, quote in chosen[:count] if quote is not None}, budget_chars)


async def _quote_batch(
    connection: Connection, scope: ReadScope, batch: Sequence[QuoteSlot], pool: Pool, quoting: Quoting
) -> Iterator[tuple[RecordId, Quote | None]]:
    """The quote of each slot, chosen as it is asked for."""
    walked = [slot.record_id for slot in batch if slot.record_id not in pool]
    records = {**pool, **(await load_records(connection, scope, walked) if walked else {})}
    long = [
        slot.record_id
        for slot in batch
        if slot.record_id in records
        and slot.record_id not in quoting.withheld
        and len(records[slot.record_id].content) > slot.max_chars
    ]
    found = quoting.found
    nodes = await load_scored_nodes(connection, scope, long, found.query_vector, found.model_id) if long else {}

    def quote(slot: QuoteSlot) -> Quote | None:
        if slot.record_id not in records:
            return None
        content = records[slot.record_id].content
        if slot.record_id in quoting.withheld:
            return withhold(content)
        return choose_quote(content, nodes.get(slot.record_id), quoting.asked, slot.max_chars)

    return ((slot.record_id, quote(slot)) for slot in batch)


def _length(quote: Quote | None) -> int:
    return 0 if quote is None else len(quote.content)


def _batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
