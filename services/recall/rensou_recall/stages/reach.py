"""Which entities one item reaches over declared relations, level by level."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

from rensou_recall.types.evidence import MAX_WALKED_ENTITIES, Edge
from rensou_shared.ids import EntityId

Edges = Mapping[EntityId, tuple[Edge, ...]]
"""Of each entity, newest first."""

_BY_RECENCY = attrgetter("recency")


@dataclass(frozen=True, slots=True)
class ReachedEntity:
    """An entity at `hops` relations (from 1) from a start, and the newest edge that leads to it from one hop nearer."""

    hops: int
    edge: Edge


@dataclass(frozen=True, slots=True)
class Reach:
    """What one item reaches.

    Attributes:
        entities: Reached over at least one relation, the starts left out, in order of hops, newest relation, number.
        unread: Entities whose edges must be read before the answer is complete; empty when it is.
        hops_cut: A relation leads on from an entity at the bound of hops.
        entities_cut: More entities were met than a neighbourhood holds.
    """

    entities: Mapping[EntityId, ReachedEntity]
    unread: frozenset[EntityId]
    hops_cut: bool
    entities_cut: bool


def reach(starts: Iterable[EntityId], edges: Edges, max_hops: int) -> Reach:
    """What `starts` reach over at most `max_hops` relations, in either direction.

    Where the bound on entities binds, those reached by the newest relations stay and the search ends. Edges at the
    bound of hops are needed as well, so that a cut is known.
    """
    distinct = list(dict.fromkeys(starts))
    frontier = distinct[:MAX_WALKED_ENTITIES]
    known = set(frontier)
    entities: dict[EntityId, ReachedEntity] = {}
    entities_cut = len(distinct) > len(frontier)
    for hops in range(1, max_hops + 2):
        unread = frozenset(entity for entity in frontier if entity not in edges)
        level = _next_level(frontier, edges, known)
        if unread or not level:
            return Reach(entities, unread, hops_cut=False, entities_cut=entities_cut)
        if hops > max_hops:
            return Reach(entities, frozenset(), hops_cut=True, entities_cut=entities_cut)
        kept = level[: MAX_WALKED_ENTITIES - len(known)]
        entities.update((edge.to_entity, ReachedEntity(hops, edge)) for edge in kept)
        if len(kept) < len(level):
            return Reach(entities, frozenset(), hops_cut=False, entities_cut=True)
        frontier = [edge.to_entity for edge in kept]
        known.update(frontier)
    raise AssertionError("unreachable")


def _next_level(frontier: Iterable[EntityId], edges: Edges, known: set[EntityId]) -> list[Edge]:
    """The newest edge to each entity that is not known yet, newest first: one more than a neighbourhood has room for.

    Of a hub, known itself, no more edges are looked at than a neighbourhood holds: the rest is too old to count.
    """
    enough = MAX_WALKED_ENTITIES - len(known) + 1
    best: dict[EntityId, Edge] = {}
    runs = (edges.get(entity, ())[:MAX_WALKED_ENTITIES] for entity in frontier)
    for edge in sorted(chain.from_iterable(runs), key=_BY_RECENCY):
        if edge.to_entity not in known and edge.to_entity not in best:
            best[edge.to_entity] = edge
            if len(best) == enough:
                break
    return list(best.values())
