"""Plain BM25 (k1 1.2, b .75) over lists of terms: what the benchmarks compare with."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_K1, _B = 1.2, 0.75


class PlainBm25:
    """BM25 over a collection; each document is the list of its terms."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        lengths = np.array([len(terms) for terms in documents], dtype=np.float64)
        floor = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1.0))
        self._size = len(documents)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for row, terms in enumerate(documents):
            for term, count in Counter(terms).items():
                self._postings.setdefault(term, []).append((row, count * (_K1 + 1) / (count + floor[row])))

    def scores(self, terms: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document for the distinct `terms`."""
        scores = np.zeros(self._size)
        for term in sorted(set(terms)):
            found = self._postings.get(term, ())
            idf = np.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
            for row, weight in found:
                scores[row] += idf * weight
        return scores
