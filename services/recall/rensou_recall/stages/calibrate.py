"""How near unrelated questions come to an agent's records."""

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from rensou_recall.types.gate import Calibration

SAMPLE = 192
"""Records that the gate is calibrated with, at most; equal texts count once."""

MIN_SAMPLE = 32
"""Fewer say too little about what is near for this agent."""


def calibrate(records: NDArray[np.float32], questions: NDArray[np.float32]) -> Calibration:
    """The calibration of a sample, rows of unit length; not measured when it has fewer than 32 records.

    The order of the rows changes at most the last digits of `background`.
    """
    count = len(records)
    if count < MIN_SAMPLE or len(questions) == 0:
        return Calibration(count)
    cosines = questions.astype(np.float64) @ records.astype(np.float64).T
    nearest = tuple(sorted(float(best) for best in cosines.max(axis=1)))
    return Calibration(count, nearest, float(cosines.mean()))


def closeness(calibration: Calibration, cosine: float) -> float:
    """The share of the unrelated questions that find no record so near, 0-1, linear between two of them."""
    nearest = calibration.nearest
    above = bisect_right(nearest, cosine)
    if above == 0:
        return 0.0
    if above == len(nearest):
        return 1.0
    low, high = nearest[above - 1], nearest[above]
    return (above - 1 + (cosine - low) / (high - low)) / (len(nearest) - 1)
