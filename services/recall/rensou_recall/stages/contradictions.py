"""Pairs of relations of one subject and predicate that state another object, where one reader may read both."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice, product

from rensou_recall.types.declaration import Place
from rensou_recall.types.listing import ContradictionKey, Position, StatedGroup, StatedObject
from rensou_shared.ids import EntityId

_Key = tuple[str | None, str | None]


def pair_groups(groups: Sequence[StatedGroup], after: Position, keep: int) -> list[ContradictionKey]:
    """The pairs of the groups after the position, by subject, predicate and the two numbers, at most `keep`.

    It costs about as much as there are relations and pairs: those that meet a relation in its place are looked up, and
    those with its object are skipped by the run.
    """
    pairs: list[ContradictionKey] = []
    for group in groups:
        begun = (group.subject, group.predicate) == after[:2]
        first, second = (int(number) for number in (after[2:] if begun else (0, 0)))
        pairs += islice(_pairs(group, first, second), keep - len(pairs))
        if len(pairs) == keep:
            break
    return pairs


def _pairs(group: StatedGroup, first: int, second: int) -> Iterator[ContradictionKey]:
    """The pairs of a group after the numbers."""
    stated = group.stated
    lanes = _lanes(stated)
    begun = bisect_right(stated, second, key=_number) - 1
    for index in range(bisect_left(stated, first, key=_number), len(stated)):
        one = stated[index]
        past = max(index, begun) if one.id == first else index
        near = [lanes[key] for key in _meeting(one.place) if key in lanes and lanes[key].indexes[-1] > past]
        for other in merge(*(lane.others(one.object, past) for lane in near)):
            yield ContradictionKey(group.subject, group.predicate, one.id, stated[other].id)


def _number(stated: StatedObject) -> int:
    return stated.id


class _Lane:
    """Relations of one key, as ascending indexes, and for each the position of the next one with another object."""

    def __init__(self, stated: Sequence[StatedObject], indexes: list[int]) -> None:
        self.indexes = indexes
        self._stated = stated
        self._next_other = list(range(1, len(indexes) + 1))
        for at in range(len(indexes) - 2, -1, -1):
            if stated[indexes[at]].object == stated[indexes[at + 1]].object:
                self._next_other[at] = self._next_other[at + 1]

    def others(self, entity: EntityId, after: int) -> Iterator[int]:
        """The indexes past `after` of relations with another object than `entity`."""
        at = bisect_right(self.indexes, after)
        while at < len(self.indexes):
            index = self.indexes[at]
            if self._stated[index].object == entity:
                at = self._next_other[at]
            else:
                yield index
                at += 1


def _lanes(stated: Sequence[StatedObject]) -> dict[_Key, _Lane]:
    """The relations by place; None stands for every project, every channel."""
    indexes: dict[_Key, list[int]] = defaultdict(list)
    for index, one in enumerate(stated):
        for key in product((one.place.project_id, None), (one.place.channel, None)):
            indexes[key].append(index)
    return {key: _Lane(stated, found) for key, found in indexes.items()}


def _meeting(place: Place) -> Iterator[_Key]:
    """The keys of what one reader may read together with the place: no relation stands under two of them."""
    return product(_side(place.project_id), _side(place.channel))


def _side(name: str) -> tuple[str | None, ...]:
    return (name, "") if name else (None,)
