"""Scores on one scale."""

from collections.abc import Sequence


def min_max(scores: Sequence[float]) -> list[float]:
    """Each score between 0 for the lowest and 1 for the highest; equal ones are all 1."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if low == high:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]
