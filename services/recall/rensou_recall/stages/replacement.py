"""Replacement edges: which new ones would lead back to their own subject."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from rensou_shared.ids import RecordId

REPLACEMENT_PREDICATES: Final = frozenset({"corrects", "supersedes"})
"""Normalised predicates by which a record takes another's place."""

MAX_SEARCHED: Final = 256
"""Records that a search for a cycle looks at. What lies further is not known: the edge is taken, with a warning."""

Edge = tuple[RecordId, RecordId]
"""The record that replaces, the record that is replaced."""


@dataclass(frozen=True, slots=True)
class ReplacementVerdict:
    """Which new edges would close a cycle, and which are taken though the search for one met its bound; by place."""

    closing: frozenset[int]
    unsure: frozenset[int]


def judge_replacements(
    edges: Mapping[int, Edge], reached: Mapping[RecordId, AbstractSet[RecordId]]
) -> ReplacementVerdict:
    """What becomes of `edges`, taken one after another; one that would close a cycle is not taken.

    Args:
        edges: New edges, by their place in the declaration, rising.
        reached: Of each edge's object, the records that standing edges lead to, itself included, at most MAX_SEARCHED.
    """
    taken: list[Edge] = []
    closing: set[int] = set()
    unsure: set[int] = set()
    for place, (subject, replaced) in edges.items():
        seen = _reachable(replaced, taken, reached)
        if subject in seen:
            closing.add(place)
            continue
        taken.append((subject, replaced))
        if len(seen) >= MAX_SEARCHED:
            unsure.add(place)
    return ReplacementVerdict(frozenset(closing), frozenset(unsure))


def _reachable(
    start: RecordId, taken: Sequence[Edge], reached: Mapping[RecordId, AbstractSet[RecordId]]
) -> set[RecordId]:
    """What standing and taken edges lead to from `start`; the search ends once it has seen MAX_SEARCHED records."""
    seen = {start} | reached.get(start, set())
    left = list(taken)
    while len(seen) < MAX_SEARCHED:
        next_edges = [edge for edge in left if edge[0] in seen]
        if not next_edges:
            break
        left = [edge for edge in left if edge[0] not in seen]
        for _, obj in next_edges:
            seen |= {obj} | reached.get(obj, set())
    return seen
