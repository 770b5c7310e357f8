"""PrefixCounts: what the tokenizer itself counts of a prefix, in fewer tokens read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rensou_embedded.embedding_engine import E5Engine, Side
from rensou_embedded.prefix_counts import PrefixCounts

WORDS = [
    "the",
    "Key.",
    "door,",
    "don't",
    "明日は京都で",
    "会議がある。",
    "🍵",
    "e\u0301",
    "x" * 40,
    "ﷺ",
    "①",
    "½",
    "%",
    "n°",
]
SEAMS = [" ", "  ", "\n", "\t", "\u3000", "\u00a0", "\u200b", " \u200d", "", "\u00ad "]
TEXTS = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SEAMS)), max_size=30).map(
    lambda parts: "".join(word + seam for word, seam in parts)
)


@pytest.fixture(scope="module")
def engine() -> E5Engine:
    return E5Engine()


def count(engine: E5Engine, text: str) -> int:
    return engine.measure(text, Side.PASSAGE).count


@settings(deadline=None, max_examples=600)
@given(TEXTS | st.text(max_size=120), st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_every_prefix_counts_as_the_tokenizer_says(engine: E5Engine, text: str, shares: list[float]) -> None:
    counts = PrefixCounts(text, lambda part: count(engine, part))
    for share in shares:
        prefix = text[: round(share * len(text))]
        assert counts.count(prefix) == count(engine, prefix), prefix


def test_a_prefix_is_counted_from_the_last_seam_on() -> None:
    asked: list[str] = []

    def count_words(part: str) -> int:
        asked.append(part)
        return len(part.split()) + 2

    counts = PrefixCounts("one two three four five", count_words)
    del asked[:]
    assert [counts.count("one two three"), counts.count("one two three four")] == [5, 6]
    assert asked == ["one two three", " four"]
    assert counts.count("one two three") == 5
    assert asked == ["one two three", " four"]
