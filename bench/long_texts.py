"""Made-up texts that are past the window of an embedding server, and such that are not."""

from topics import make_record

LONG_CHARS = 5_000
_SENTENCE_CHARS = 100


def long_text(number: int, chars: int = LONG_CHARS) -> str:
    """The `number`-th text of about `chars` code points, at least one sentence; six sentences a paragraph."""
    count = max(chars // _SENTENCE_CHARS, 1)
    said = [make_record(number * count + place, seed=31).content for place in range(count)]
    return "\n\n".join(" ".join(said[start : start + 6]) for start in range(0, count, 6))[: max(chars, 1)]


def short_text(number: int) -> str:
    """The `number`-th text of one sentence."""
    return make_record(number, seed=37).content
