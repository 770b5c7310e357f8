"""What belongs to the first hit, so that GRAPH lifts nothing of somebody alike."""

from collections.abc import Mapping
from typing import Final

from rensou_recall.types.evidence import Edge
from rensou_shared.ids import EntityId

MAX_HOPS: Final = 2
"""Relations away from an entity of the first hit's: as far as Reconstruct walks by default."""


def known_entities(home: frozenset[EntityId], edges: Mapping[EntityId, tuple[Edge, ...]]) -> frozenset[EntityId]:
    """`home`, the entities that the first hit mentions, and those that declared relations join to them.

    Not so a sibling: one that stands in the same relation to the same thing as one of `home` ("A works on P, B works
    on P"). It is of their kind, not of theirs, and the way does not lead on through it.
    """
    kind = {(edge.to_entity, edge.predicate) for entity in home for edge in edges.get(entity, ())}
    known, frontier = home, home
    for _ in range(MAX_HOPS):
        met = {edge.to_entity for entity in frontier for edge in edges.get(entity, ())} - known
        # One whose own relations were not read may be anybody's.
        frontier = frozenset(entity for entity in met if entity in edges and not _is_sibling(edges[entity], kind))
        known |= frontier
    return known


def _is_sibling(edges: tuple[Edge, ...], kind: set[tuple[EntityId, str]]) -> bool:
    return any((edge.to_entity, edge.predicate) in kind for edge in edges)
