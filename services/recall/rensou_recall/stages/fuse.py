"""Fusion: the arms' scores of one candidate become one score."""

import math
from collections.abc import Iterable, Sequence
from operator import attrgetter

from rensou_recall.types.ranking import Ballot, Fused
from rensou_recall.types.retrieval import Arm, Candidate, Fusion, Step

# Weights of the convex sum: measured on written dialogue and on real chats, ten points of NDCG@10 before RRF.
VECTOR_WEIGHT = 0.4
LEXICAL_WEIGHT = 0.4
TRIGRAM_WEIGHT = 0.2

RRF_K = 60

_BY_ID = attrgetter("record_id")


def fuse(candidates: Iterable[Candidate], fusion: Fusion) -> Fused:
    """The candidates with their fused scores; the order given does not matter.

    Ties go by the lower id, those of RRF, where they are common, by the trigrams first: ids say who was stored first,
    and what was stored first is no better an answer.
    """
    rows = sorted(candidates, key=_BY_ID)
    if fusion is Fusion.CONVEX:
        return _convex(rows)
    rows.sort(key=lambda c: -c.trigrams)
    return _rrf(rows)


def add_up(columns: Sequence[Sequence[float]]) -> list[float]:
    """The sums of the rows that `columns` make, the same to the last bit in whatever order."""
    return list(map(math.fsum, zip(*columns, strict=True)))


def _scaled(scores: Sequence[float | None]) -> list[float]:
    """Min-max over the known scores; equal ones are all 1 (0 when nothing is above 0), an unknown one is 0."""
    known = [s for s in scores if s is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    span = high - low
    if span == 0:
        same = 1.0 if high > 0 else 0.0
        return [0.0 if s is None else same for s in scores]
    return [0.0 if s is None else (s - low) / span for s in scores]


def _convex(rows: Sequence[Candidate]) -> Fused:
    unranked = [None] * len(rows)
    cosines = [c.cosine for c in rows]
    near = [VECTOR_WEIGHT * x for x in _scaled(cosines)]
    trigrams = [c.trigrams for c in rows]
    typed = [TRIGRAM_WEIGHT * x for x in _scaled(trigrams)]
    words = [c.bm25 for c in rows]
    said = [c.bm25 + c.context for c in rows]
    shared = [LEXICAL_WEIGHT * x for x in _scaled(said)]
    # The record and its predecessors divide the share in proportion to what they say.
    own = [share * (w / s) if s > 0 else share for share, w, s in zip(shared, words, said, strict=True)]
    gained = [share - mine for share, mine in zip(shared, own, strict=True)]
    ballots = {
        Arm.VECTOR: Ballot([c.vector_rank for c in rows], cosines, near),
        Arm.LEXICAL: Ballot([c.lexical_rank for c in rows], words, own),
        Arm.TRIGRAM: Ballot(unranked, trigrams, typed),
    }
    return Fused(rows, ballots, {Step.CONTEXT: gained}, add_up([near, own, typed, gained]))


def _rrf(rows: Sequence[Candidate]) -> Fused:
    """Reciprocal rank fusion with k = 60 (Cormack et al., SIGIR 2009), in the order of `rows`.

    The sum does not depend on the arms' order.
    """
    near = _reciprocal([c.cosine for c in rows], [c.vector_rank for c in rows])
    said = _reciprocal([c.bm25 for c in rows], [c.lexical_rank for c in rows])
    return Fused(rows, {Arm.VECTOR: near, Arm.LEXICAL: said}, {}, add_up([near.shares, said.shares]))


def _reciprocal(scores: Sequence[float | None], ranks: Sequence[int | None]) -> Ballot:
    """The votes of an arm by its ranks alone; equal scores share the best of their ranks."""
    best: dict[float, int] = {}
    for score, rank in zip(scores, ranks, strict=True):
        if score is not None and rank is not None:
            best[score] = min(rank, best.get(score, rank))
    voted = [None if rank is None else score for score, rank in zip(scores, ranks, strict=True)]
    places = [None if score is None else best[score] for score in voted]
    return Ballot(places, voted, [0.0 if place is None else 1 / (RRF_K + place) for place in places])
