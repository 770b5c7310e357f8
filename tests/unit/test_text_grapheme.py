"""Boundaries of characters as a reader sees them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.text.grapheme import is_grapheme_boundary, last_grapheme_boundary

TEXT = st.text(st.sampled_from("ab\r\n\u0301\u200d\ufe0f🇯🇵👩🚀🏽ᄒ\u1161가\u11a8"), max_size=20)


@pytest.mark.parametrize(
    "cluster",
    ["\r\n", "e\u0301", "か\u3099", "❤\ufe0f", "👩\u200d🚀", "👍🏽", "🇯🇵", "\u1112\u1161\u11ab", "कि", "ｶﾞ"],
)
def test_a_visible_character_is_never_torn(cluster: str) -> None:
    text = f"x{cluster}y"
    inside = range(2, 1 + len(cluster))
    assert [is_grapheme_boundary(text, index) for index in inside] == [False] * len(inside)
    assert last_grapheme_boundary(text, len(cluster)) == 1
    assert is_grapheme_boundary(text, 1 + len(cluster))


def test_two_flags_part_between_them() -> None:
    assert [is_grapheme_boundary("🇯🇵🇫🇷", index) for index in range(5)] == [True, False, True, False, True]


@pytest.mark.parametrize(
    "pair",
    ["👍🏻", "👍🏿", "🏴\U000e0020", "🏴\U000e007f", "\u1100\u1160", "\u11ff\u11ff", "가\u11a8", "힣\u11a8", "a\u0300"],
)
def test_the_ends_of_each_class_extend(pair: str) -> None:
    assert not is_grapheme_boundary(pair, 1)


@pytest.mark.parametrize(
    "text", ["ab", "あい", "漢字", "\n\r", "a\n", "\ra", "가각", "\u10ff\u1161", "가\u1200", "👍🐿"]
)
def test_ordinary_characters_part(text: str) -> None:
    assert is_grapheme_boundary(text, 1)


@given(TEXT, st.integers(0, 20))
def test_the_last_boundary_is_a_boundary_at_or_before(text: str, index: int) -> None:
    index = min(index, len(text))
    boundary = last_grapheme_boundary(text, index)
    assert 0 <= boundary <= index
    assert is_grapheme_boundary(text, boundary)
    assert not any(is_grapheme_boundary(text, between) for between in range(boundary + 1, index + 1))
