"""Texts in requests that an embedding server answers soon."""

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.chunk import MAX_CHARS, MAX_TEXTS, chunks

TEXTS = st.lists(st.integers(0, 2 * MAX_CHARS).map(lambda n: "x" * n), max_size=80)


@given(TEXTS)
def test_chunks_are_the_texts_in_order(texts: list[str]) -> None:
    assert [text for chunk in chunks(texts) for text in chunk] == texts


@given(TEXTS)
def test_a_chunk_is_within_both_bounds_or_one_text(texts: list[str]) -> None:
    for chunk in chunks(texts):
        assert 1 <= len(chunk) <= MAX_TEXTS
        assert len(chunk) == 1 or sum(map(len, chunk)) <= MAX_CHARS


def test_short_texts_share_a_chunk() -> None:
    assert [len(chunk) for chunk in chunks(["short"] * 70)] == [32, 32, 6]
