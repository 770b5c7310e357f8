"""RERANK: the order of a cross-encoder's scores."""

from collections.abc import Sequence

from rensou_recall.types.profile import Profile, ProfileEffect
from rensou_recall.types.retrieval import Ranked


def rerank(window: Sequence[Ranked], scores: Sequence[float]) -> tuple[Ranked, ...]:
    """The window by `scores`, one for each of it, best first; ties by fused rank."""
    order = sorted(range(len(window)), key=lambda position: (-scores[position], position))
    return tuple(
        window[position].told(ProfileEffect(Profile.RERANK, scores[position], position + 1)) for position in order
    )
