"""Where a text stops fitting a window, found by counting prefixes of it."""

import re
from collections.abc import Callable, Generator, Sequence
from typing import Final

from rensou_shared.text.grapheme import is_grapheme_boundary, last_grapheme_boundary

Search = Generator[int, int, int]
"""Yields the ends (code points) of prefixes to be counted, is sent their tokens, returns the end that was found."""

_SPACE: Final = re.compile(r"\s")
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
    spaces = (match.start() for match in _SPACE.finditer(text, fits + 1, exceeds))
    words = [end for end in spaces if not text[end - 1].isspace() and is_grapheme_boundary(text, end)]
    fits, exceeds = yield from _narrow(fits, exceeds, words, window_tokens)
    characters = [end for end in range(fits + 1, exceeds) if is_grapheme_boundary(text, end)]
    fits, exceeds = yield from _narrow(fits, exceeds, characters, window_tokens)
    if fits == 0:
        fits, _ = yield from _narrow(fits, exceeds, range(1, exceeds), window_tokens)
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
    step = max(step, 1)
    end = _end_near(text, max(guess, 1), 0, step)
    if (yield end) > window_tokens:
        exceeds = end
        while 0 < (end := _end_near(text, exceeds - step, 0, step)) < exceeds:
            if (yield end) <= window_tokens:
                return end, exceeds
            exceeds, step = end, 2 * step
        return 0, exceeds
    while end < len(text):
        fits, end, step = end, _end_near(text, end + step, end, step), 2 * step
        if (yield end) > window_tokens:
            return fits, end
    return end, end


def _end_near(text: str, target: int, after: int, reach: int) -> int:
    """Return the first end of a word from `target` on, or of a character near it when that is not within `reach`.

    Always past `after`, unless `target` is not. Inside of a word the count is no measure of whether its end fits.
    """
    target = min(target, len(text))
    if target <= after:
        return after
    space = _SPACE.search(text, target)
    word_end = space.start() if space else len(text)
    if word_end - target <= reach and is_grapheme_boundary(text, word_end):
        return word_end
    if (boundary := last_grapheme_boundary(text, target)) > after:
        return boundary
    while not is_grapheme_boundary(text, target):
        target += 1
    return target


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
