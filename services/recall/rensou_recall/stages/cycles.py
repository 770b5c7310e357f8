"""Cycles among directed edges."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from rensou_shared.ids import RecordId, RelationId

T = TypeVar("T")

Arrow = tuple[RelationId, RecordId, RecordId]
"""A relation with its subject and its object."""


def relations_in_cycles(arrows: Sequence[Arrow]) -> list[RelationId]:
    """Those of the relations whose subject can be reached from their object, rising; O(arrows)."""
    following: dict[RecordId, list[RecordId]] = {}
    for _, subject, obj in arrows:
        following.setdefault(subject, []).append(obj)
        following.setdefault(obj, [])
    group = _strong_groups(following)
    return sorted(relation for relation, subject, obj in arrows if group[subject] == group[obj])


def _strong_groups(following: Mapping[T, Sequence[T]]) -> dict[T, int]:
    """The number of the strongly connected group of each node (Kosaraju 1978); no recursion, whatever the depth."""
    order: list[T] = []
    seen: set[T] = set()
    for start in following:
        order += _finished(start, following, seen)
    leading: dict[T, list[T]] = {node: [] for node in following}
    for node, others in following.items():
        for other in others:
            leading[other].append(node)
    group: dict[T, int] = {}
    taken: set[T] = set()
    for number, start in enumerate(reversed(order)):
        group |= dict.fromkeys(_finished(start, leading, taken), number)
    return group


def _finished(start: T, following: Mapping[T, Sequence[T]], seen: set[T]) -> Iterable[T]:
    """The nodes that `start` leads to and that are not in `seen`, each after those that it leads to; all are in `seen`
    afterwards."""
    if start in seen:
        return []
    seen.add(start)
    finished: list[T] = []
    path = [(start, iter(following[start]))]
    while path:
        node, left = path[-1]
        ahead = next((other for other in left if other not in seen), None)
        if ahead is None:
            finished.append(node)
            path.pop()
        else:
            seen.add(ahead)
            path.append((ahead, iter(following[ahead])))
    return finished
