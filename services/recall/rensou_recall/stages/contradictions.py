"""Pairs of relations of one subject and predicate that state another object, at one time, to one reader."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from rensou_recall.types.declaration import Place
from rensou_recall.types.interval import ALWAYS, Interval
from rensou_recall.types.listing import ContradictionKey, Position, StatedGroup, StatedObject

_Key = tuple[str | None, str | None]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NEVER_BEGUN, _NEVER_ENDED = -(2**63), 2**63 - 1


def pair_groups(groups: Sequence[StatedGroup], after: Position, keep: int) -> list[ContradictionKey]:
    """The pairs of the groups after the position, by subject, predicate and the two numbers, at most `keep`.

    It costs about as much as there are relations and pairs: those that meet a relation in its place are looked up, and
    those with its object are skipped by the run. Where a group says when its relations are true, those that never are
    together are sifted out at once.
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
        for other in merge(*(lane.others(one, past) for lane in near)):
            yield ContradictionKey(group.subject, group.predicate, one.id, stated[other].id)


def _number(stated: StatedObject) -> int:
    return stated.id


class _Lane:
    """Relations of one key, as ascending indexes, and for each the position of the next one with another object."""

    def __init__(self, stated: Sequence[StatedObject], indexes: list[int]) -> None:
        self.indexes = indexes
        self._bounds = _bounds([stated[index].validity for index in indexes])
        self._stated = stated
        self._next_other = list(range(1, len(indexes) + 1))
        for at in range(len(indexes) - 2, -1, -1):
            if stated[indexes[at]].object == stated[indexes[at + 1]].object:
                self._next_other[at] = self._next_other[at + 1]

    def others(self, one: StatedObject, after: int) -> Iterator[int]:
        """The indexes past `after` of relations with another object than `one`, true at some instant when it is."""
        at = bisect_right(self.indexes, after)
        entity = one.object
        if self._bounds is not None:
            own = _microseconds(one.validity)
            together = (self._bounds[0, at:] < own[1]) & (own[0] < self._bounds[1, at:])
            for place in np.flatnonzero(together):
                index = self.indexes[at + int(place)]
                if self._stated[index].object != entity:
                    yield index
            return
        while at < len(self.indexes):
            index = self.indexes[at]
            if self._stated[index].object == entity:
                at = self._next_other[at]
            else:
                yield index
                at += 1


def _bounds(intervals: Sequence[Interval]) -> NDArray[np.int64] | None:
    """The beginnings and the ends; None when all of them are true always."""
    if all(one == ALWAYS for one in intervals):
        return None
    return np.array([_microseconds(one) for one in intervals], np.int64).T


def _microseconds(interval: Interval) -> tuple[int, int]:
    """The bounds since the epoch; one that is not there lies beyond every instant."""
    first, last = interval.valid_from, interval.valid_to
    return (
        _NEVER_BEGUN if first is None else (first - _EPOCH) // _MICROSECOND,
        _NEVER_ENDED if last is None else (last - _EPOCH) // _MICROSECOND,
    )


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
