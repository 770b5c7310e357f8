"""DIVERSE: a hit that says again what stands above it moves down.

Maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rensou_recall.stages.scale import min_max
from rensou_recall.types.profile import Profile, ProfileEffect
from rensou_recall.types.retrieval import Ranked
from rensou_shared.ids import RecordId

RELEVANCE_WEIGHT: Final = 0.7
# Sums of products may differ in their last bits with the number of rows: what is equal must stay so.
_DECIMALS: Final = 9


@dataclass(frozen=True, slots=True)
class Place:
    """One hit in its new place: what it was chosen by, and its largest cosine to those above; None without one."""

    ranked: Ranked
    fused_rank: int
    score: float
    similarity: float | None

    @property
    def effect(self) -> ProfileEffect:
        """As the hit tells it."""
        return ProfileEffect(Profile.DIVERSE, self.score, self.fused_rank, similarity=self.similarity)


def diversify(window: Sequence[Ranked], vectors: Mapping[RecordId, NDArray[np.float32]]) -> tuple[Place, ...]:
    """The whole window, each next hit the one of the greatest .7 · relevance - .3 · largest cosine to those chosen.

    Relevance is the fused score, min-max over the window. A record without a vector is similar to nothing. Ties keep
    the order of the window.
    """
    # Minus infinity once it has its place.
    worth = RELEVANCE_WEIGHT * np.array(min_max([one.score for one in window]), np.float64)
    cosines, has_vector = _cosines(window, vectors)
    largest = np.zeros(len(window))
    places: list[Place] = []
    for _ in window:
        scores = worth - (1 - RELEVANCE_WEIGHT) * largest
        position = int(scores.argmax())
        similarity = float(largest[position]) if places and has_vector[position] else None
        places.append(Place(window[position], position + 1, float(scores[position]), similarity))
        worth[position] = -np.inf
        largest = cosines[position] if len(places) == 1 else np.maximum(largest, cosines[position])
    return tuple(places)


def _cosines(
    window: Sequence[Ranked], vectors: Mapping[RecordId, NDArray[np.float32]]
) -> tuple[NDArray[np.float64], list[bool]]:
    """Similarities of all pairs, 0 where one has no vector; and who has one."""
    cosines = np.zeros((len(window), len(window)))
    having = [position for position, one in enumerate(window) if one.record_id in vectors]
    if having:
        rows = np.stack([vectors[window[position].record_id].astype(np.float64) for position in having])
        # Stored in half precision, their length is 1 only nearly.
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        cosines[np.ix_(having, having)] = np.round(rows @ rows.T, _DECIMALS)
    return cosines, [one.record_id in vectors for one in window]
