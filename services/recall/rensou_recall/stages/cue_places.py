"""What a time cue does to an answer: a few places up for records of the period, a few seats behind the rest."""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final

from rensou_recall.stages.fuse import RRF_K
from rensou_recall.types.retrieval import Admission, Arm, Ranked, Vote
from rensou_recall.types.time_cue import Confidence, CueHit
from rensou_shared.ids import RecordId

MOST_PLACES: Final[Mapping[Confidence, int]] = {Confidence.SURE: 3, Confidence.LIKELY: 2, Confidence.VAGUE: 1}
"""How far up a hit moves at most, and how many seats there are."""


def cue_order(hits: Iterable[CueHit]) -> tuple[CueHit, ...]:
    """The records of the period, best first by reciprocal rank fusion of both arms, ties by the lower id."""

    def votes(hit: CueHit) -> float:
        ranks = (hit.vector_rank, hit.lexical_rank)
        return math.fsum(1 / (RRF_K + rank) for rank in ranks if rank is not None)

    return tuple(sorted(hits, key=lambda hit: (-votes(hit), hit.record_id)))


def move_up(window: Sequence[Ranked], cue: Sequence[RecordId], most: int) -> tuple[Ranked, ...]:
    """`window` with the records of `cue` (best first) up to `most` places higher; the others keep their order.

    The record of 0-based cue rank c aims at its place minus most * 61 / (61 + c), and of two that aim at one place that
    of the cue comes first: whatever stands more than `most` places above it stays above it.
    """
    first = RRF_K + 1
    lift = {record_id: most * first / (first + rank) for rank, record_id in enumerate(cue)}

    def aim(place: int) -> tuple[float, bool, int]:
        record_id = window[place].record_id
        return place - lift.get(record_id, 0.0), record_id not in lift, place

    return tuple(window[place] for place in sorted(range(len(window)), key=aim))


def count_moved(before: Sequence[Ranked], after: Sequence[Ranked]) -> int:
    """How many records stand higher in `after` than in `before`, which holds the same ones."""
    place_of = {one.record_id: place for place, one in enumerate(before)}
    return sum(place < place_of[one.record_id] for place, one in enumerate(after))


def may_be_seated(
    cue: Iterable[CueHit], found: Set[RecordId], admitted: Mapping[RecordId, Ranked]
) -> tuple[Ranked, ...]:
    """Those of `cue`, in its order, that may have a seat: no arm found them, or the ranking holds them.

    What the arms found (`found`) and the ranking does not hold (`admitted`) was refused: it gets none. Where all of it
    was refused, what no arm found is farther still, and gets none either.
    """
    takes_unfound = bool(admitted) or not found
    allowed = (hit for hit in cue if hit.record_id in admitted or (takes_unfound and hit.record_id not in found))
    return tuple(_seat(hit, admitted.get(hit.record_id)) for hit in allowed)


def _seat(hit: CueHit, ranked: Ranked | None) -> Ranked:
    if ranked is None:
        votes = (Vote(Arm.LEXICAL, None, hit.bm25, 0.0),)
        if hit.cosine is not None:
            votes = (Vote(Arm.VECTOR, None, hit.cosine, 0.0), *votes)
        ranked = Ranked(hit.record_id, 0.0, votes)
    return ranked._replace(admission=Admission.TIME_CUE, effect=None)
