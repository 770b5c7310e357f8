"""Pairs that may contradict each other, found without looking at every two relations."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.contradictions import pair_groups
from rensou_recall.stages.isolation import crosses_isolation
from rensou_recall.types.declaration import Place
from rensou_recall.types.listing import ContradictionKey, StatedGroup, StatedObject
from rensou_shared.ids import EntityId, RelationId


def _group(places: list[tuple[str, str]], objects: list[int], subject: int = 1) -> StatedGroup:
    stated = [
        StatedObject(RelationId(number), Place(*place), EntityId(one))
        for number, (place, one) in enumerate(zip(places, objects, strict=True), 10)
    ]
    return StatedGroup(EntityId(subject), "p", tuple(stated))


_groups = st.lists(
    st.tuples(st.sampled_from(["", "P", "Q"]), st.sampled_from(["", "C", "D"]), st.integers(100, 103)), max_size=20
).map(lambda drawn: _group([one[:2] for one in drawn], [one[2] for one in drawn]))


def _naive(group: StatedGroup) -> list[ContradictionKey]:
    return [
        ContradictionKey(group.subject, group.predicate, one.id, other.id)
        for one, other in combinations(group.stated, 2)
        if one.object != other.object and not crosses_isolation([one.place, other.place])
    ]


@given(_groups, st.integers(8, 32), st.integers(8, 32), st.integers(1, 30))
def test_pairs_are_those_of_every_two_and_go_on_after_any_of_them(
    group: StatedGroup, first: int, second: int, keep: int
) -> None:
    later = StatedGroup(EntityId(2), "p", group.stated)
    after = [pair for pair in _naive(group) if (pair.first, pair.second) > (first, second)]
    assert pair_groups([group, later], (1, "p", first, second), keep) == (after + _naive(later))[:keep]


class _Counted(int):
    """An entity that counts what it is compared with."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        _Counted.compared += 1
        return super().__eq__(other)

    __hash__ = int.__hash__


def test_relations_that_do_not_meet_or_say_the_same_are_not_looked_at_two_by_two() -> None:
    number = 2_000
    apart = [("", f"C{one}") for one in range(number)]
    across = [(f"P{one}", "") for one in range(number)] + apart
    for places, objects in ((apart, range(number)), (across, [7] * 2 * number)):
        _Counted.compared = 0
        assert pair_groups([_group(places, [_Counted(one) for one in objects])], (0, "", 0, 0), 101) == []
        assert _Counted.compared < 10 * len(places)
