"""Requests of a size that an embedding server takes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from rensou_shared.embedding.errors import EmbeddingRejectedError


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive texts of one call."""

    first: int
    """Index of its first text in the call."""
    texts: tuple[str, ...]
    encoded: tuple[bytes, ...]
    """The texts as JSON strings in UTF-8."""

    def halves(self) -> "tuple[Batch, Batch]":
        """Return the two halves of a batch of at least two texts, in order."""
        middle = len(self.texts) // 2
        return (
            Batch(self.first, self.texts[:middle], self.encoded[:middle]),
            Batch(self.first + middle, self.texts[middle:], self.encoded[middle:]),
        )


def make_batches(texts: Sequence[str], max_texts: int, max_bytes: int) -> list[Batch]:
    """Return `texts` in order, in batches of at most `max_texts` and `max_bytes` of JSON.

    Raises:
        EmbeddingRejectedError: a text holds a lone surrogate or is over `max_bytes` alone; it names the first.
    """
    encoded = [_encode(text, index, max_bytes) for index, text in enumerate(texts)]
    bounds, size_bytes = [0], 0
    for index, item in enumerate(encoded):
        size_bytes += len(item) + 1
        if index - bounds[-1] == max_texts or (size_bytes > max_bytes and index > bounds[-1]):
            bounds.append(index)
            size_bytes = len(item) + 1
    spans = zip(bounds, [*bounds[1:], len(encoded)], strict=True)
    return [Batch(start, tuple(texts[start:end]), tuple(encoded[start:end])) for start, end in spans if end > start]


def _encode(text: str, index: int, max_bytes: int) -> bytes:
    try:
        encoded = json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise EmbeddingRejectedError("a lone surrogate", index=index) from None
    if len(encoded) > max_bytes:
        raise EmbeddingRejectedError(f"{len(encoded)} bytes are over the {max_bytes} of a request", index=index)
    return encoded
