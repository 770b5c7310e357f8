"""Vectors as they are compared and stored: of unit length, in single precision."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

SMALLEST_NORM: Final = 1e-9
"""A vector shorter than this has no direction; the floor of the embedding contract."""


def unit_vector(values: NDArray[np.float64]) -> NDArray[np.float32] | None:
    """Return `values` (one dimension, finite) at length 1, or None when they are too short to have a direction."""
    norm = float(np.linalg.norm(values))
    return None if norm < SMALLEST_NORM else (values / norm).astype(np.float32)
