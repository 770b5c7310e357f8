"""find_window_end: the longest counted prefix that fits, whatever the tokenizer does."""

from collections.abc import Callable

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rensou_shared.embedding.tokenizer_file import count_in_window
from rensou_shared.embedding.window_search import find_window_end as search_window_end
from rensou_shared.text.grapheme import is_grapheme_boundary
from tests.unit.toy_tokenizer import count_tokens, toy_tokenizer

PIECES = ["the", "key", "door", "明日は京都で会議がある。", "🍵", "e\u0301", "x" * 40, "\n", " "]
WORDS = st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join)


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


@settings(deadline=None)
@given(WORDS | st.text(max_size=200), st.integers(3, 40))
def test_the_end_is_where_the_tokens_of_the_whole_text_close_or_in_the_word_there(text: str, window: int) -> None:
    tokens = count_tokens(text)
    assume(tokens > window)
    end = search_window_end(text, count_tokens, window, len(text) * window // tokens, 64)
    exact = count_in_window(toy_tokenizer().encode(text), len(text), window).window_end_char
    assert count_tokens(text[:end]) <= window
    first, last = sorted((end, exact))
    # Between the two there is at most one word.
    assert len(text[first:last].split()) <= 1


@settings(deadline=None)
@given(WORDS, st.integers(3, 40), st.integers(1, 200), st.integers(1, 50))
def test_where_to_begin_does_not_change_where_the_text_ends(text: str, window: int, guess: int, step: int) -> None:
    end = search_window_end(text, len, window, guess, step)
    assert end == search_window_end(text, len, window, 1, 1)
    assert is_grapheme_boundary(text, end)


def test_a_text_far_past_the_window_takes_some_ten_counts() -> None:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += 1
        return count_tokens(text)

    text = "The kettle stands by the lamp. " * 500
    guess = len(text) * 512 // count_tokens(text)
    search_window_end(text, count, 512, guess, guess // 16)
    assert counted <= 14
