"""BM25 weights of a document, without the inverse document frequency, which the query brings.

BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009.
"""

from array import array
from collections.abc import Mapping
from heapq import nsmallest
from typing import Final

from rensou_shared.text.hashing import SPARSE_DIMENSIONS, sparse_index

K1: Final = 0.9
B: Final = 0.4

REFERENCE_WORDS: Final = 95.0
"""The length, in weighted words, that counts as usual. A constant, so that a weight never depends on other records;
on conversations doubling it costs nothing and halving it half a point of NDCG@10, so it errs long."""

REFERENCE_TRIGRAMS: Final = 150.0
"""The same for the trigrams of a record's own text; here twice the length costs half a point to a point."""

MAX_NONZEROS: Final = 16_000
"""What pgvector's `sparsevec` holds at most."""


def document_weights(
    counts: Mapping[int, float], length: float, reference_length: float = REFERENCE_WORDS
) -> dict[int, float]:
    """Return the weight of each `sparsevec` index, exact in float32, by ascending index.

    `counts` maps the numbers of terms (`hash_counts`) to how often they stand in the document, which may be a weighted
    sum over context; counts that are not positive are left out. Of terms that share an index the heaviest counts, and
    of more than 16,000 the heaviest are kept, at equal weight those of lower index.
    """
    floor = K1 * (1.0 - B + B * length / reference_length)
    positive = [count for count in set(counts.values()) if count > 0.0]
    weight_of = dict(
        zip(positive, array("f", [count * (K1 + 1.0) / (count + floor) for count in positive]), strict=True)
    )
    weights: dict[int, float] = {}
    for number, count in counts.items():
        index, weight = sparse_index(number), weight_of.get(count, 0.0)
        if weight > weights.get(index, 0.0):
            weights[index] = weight
    ascending = sorted(weights.items())
    if len(ascending) > MAX_NONZEROS:
        ascending = sorted(nsmallest(MAX_NONZEROS, ascending, key=lambda pair: (-pair[1], pair[0])))
    return dict(ascending)


def format_sparsevec(weights: Mapping[int, float], dims: int = SPARSE_DIMENSIONS) -> str:
    """Return `weights` in pgvector's text form, `{index:value,…}/dims`, by ascending index.

    Nine digits carry a float32 there and back unchanged.

    Raises:
        ValueError: an index outside 1..dims, or more non-zeros than `sparsevec` holds.
    """
    if len(weights) > MAX_NONZEROS:
        raise ValueError(f"{len(weights)} weights are over the {MAX_NONZEROS} of a sparsevec")
    entries = sorted(weights.items())
    if entries and not 1 <= entries[0][0] <= entries[-1][0] <= dims:
        raise ValueError(f"sparsevec indexes run from 1 to {dims}")
    return "{" + ",".join([f"{index}:{weight:.9g}" for index, weight in entries]) + f"}}/{dims}"
