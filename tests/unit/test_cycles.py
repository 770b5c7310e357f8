"""Which relations lead back to where they start."""

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.cycles import Arrow, relations_in_cycles
from rensou_shared.ids import RecordId, RelationId

_pairs = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=20)


def arrows(*pairs: tuple[int, int]) -> list[Arrow]:
    """Relations 1, 2, 3 … with these subjects and objects."""
    return [(RelationId(i), RecordId(s), RecordId(o)) for i, (s, o) in enumerate(pairs, start=1)]


def reaches(pairs: list[tuple[int, int]], start: int, goal: int) -> bool:
    seen, frontier = {start}, {start}
    while frontier:
        frontier = {o for s, o in pairs if s in frontier} - seen
        seen |= frontier
    return goal in seen


@given(_pairs)
def test_a_relation_is_in_a_cycle_when_its_object_leads_to_its_subject(pairs: list[tuple[int, int]]) -> None:
    expected = [i for i, (s, o) in enumerate(pairs, start=1) if reaches(pairs, o, s)]
    assert relations_in_cycles(arrows(*pairs)) == expected


@given(_pairs, st.randoms())
def test_the_order_of_the_relations_changes_nothing(pairs: list[tuple[int, int]], random: object) -> None:
    given_order = arrows(*pairs)
    shuffled = sorted(given_order, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert relations_in_cycles(shuffled) == relations_in_cycles(given_order)


def test_a_bridge_between_two_cycles_is_in_none() -> None:
    assert relations_in_cycles(arrows((1, 2), (2, 1), (2, 3), (3, 4), (4, 3), (4, 5))) == [1, 2, 4, 5]


def test_a_chain_as_long_as_the_bound_is_no_matter_of_depth() -> None:
    chain = arrows(*((n, n + 1) for n in range(1, 50_001)))
    assert relations_in_cycles(chain) == []
    assert len(relations_in_cycles([*chain, (RelationId(60_000), RecordId(50_001), RecordId(1))])) == 50_001
