"""Personalised PageRank over declared graphs."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from rensou_recall.stages.page_rank import page_ranks
from rensou_recall.types.retrieval import Ranked
from rensou_recall.types.surroundings import Surroundings
from rensou_shared.ids import RecordId
from tests.unit.graph_worlds import surroundings, worlds


def by_hand(around: Surroundings, seeds: list[RecordId]) -> dict[RecordId, float]:
    """The same, solved as a system of equations."""
    nodes = [*sorted(around.records), *(("entity", e) for e in sorted(around.entities))]
    at = {node: place for place, node in enumerate(nodes)}
    joined = np.zeros((len(nodes), len(nodes)))
    pairs = [(r, ("entity", e)) for r in around.records for e in around.mentioned(r)]
    pairs += [(("entity", e), ("entity", edge.to_entity)) for e, edges in around.edges.items() for edge in edges]
    for a, b in [*pairs, *around.links]:
        joined[at[a], at[b]] = joined[at[b], at[a]] = 1
    degrees = joined.sum(axis=1)
    starts = [at[seed] for seed in seeds if degrees[at[seed]] > 0]
    start = np.zeros(len(nodes))
    start[starts] = 1 / max(len(starts), 1)
    steps = np.where(degrees[:, None] > 0, joined / np.maximum(degrees, 1)[:, None], start)
    shares = np.linalg.solve(np.eye(len(nodes)) - 0.85 * steps.T, 0.15 * start)
    return {record: float(shares[at[record]]) for record in around.records}


@settings(max_examples=50, deadline=None)
@given(worlds())
def test_it_is_the_solution_of_its_equations(world: tuple[list[Ranked], Surroundings]) -> None:
    window, around = world
    seeds = [one.record_id for one in window[:5]]
    shares, expected = page_ranks(around, seeds), by_hand(around, seeds)
    assert shares.keys() == expected.keys()
    assert list(shares.values()) == pytest.approx([expected[record] for record in shares], abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(worlds())
def test_equal_graphs_give_equal_shares_to_the_last_bit(world: tuple[list[Ranked], Surroundings]) -> None:
    window, around = world
    seeds = [one.record_id for one in window[:5]]
    shuffled = replace(
        around,
        mentions=dict(random.Random(1).sample(list(around.mentions.items()), len(around.mentions))),
        edges={entity: edges[::-1] for entity, edges in reversed(around.edges.items())},
    )
    assert page_ranks(shuffled, seeds[::-1]) == page_ranks(around, seeds)


def test_without_anything_declared_nothing_has_a_share() -> None:
    around = surroundings({}, records=(1, 2, 3))
    assert page_ranks(around, [RecordId(1), RecordId(2)]) == {1: 0.0, 2: 0.0, 3: 0.0}


@settings(max_examples=50, deadline=None)
@given(worlds())
def test_a_record_that_nothing_is_declared_of_has_no_share(world: tuple[list[Ranked], Surroundings]) -> None:
    window, around = world
    linked = {record for pair in around.links for record in pair}
    shares = page_ranks(around, [one.record_id for one in window[:5]])
    assert {shares[one] for one in around.records if not around.mentioned(one) and one not in linked} <= {0.0}


def test_a_pair_is_one_edge_however_often_it_is_declared() -> None:
    once = surroundings({1: [100], 2: [101]}, [(100, "knows", 101)])
    often = surroundings({1: [100], 2: [101]}, [(100, "knows", 101), (101, "likes", 100), (100, "met", 101)])
    assert page_ranks(once, [RecordId(1)]) == page_ranks(often, [RecordId(1)])


def test_no_seed_gives_no_share() -> None:
    assert page_ranks(surroundings({1: [100]}), []) == {1: 0.0}
