"""The walk: what declared relations add to the items, as one pure function called once a reconstruction."""

from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta

from rensou_recall.stages.reach import Reach, ReachedEntity, reach
from rensou_recall.types.evidence import Cluster, DeclaredGraph, EvidenceBound, ReachedRecord, Walked
from rensou_shared.ids import EntityId, RecordId

_Order = tuple[int, timedelta, int]


def item_starts(cluster: Cluster, graph: DeclaredGraph) -> tuple[EntityId, ...]:
    """The entities that the records of an item mention: best record first, then by number."""
    mentioned = (entity for member in cluster.members for entity in graph.mentions.get(member.record_id, ()))
    return tuple(dict.fromkeys(mentioned))


def walk(
    items: Sequence[Cluster], pool: Collection[RecordId], graph: DeclaredGraph, max_hops: int
) -> tuple[Walked, ...]:
    """What each of `items` gains: records that mention an entity reached over at least one relation.

    Order: hops, newest relation, record number. A record of `pool` stays where retrieval put it, and a record that
    an earlier item reached is not repeated; so what an item gains does not depend on how many items follow it.
    """
    taken = set(pool)
    walked: list[Walked] = []
    for cluster in items:
        reached = reach(item_starts(cluster, graph), graph.edges, max_hops)
        records = _records(reached, graph, taken)
        taken.update(record.record_id for record in records)
        walked.append(Walked(records, _omitted(reached), _reached(reached.entities, graph)))
    return tuple(walked)


def _records(reached: Reach, graph: DeclaredGraph, taken: set[RecordId]) -> tuple[ReachedRecord, ...]:
    best: dict[RecordId, tuple[_Order, ReachedEntity]] = {}
    for entity_id, entity in reached.entities.items():
        order = (entity.hops, *entity.edge.recency)
        mentioning = graph.records.get(entity_id)
        for record_id in () if mentioning is None else mentioning.record_ids:
            if record_id not in taken and (record_id not in best or order < best[record_id][0]):
                best[record_id] = (order, entity)
    ordered = sorted(best.items(), key=lambda found: (found[1][0], found[0]))
    return tuple(ReachedRecord(record_id, entity.edge.predicate, entity.hops) for record_id, (_, entity) in ordered)


def _omitted(reached: Reach) -> frozenset[EvidenceBound]:
    cuts = {EvidenceBound.MAX_HOPS: reached.hops_cut, EvidenceBound.NEIGHBOURHOOD: reached.entities_cut}
    return frozenset(bound for bound, cut in cuts.items() if cut)


def _reached(entities: Iterable[EntityId], graph: DeclaredGraph) -> frozenset[EvidenceBound]:
    mentioning = (graph.records.get(entity) for entity in entities)
    full = any(found is not None and found.more for found in mentioning)
    return frozenset({EvidenceBound.MAX_EVIDENCE} if full else ())
