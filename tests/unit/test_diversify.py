"""DIVERSE: properties of maximal marginal relevance."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rensou_recall.stages.diversify import diversify
from rensou_recall.types.retrieval import Ranked
from rensou_shared.ids import RecordId

Vectors = Mapping[RecordId, NDArray[np.float32]]
_scores = st.lists(st.integers(0, 20).map(lambda n: n / 20), max_size=12)
_corners = st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (-1, 0, 1), (3, 1, 2)])


def window_of(scores: list[float]) -> list[Ranked]:
    """A ranking of records 1, 2, … with these scores."""
    return [Ranked(RecordId(n), score, ()) for n, score in enumerate(sorted(scores, reverse=True), start=1)]


@st.composite
def windows(draw: st.DrawFn) -> tuple[list[Ranked], Vectors]:
    window = window_of(draw(_scores))
    vectors: dict[RecordId, NDArray[np.float32]] = {}
    for one in window:
        corner = draw(st.none() | _corners)
        if corner is not None:
            vectors[one.record_id] = (np.array(corner) / np.linalg.norm(corner)).astype(np.float32)
    return window, vectors


def ids(window: list[Ranked], vectors: Vectors) -> list[int]:
    return [place.ranked.record_id for place in diversify(window, vectors)]


@given(windows())
def test_it_reorders_and_never_removes(case: tuple[list[Ranked], Vectors]) -> None:
    window, vectors = case
    assert sorted(ids(window, vectors)) == sorted(one.record_id for one in window)


@given(windows())
def test_the_first_stays_and_from_the_second_on_scores_never_rise(case: tuple[list[Ranked], Vectors]) -> None:
    places = diversify(*case)
    # The second may be unlike the first, which is better than nothing to be like.
    assert all(above.score >= below.score - 1e-8 for above, below in pairwise(places[1:]))
    assert [place.fused_rank for place in places[:1]] in ([], [1])


@given(_scores)
def test_without_vectors_the_order_stays(scores: list[float]) -> None:
    window = window_of(scores)
    assert ids(window, {}) == [one.record_id for one in window]


@given(windows())
def test_it_takes_each_next_by_the_formula(case: tuple[list[Ranked], Vectors]) -> None:
    window, vectors = case
    low, high = min((one.score for one in window), default=0), max((one.score for one in window), default=0)
    chosen: list[Ranked] = []
    for place in diversify(window, vectors):
        similar = [
            float(vectors[place.ranked.record_id] @ vectors[one.record_id])
            if {place.ranked.record_id, one.record_id} <= vectors.keys()
            else 0.0
            for one in chosen
        ]
        relevance = 1.0 if high == low else (place.ranked.score - low) / (high - low)
        assert abs(place.score - (0.7 * relevance - 0.3 * max(similar, default=0.0))) < 1e-6
        chosen.append(place.ranked)


@given(windows(), st.randoms(use_true_random=False))
def test_the_order_of_the_vectors_does_not_matter(case: tuple[list[Ranked], Vectors], random: st.DataObject) -> None:
    window, vectors = case
    shuffled = list(vectors.items())
    random.shuffle(shuffled)  # pyright: ignore[reportAttributeAccessIssue]
    assert diversify(window, vectors) == diversify(window, dict(shuffled))


def test_a_hit_that_says_the_same_moves_behind_one_that_says_something_else() -> None:
    window = window_of([1.0, 0.9, 0.8, 0.0])
    same, other = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    vectors = {RecordId(1): same, RecordId(2): same, RecordId(3): other}
    places = diversify(window, vectors)
    assert [place.ranked.record_id for place in places] == [1, 3, 2, 4]
    assert [place.fused_rank for place in places] == [1, 3, 2, 4]
    assert [place.similarity for place in places] == [None, 0.0, 1.0, None]
