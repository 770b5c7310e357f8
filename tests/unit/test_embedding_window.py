"""find_window_end: the longest counted prefix that fits, whatever the tokenizer does."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.embedding.window_search import find_window_end as search_window_end


def find_window_end(text: str, count: Callable[[str], int], window: int) -> int:
    return search_window_end(text, count, window, 4 * window, 4 * window)


def count_words(text: str) -> int:
    return len(text.split())


def count_characters(text: str) -> int:
    return len(text)


def count_merging(text: str) -> int:
    """A tokenizer whose count falls now and then as the prefix grows."""
    return len(text) - 2 * text.count("ab")


@given(st.text(), st.integers(1, 9))
def test_the_prefix_fits_and_the_next_character_does_not(text: str, window: int) -> None:
    end = find_window_end(text, count_characters, window)
    assert end == len(text) or end + 1 > window or count_characters(text[: end + 1]) <= window
    assert count_characters(text[:end]) <= window


@given(st.text(alphabet="ab \u0301界"), st.integers(1, 9))
def test_a_count_that_falls_now_and_then_still_gives_a_prefix_that_fits(text: str, window: int) -> None:
    end = find_window_end(text, count_merging, window)
    assert count_merging(text[:end]) <= window
    assert end > 0 or not text


@given(st.text(), st.integers(1, 400))
def test_a_text_that_fits_is_kept_whole(text: str, window: int) -> None:
    assert count_words(text) > window or find_window_end(text, count_words, window) == len(text)


def test_an_end_does_not_part_a_letter_from_its_accent() -> None:
    assert find_window_end("abe\u0301f", count_characters, 3) == 2


def test_a_run_of_accents_alone_is_cut_all_the_same() -> None:
    assert find_window_end("e" + "\u0301" * 9, count_characters, 3) == 3


def test_a_long_tail_is_never_counted() -> None:
    longest = 0

    def count(text: str) -> int:
        nonlocal longest
        longest = max(longest, len(text))
        return len(text)

    assert find_window_end("x" * 100_000, count, 10) == 10
    assert longest == 40
