"""Where the quoted code points of an answer go."""

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.budget import admitted, quote_order
from rensou_shared.ids import RecordId

_LENGTHS = st.lists(st.integers(0, 800), max_size=30)


def _order(*items: list[int]) -> list[tuple[int, int]]:
    return [(slot.item, slot.record_id) for slot in quote_order([list(map(RecordId, item)) for item in items])]


def test_all_heads_come_first_then_every_first_excerpt_then_every_second():
    assert _order([1, 11, 12], [2], [3, 31]) == [(0, 1), (1, 2), (2, 3), (0, 11), (2, 31), (0, 12)]


def test_heads_are_long_in_the_first_five_items_and_excerpts_are_shorter():
    slots = quote_order([[RecordId(number), RecordId(100 + number)] for number in range(7)])
    assert [slot.max_chars for slot in slots] == [800] * 5 + [400] * 2 + [500] * 7


def test_no_items_have_no_quotes():
    assert quote_order([]) == ()


def test_the_longest_prefix_that_fits_is_admitted():
    assert admitted([300, 300, 300], 900) == 3
    assert admitted([300, 300, 301], 900) == 2
    assert admitted([300, 700, 1], 900) == 1


def test_the_first_is_admitted_whatever_it_takes():
    assert admitted([1_000], 10) == 1
    assert admitted([], 10) == 0


@given(_LENGTHS, st.integers(1, 5_000), st.integers(0, 5_000))
def test_a_larger_budget_removes_nothing(lengths: list[int], budget: int, more: int):
    assert admitted(lengths, budget) <= admitted(lengths, budget + more)


@given(_LENGTHS, st.integers(800, 5_000))
def test_what_is_admitted_fits_and_one_more_would_not(lengths: list[int], budget: int):
    count = admitted(lengths, budget)
    assert sum(lengths[:count]) <= budget
    assert count == len(lengths) or sum(lengths[: count + 1]) > budget


@given(st.lists(st.lists(st.integers(), min_size=1, max_size=5), max_size=10))
def test_every_record_has_one_place_and_heads_lead(items: list[list[int]]):
    order = _order(*items)
    assert len(order) == sum(map(len, items))
    assert order[: len(items)] == [(index, item[0]) for index, item in enumerate(items)]
