"""Pairs that may contradict each other, found without looking at every two relations."""

from datetime import UTC, datetime, timedelta
from itertools import combinations
from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.contradictions import pair_groups
from rensou_recall.stages.isolation import crosses_isolation
from rensou_recall.types.declaration import Place
from rensou_recall.types.interval import ALWAYS, Interval, ValidityState
from rensou_recall.types.listing import ContradictionKey, StatedGroup, StatedObject
from rensou_shared.ids import EntityId, RelationId


def _group(
    places: list[tuple[str, str]], objects: list[int], subject: int = 1, intervals: list[Interval] | None = None
) -> StatedGroup:
    drawn = zip(places, objects, intervals or [ALWAYS] * len(places), strict=True)
    stated = [
        StatedObject(RelationId(number), Place(*place), EntityId(one), interval)
        for number, (place, one, interval) in enumerate(drawn, 10)
    ]
    return StatedGroup(EntityId(subject), "p", tuple(stated))


_moments = st.one_of(st.none(), st.integers(1, 6).map(lambda day: datetime(2026, 3, day, tzinfo=UTC)))
_intervals = st.one_of(st.just(ALWAYS), st.builds(Interval, _moments, _moments).filter(lambda one: not one.is_empty))
_groups = st.lists(
    st.tuples(st.sampled_from(["", "P", "Q"]), st.sampled_from(["", "C", "D"]), st.integers(100, 103), _intervals),
    max_size=20,
).map(lambda drawn: _group([one[:2] for one in drawn], [one[2] for one in drawn], 1, [one[3] for one in drawn]))


def _meet(one: Interval, other: Interval) -> bool:
    """Whether an instant lies in both: the later beginning is one, where there is any."""
    begun = [moment for moment in (one.valid_from, other.valid_from) if moment is not None]
    at = max(begun, default=datetime(1, 1, 1, tzinfo=UTC))
    return {one.state_at(at), other.state_at(at)} == {ValidityState.VALID}


def _naive(group: StatedGroup) -> list[ContradictionKey]:
    return [
        ContradictionKey(group.subject, group.predicate, one.id, other.id)
        for one, other in combinations(group.stated, 2)
        if one.object != other.object
        and not crosses_isolation([one.place, other.place])
        and _meet(one.validity, other.validity)
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


def test_what_is_true_one_after_the_other_is_sifted_out_at_once() -> None:
    number = 3_000
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    hours = [Interval(begun + timedelta(hours=one), begun + timedelta(hours=one + 1)) for one in range(number)]
    group = _group([("", "")] * number, list(range(100, 100 + number)), 1, hours)
    started = perf_counter()
    assert pair_groups([group], (), 50) == []
    assert perf_counter() - started < 5
