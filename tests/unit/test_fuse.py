"""Fusion of the arms."""

import math
import random
from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rensou_recall.stages.fuse import LEXICAL_WEIGHT, RRF_K, TRIGRAM_WEIGHT, VECTOR_WEIGHT, fuse
from rensou_recall.stages.rank import rank
from rensou_recall.types.retrieval import Arm, Candidate, Fusion, Prior, Ranked, Step, Vote
from rensou_shared.ids import RecordId

# Some scores are equal, as in a corpus.
SCORES = st.sampled_from((0.0, 1.0)) | st.floats(0, 50, allow_nan=False, allow_subnormal=False)
RANKS = st.none() | st.integers(1, 100)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    """As the database gives them: distinct ids, a rank only where there is a score."""
    ids = draw(st.lists(st.integers(1, 10_000), unique=True, max_size=12))
    rows: list[Candidate] = []
    for number in ids:
        cosine = draw(st.none() | st.floats(-1, 1, allow_nan=False))
        vector_rank = None if cosine is None else draw(RANKS)
        context = draw(st.just(0.0) | SCORES)
        rows.append(Candidate(RecordId(number), cosine, vector_rank, draw(SCORES), draw(RANKS), draw(SCORES), context))
    return rows


FUSIONS = st.sampled_from(Fusion)


def one(number: int, cosine: float | None = None, bm25: float = 0.0, trigrams: float = 0.0) -> Candidate:
    return Candidate(RecordId(number), cosine, None if cosine is None else 1, bm25, None, trigrams)


def ranked_by(rows: Iterable[Candidate], fusion: Fusion) -> tuple[Ranked, ...]:
    return tuple(rank(fuse(rows, fusion)))


def share(ranked: Ranked, arm: Arm) -> float:
    return next(vote.share for vote in ranked.votes if vote.arm is arm)


@example([one(2), one(1)], Fusion.RRF, random.Random(0))
@given(candidates(), FUSIONS, st.randoms(use_true_random=False))
def test_fusion_ignores_the_order_that_it_is_given(rows: list[Candidate], fusion: Fusion, rng: random.Random) -> None:
    shuffled = rows.copy()
    rng.shuffle(shuffled)
    assert ranked_by(shuffled, fusion) == ranked_by(rows[::-1], fusion) == ranked_by(rows, fusion)


@given(candidates(), FUSIONS)
def test_every_candidate_is_ranked_once_best_first_and_ties_by_id(rows: list[Candidate], fusion: Fusion) -> None:
    ranked = ranked_by(rows, fusion)
    assert sorted(r.record_id for r in ranked) == sorted(c.record_id for c in rows)
    trigrams = {c.record_id: c.trigrams if fusion is Fusion.RRF else 0.0 for c in rows}
    keys = [(-r.score, -trigrams[r.record_id], r.record_id) for r in ranked]
    assert keys == sorted(keys)


def test_equal_scores_of_an_arm_share_a_rank_in_rrf() -> None:
    rows = [Candidate(RecordId(n), 0.5, n, 4.0 if n < 3 else 1.0, n, float(n)) for n in (1, 2, 3)]
    ranked = ranked_by(rows, Fusion.RRF)
    assert [[vote.rank for vote in r.votes] for r in ranked] == [[1, 1], [1, 1], [1, 3]]
    assert [r.record_id for r in ranked] == [2, 1, 3]


@given(candidates(), FUSIONS)
def test_shares_sum_to_the_score_in_any_order(rows: list[Candidate], fusion: Fusion) -> None:
    for ranked in ranked_by(rows, fusion):
        parts = [*ranked.votes, *ranked.priors]
        assert ranked.score == math.fsum(part.share for part in parts)
        assert ranked.score == math.fsum(part.share for part in reversed(parts))


def scaled(value: float | None, scores: list[float | None]) -> float:
    known = [score for score in scores if score is not None]
    if value is None:
        return 0.0
    if min(known) == max(known):
        return 1.0 if max(known) > 0 else 0.0
    return (value - min(known)) / (max(known) - min(known))


@given(candidates())
def test_convex_shares_are_to_the_bit_those_of_the_plain_formula(rows: list[Candidate]) -> None:
    by_id = {r.record_id: r for r in ranked_by(rows, Fusion.CONVEX)}
    for c in rows:
        said = c.bm25 + c.context
        words = LEXICAL_WEIGHT * scaled(said, [o.bm25 + o.context for o in rows])
        own = words * (c.bm25 / said) if said > 0 else words
        votes = [
            Vote(Arm.LEXICAL, c.lexical_rank, c.bm25, own),
            Vote(Arm.TRIGRAM, None, c.trigrams, TRIGRAM_WEIGHT * scaled(c.trigrams, [o.trigrams for o in rows])),
        ]
        if c.cosine is not None:
            share_of_vector = VECTOR_WEIGHT * scaled(c.cosine, [o.cosine for o in rows])
            votes.insert(0, Vote(Arm.VECTOR, c.vector_rank, c.cosine, share_of_vector))
        priors = [Prior(Step.CONTEXT, words - own)] if words > own else []
        score = math.fsum(part.share for part in [*votes, *priors])
        assert by_id[c.record_id] == Ranked(c.record_id, score, tuple(votes), tuple(priors))


@given(candidates())
def test_convex_scores_and_shares_are_within_their_weights(rows: list[Candidate]) -> None:
    weights = {Arm.VECTOR: VECTOR_WEIGHT, Arm.LEXICAL: LEXICAL_WEIGHT, Arm.TRIGRAM: TRIGRAM_WEIGHT}
    for ranked in ranked_by(rows, Fusion.CONVEX):
        assert all(0 <= vote.share <= weights[vote.arm] for vote in ranked.votes)
        assert 0 <= ranked.score <= 1


@given(candidates(), st.floats(0.5, 4), st.floats(0.5, 4))
def test_convex_does_not_read_the_scale_of_an_arm(rows: list[Candidate], bm25: float, trigrams: float) -> None:
    scaled = [
        one._replace(bm25=one.bm25 * bm25, context=one.context * bm25, trigrams=one.trigrams * trigrams) for one in rows
    ]
    before = {r.record_id: r.score for r in ranked_by(rows, Fusion.CONVEX)}
    assert {r.record_id: r.score for r in ranked_by(scaled, Fusion.CONVEX)} == pytest.approx(before, abs=1e-6)


def test_the_best_of_every_arm_scores_the_sum_of_the_weights() -> None:
    best, worst = ranked_by([one(1, 0.9, 8.0, 3.0), one(2, 0.1, 1.0, 0.5)], Fusion.CONVEX)
    assert (best.record_id, best.score, worst.score) == (1, pytest.approx(1.0), 0.0)
    assert pytest.approx(1.0) == VECTOR_WEIGHT + LEXICAL_WEIGHT + TRIGRAM_WEIGHT


def test_a_score_between_the_extremes_is_scaled_linearly() -> None:
    middle = ranked_by([one(1, bm25=2.0), one(2, bm25=4.0), one(3, bm25=10.0)], Fusion.CONVEX)[1]
    assert (middle.record_id, share(middle, Arm.LEXICAL)) == (2, pytest.approx(LEXICAL_WEIGHT / 4))


def test_equal_scores_of_an_arm_are_full_when_they_say_something_and_nothing_when_they_are_zero() -> None:
    for ranked in ranked_by([one(1, 0.5, 3.0), one(2, 0.5, 3.0)], Fusion.CONVEX):
        assert share(ranked, Arm.VECTOR) == VECTOR_WEIGHT
        assert share(ranked, Arm.LEXICAL) == LEXICAL_WEIGHT
        assert share(ranked, Arm.TRIGRAM) == 0


def test_a_record_without_a_vector_gets_no_vote_of_the_vector_arm() -> None:
    ranked = {r.record_id: r for r in ranked_by([one(1, 0.5), one(2, 0.9), one(3, bm25=1.0)], Fusion.CONVEX)}
    assert Arm.VECTOR not in {vote.arm for vote in ranked[RecordId(3)].votes}
    assert share(ranked[RecordId(1)], Arm.VECTOR) == 0


def test_votes_keep_the_raw_score_and_the_rank() -> None:
    ((ranked),) = ranked_by([Candidate(RecordId(7), 0.25, 3, 4.5, 2, 1.5)], Fusion.CONVEX)
    seen = [(vote.arm, vote.rank, vote.score) for vote in ranked.votes]
    assert seen == [(Arm.VECTOR, 3, 0.25), (Arm.LEXICAL, 2, 4.5), (Arm.TRIGRAM, None, 1.5)]


def test_rrf_is_the_sum_of_reciprocal_ranks() -> None:
    both = Candidate(RecordId(1), 0.5, 2, 4.0, 3, 1.0)
    scored_only = Candidate(RecordId(2), 0.4, None, 2.0, 1, 9.0)
    ranked = ranked_by([both, scored_only], Fusion.RRF)
    assert [(r.record_id, r.score) for r in ranked] == [
        (1, pytest.approx(1 / (RRF_K + 2) + 1 / (RRF_K + 3))),
        (2, pytest.approx(1 / (RRF_K + 1))),
    ]


@given(candidates())
def test_rrf_does_not_know_one_arm_from_the_other(rows: list[Candidate]) -> None:
    swapped = [
        Candidate(c.record_id, c.bm25, c.lexical_rank, c.cosine, c.vector_rank, c.trigrams)
        for c in rows
        if c.cosine is not None
    ]
    rows = [c for c in rows if c.cosine is not None]
    order = [(r.record_id, r.score) for r in ranked_by(rows, Fusion.RRF)]
    assert [(r.record_id, r.score) for r in ranked_by(swapped, Fusion.RRF)] == order


@given(candidates(), FUSIONS, st.integers(0, 12), st.integers(0, 12))
def test_a_longer_answer_begins_as_the_shorter_one(rows: list[Candidate], fusion: Fusion, a: int, b: int) -> None:
    short, long = sorted((a, b))
    assert ranked_by(rows, fusion)[:long][:short] == ranked_by(rows, fusion)[:short]


def test_nothing_fuses_to_nothing() -> None:
    assert ranked_by([], Fusion.CONVEX) == ranked_by([], Fusion.RRF) == ()
