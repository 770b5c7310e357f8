"""Texts in requests that an embedding server answers soon, so that what is done when the time is over is not lost."""

from collections.abc import Iterator, Sequence

MAX_TEXTS = 32
MAX_CHARS = 8_000


def chunks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """`texts` in order, in runs of at most 32 and, unless one text alone is longer, 8,000 code points."""
    start = size = 0
    for place, text in enumerate(texts):
        if place > start and (place - start == MAX_TEXTS or size + len(text) > MAX_CHARS):
            yield texts[start:place]
            start, size = place, 0
        size += len(text)
    if start < len(texts):
        yield texts[start:]
