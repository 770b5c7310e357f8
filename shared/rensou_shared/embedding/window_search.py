"""Where a text stops fitting a window, found by counting prefixes of it."""

import re
from collections.abc import Callable, Generator, Sequence
from typing import Final

from rensou_shared.text.grapheme import is_grapheme_boundary, last_grapheme_boundary

Search = Generator[int, int, int]
"""Yields the ends (code points) of prefixes to be counted, is sent their tokens, returns the end that was found."""

_WORD: Final = re.compile(r"\S+")
_Bracketing = Generator[int, int, tuple[int, int]]


def search_window_end(text: str, window_tokens: int, guess_chars: int, step_chars: int) -> Search:
    """Return where the prefix of `text` ends that fits `window_tokens`; `len(text)` when all of it does.

    The number of tokens of a prefix does not grow with every character (a longer prefix can merge two pieces into one),
    so the search halves over ends of words, where it does in practice, then over the characters that a reader sees
    inside the word that is too much, and parts one of those only when it is past the window alone. What is returned was
    counted and fits; it is 0 only when not even the first code point fits. It is the longest prefix that fits wherever
    the count grows over those ends. `guess_chars` is where to begin, `step_chars` how far to move from there at first.
    """
    fits, exceeds = yield from _bracket(text, window_tokens, guess_chars, step_chars)
    if fits == len(text):
        return fits
    words = [end for match in _WORD.finditer(text, fits, exceeds) if fits < (end := match.end()) < exceeds]
    fits, exceeds = yield from _narrow(fits, exceeds, words, window_tokens)
    characters = [end for end in range(fits + 1, exceeds) if is_grapheme_boundary(text, end)]
    fits, exceeds = yield from _narrow(fits, exceeds, characters, window_tokens)
    if fits == 0 or not is_grapheme_boundary(text, fits):
        fits, _ = yield from _narrow(fits, exceeds, range(fits + 1, exceeds), window_tokens)
    return fits


def find_window_end(
    text: str, count_tokens: Callable[[str], int], window_tokens: int, guess_chars: int, step_chars: int
) -> int:
    """Return what `search_window_end` does, with a tokenizer at hand."""
    search = search_window_end(text, window_tokens, guess_chars, step_chars)
    try:
        end = next(search)
        while True:
            end = search.send(count_tokens(text[:end]))
    except StopIteration as found:
        return found.value


def _bracket(text: str, window_tokens: int, guess: int, step: int) -> _Bracketing:
    """Return (an end that fits, the next tried end that does not), moving in doubling steps from the guess."""
    step, end = max(step, 1), _next_end(text, 0, max(guess, 1))
    if (yield end) > window_tokens:
        exceeds = end
        while (end := last_grapheme_boundary(text, max(0, exceeds - step))) > 0:
            if (yield end) <= window_tokens:
                return end, exceeds
            exceeds, step = end, 2 * step
        return 0, exceeds
    while end < len(text):
        fits, end, step = end, _next_end(text, end, step), 2 * step
        if (yield end) > window_tokens:
            return fits, end
    return end, end


def _next_end(text: str, start: int, step: int) -> int:
    """Return the last end of a character within `step` of `start`; one in its middle when it is longer."""
    end = min(len(text), start + step)
    boundary = last_grapheme_boundary(text, end)
    return boundary if boundary > start else end


def _narrow(fits: int, exceeds: int, ends: Sequence[int], window_tokens: int) -> _Bracketing:
    """Halve the ascending `ends`; the first returned is an end that was seen to fit, the second one that was not."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if (yield ends[middle]) <= window_tokens:
            fits, low = ends[middle], middle + 1
        else:
            exceeds, high = ends[middle], middle
    return fits, exceeds
