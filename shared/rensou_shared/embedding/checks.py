"""Checks of an embedding server's answers; nothing of a wrong answer is used."""

import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rensou_shared.embedding.errors import EmbeddingMalformedError
from rensou_shared.embedding.port import TokenCount
from rensou_shared.json_types import is_array, is_object
from rensou_shared.vectors import unit_vector

MAX_DIMENSIONS: Final = 4_000  # the widest that pgvector's halfvec indexes

_FLOAT32_MAX: Final = float(np.finfo(np.float32).max)
_NUMBER_TYPES: Final = frozenset({int, float})  # exact types: bool is an int, and no number here


def check_vectors(answer: Mapping[str, object], texts: int, dimensions: int | None) -> NDArray[np.float32]:
    """Return the vectors of an /embed answer as rows of unit length, shape (texts, width), in the order of the texts.

    `dimensions` is the width that they must have; None takes that of the first.

    Raises:
        EmbeddingMalformedError: another number of vectors, or one that is empty, of another width, all zeros, or holds
            anything but finite numbers that fit float32; it names the first.
    """
    return check_rows(answer.get("embeddings"), texts, dimensions)


def check_rows(rows: object, texts: int, dimensions: int | None) -> NDArray[np.float32]:
    """Return a list of vectors likewise.

    Raises:
        EmbeddingMalformedError: See `check_vectors`.
    """
    if not is_array(rows):
        raise EmbeddingMalformedError("the answer has no list of embeddings")
    if len(rows) != texts:
        raise EmbeddingMalformedError(f"{len(rows)} vectors for {texts} texts")
    width = dimensions
    vectors: list[NDArray[np.float32]] = []
    for index, row in enumerate(rows):
        vectors.append(_unit_vector(row, index, width))
        width = vectors[0].shape[0]
    return np.stack(vectors)


def check_counts(report: object, texts: Sequence[str]) -> tuple[TokenCount, ...] | None:
    """Return a token report for `texts`, or None for the report of a server that sees no tokens (null).

    Raises:
        EmbeddingMalformedError: anything in it is wrong or contradicts itself; a report is used whole or not at all.
    """
    if report is None:
        return None
    if not is_array(report) or len(report) != len(texts):
        raise EmbeddingMalformedError("the token report has not one entry for each text")
    return tuple(
        _token_count(entry, index, len(text)) for index, (entry, text) in enumerate(zip(report, texts, strict=True))
    )


def _unit_vector(row: object, index: int, width: int | None) -> NDArray[np.float32]:
    if not is_array(row) or not row:
        raise EmbeddingMalformedError("no vector", index)
    if len(row) > MAX_DIMENSIONS or (width is not None and len(row) != width):
        raise EmbeddingMalformedError(f"a vector of {len(row)} numbers instead of {width or MAX_DIMENSIONS}", index)
    if not _are_numbers(row):
        raise EmbeddingMalformedError("a vector with an element that is no number", index)
    vector = unit_vector(_finite(row, index))
    if vector is None:
        raise EmbeddingMalformedError("a zero vector", index)
    return vector


def _are_numbers(row: list[object]) -> TypeGuard[list[float]]:
    return set(map(type, row)) <= _NUMBER_TYPES


def _finite(row: list[float], index: int) -> NDArray[np.float64]:
    try:
        values = np.array(row, dtype=np.float64)
    except OverflowError:  # an integer past float64
        values = np.array([math.inf])
    # NaN compares false, so it fails here too.
    if not bool(np.all(np.abs(values) <= _FLOAT32_MAX)):
        raise EmbeddingMalformedError("a vector with an element that is not a finite float32", index)
    return values


def _token_count(entry: object, index: int, length: int) -> TokenCount:
    if not is_object(entry):
        raise EmbeddingMalformedError("a token report that is no object", index)
    count, window, end = (whole_number(entry.get(key)) for key in ("count", "window", "window_end_char"))
    truncated = entry.get("truncated")
    if count is None or window is None or end is None or not isinstance(truncated, bool):
        raise EmbeddingMalformedError("a token report with a missing or wrong field", index)
    if window < 1 or end > length or truncated != (count > window) or not (truncated or end == length):
        raise EmbeddingMalformedError("a token report that contradicts itself", index)
    return TokenCount(count, window, truncated, end)


def whole_number(value: object) -> int | None:
    """Return `value` if it is an integer from 0 on; a bool is none."""
    return value if type(value) is int and value >= 0 else None
