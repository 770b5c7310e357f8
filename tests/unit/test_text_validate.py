"""Checks of text at the edge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.text.validate import TextProblem, check_text, is_blank, is_blank_query


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tea\u0000pot", TextProblem.NUL),
        ("hi \ud83d", TextProblem.SURROGATE),
        ("\udc00", TextProblem.SURROGATE),
        ("", TextProblem.BLANK),
        (" \u3000\n", TextProblem.BLANK),
        ("\u200b\ufeff", TextProblem.BLANK),
        ("\ufe0f\u3164", TextProblem.BLANK),
        ("x" * 21, TextProblem.TOO_LONG),
        ("😀" * 20, None),
        ("!!!", None),
        ("\u200bx", None),
    ],
)
def test_a_text_is_refused_for_its_problem(text: str, problem: TextProblem | None) -> None:
    assert check_text(text, max_chars=20) is problem


def test_a_blank_text_passes_where_it_is_allowed() -> None:
    assert check_text(" ", max_chars=20, allow_blank=True) is None


@pytest.mark.parametrize(("text", "problem"), [("あ" * 42, None), ("あ" * 43, TextProblem.TOO_LONG)])
def test_bytes_are_counted_in_utf8(text: str, problem: TextProblem | None) -> None:
    assert check_text(text, max_chars=128, max_bytes=128) is problem


def test_the_bound_in_bytes_is_inclusive_for_ascii() -> None:
    assert check_text("x" * 128, max_chars=200, max_bytes=128) is None
    assert check_text("x" * 129, max_chars=200, max_bytes=128) is TextProblem.TOO_LONG


@pytest.mark.parametrize("query", ["", "   ", "\u200b", "\ufeff \u2060", "\t\r\n", "\x1f\x07"])
def test_a_query_of_nothing_visible_is_blank(query: str) -> None:
    assert is_blank_query(query)


@pytest.mark.parametrize("query", ["!!!", "🙂", "❤\ufe0f", "会", "\u200b?", "👩\u200d🚀"])
def test_a_query_of_symbols_is_not_blank(query: str) -> None:
    assert not is_blank_query(query)


@given(st.text())
def test_what_passes_can_be_stored(text: str) -> None:
    if check_text(text, max_chars=1_000) is None:
        assert "\x00" not in text
        assert text.encode().decode() == text
        assert not is_blank(text)


@given(st.text(), st.text())
def test_blankness_is_of_both_parts(left: str, right: str) -> None:
    assert is_blank(left + right) == (is_blank(left) and is_blank(right))
