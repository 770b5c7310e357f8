"""GRAPH: what may rise, what may not, and what takes a held place."""

from itertools import combinations

import pytest
from hypothesis import given, settings

from rensou_recall.stages.graph_order import GraphOrder, order_by_graph
from rensou_recall.stages.kinship import known_entities
from rensou_recall.stages.page_rank import page_ranks
from rensou_recall.types.retrieval import Admission, Ranked
from rensou_recall.types.surroundings import Surroundings
from rensou_shared.ids import RecordId
from tests.unit.graph_worlds import ranking, surroundings, worlds

MINE, OTHERS, PROJECT, CITY, FRIEND = 100, 101, 102, 103, 104


def order(window: list[Ranked], around: Surroundings, found: tuple[int, ...] = ()) -> GraphOrder:
    shares = page_ranks(around, [one.record_id for one in window[:5]])
    return order_by_graph(window, shares, around, map(RecordId, found))


def ids(order: GraphOrder) -> list[int]:
    return [one.record_id for one in order.window]


def held(order: GraphOrder) -> list[int]:
    return [one.record_id for one in order.held]


@settings(max_examples=50, deadline=None)
@given(worlds())
def test_it_reorders_the_window_and_holds_at_most_two_places_for_others(
    world: tuple[list[Ranked], Surroundings],
) -> None:
    window, around = world
    ordered = order(window, around)
    assert sorted(ids(ordered)) == [one.record_id for one in window]
    assert len(ordered.held) <= 2
    assert not set(held(ordered)) & set(ids(ordered))
    assert ordered == order(window, around)


@settings(max_examples=100, deadline=None)
@given(worlds())
def test_nothing_passes_a_record_that_has_more_in_common_with_the_first(
    world: tuple[list[Ranked], Surroundings],
) -> None:
    window, around = world
    places = {record: place for place, record in enumerate(ids(order(window, around)))}
    home = around.mentioned(window[0].record_id)
    for above, below in combinations([one.record_id for one in window], 2):
        if not around.mentioned(above) & home <= around.mentioned(below):
            assert places[above] < places[below]


@settings(max_examples=50, deadline=None)
@given(worlds())
def test_what_the_arms_found_takes_no_held_place(world: tuple[list[Ranked], Surroundings]) -> None:
    window, around = world
    assert not order(window, around, tuple(around.records)).held


def test_without_anything_declared_the_order_stays() -> None:
    window = ranking(5, 4, 3, 2, 1)
    assert ids(order(window, surroundings({}, records=(1, 2, 3, 4, 5)))) == [1, 2, 3, 4, 5]


def test_a_seed_that_nothing_is_declared_of_passes_nobody() -> None:
    window = ranking(10, 5.2, 5.1, 5, 4.9, 4.8, 0)
    around = surroundings({1: [MINE], 2: [MINE]}, records=range(1, 8))
    shares = page_ranks(around, [RecordId(record) for record in (1, 2, 3, 5, 6)])
    assert ids(order_by_graph(window, shares, around, ())) == [1, 2, 3, 4, 5, 6, 7]


def test_a_record_of_the_first_hits_own_thing_rises() -> None:
    window = ranking(10, 5.2, 5.1, 5, 1, 0.5, 0)
    around = surroundings({1: [MINE], 4: [MINE]}, records=range(1, 8))
    assert ids(order(window, around)) == [1, 4, 2, 3, 5, 6, 7]


def test_a_parallel_fact_about_somebody_alike_never_passes_ones_own() -> None:
    window = ranking(10, 9.99, 9.98, 9.97, 9.96, 9.95, 9.94, 0)
    # 3, 5 and 7 are the other's, of whom there is less: the walk comes back to them more often.
    mentions = {1: [MINE, PROJECT], 2: [MINE], 3: [OTHERS, PROJECT], 4: [MINE], 5: [OTHERS], 6: [MINE], 7: [OTHERS]}
    more = {record: [MINE] for record in range(20, 60)}
    around = surroundings(mentions | more, records=(8,))
    shares = page_ranks(around, [one.record_id for one in window[:5]])
    assert shares[RecordId(3)] > shares[RecordId(2)]
    assert shares[RecordId(7)] > 0
    assert ids(order(window, around)) == [1, 2, 3, 4, 6, 5, 7, 8]


def test_held_places_go_to_what_belongs_to_the_first_hit_and_to_nobody_alike() -> None:
    window = ranking(3, 2)
    around = surroundings(
        {1: [MINE, PROJECT], 2: [OTHERS, PROJECT], 20: [OTHERS, PROJECT], 21: [MINE], 22: [CITY], 23: [OTHERS]},
        [
            (MINE, "works on", PROJECT),
            (OTHERS, "works on", PROJECT),
            (FRIEND, "helps", MINE),
            (FRIEND, "lives in", CITY),
        ],
    )
    ordered = order(window, around)
    assert held(ordered) == [21, 22]
    assert {one.admission for one in ordered.held} == {Admission.GRAPH}
    assert [one.score for one in ordered.held] == [0.0, 0.0]


def test_a_sibling_is_not_known_and_leads_to_nobody() -> None:
    around = surroundings({}, [(MINE, "works on", PROJECT), (OTHERS, "works on", PROJECT), (OTHERS, "lives in", CITY)])
    assert known_entities(frozenset({MINE}), around.edges) == {MINE, PROJECT}
    assert known_entities(frozenset({MINE, PROJECT}), around.edges) == {MINE, PROJECT}


@pytest.mark.parametrize(("hops", "reached"), [(1, True), (2, True), (3, False)])
def test_what_two_relations_join_is_known(hops: int, reached: bool) -> None:
    chain = [(MINE + step, f"leads {step} to", MINE + step + 1) for step in range(hops)]
    known = known_entities(frozenset({MINE}), surroundings({}, chain).edges)
    assert (MINE + hops in known) is reached


def test_a_record_whose_mentions_were_cut_gains_nothing() -> None:
    window = ranking(10, 5.2, 5.1, 0)
    around = surroundings({1: [MINE], 3: [MINE]}, records=(1, 2, 3, 4))
    cut = Surroundings(
        around.records,
        around.entities,
        {**around.mentions, RecordId(3): None},
        around.edges,
        around.links,
        around.reach,
    )
    assert ids(order(window, around)) == [1, 3, 2, 4]
    assert ids(order(window, cut)) == [1, 2, 3, 4]
