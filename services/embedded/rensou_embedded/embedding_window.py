"""Where a text stops fitting the model's window."""

import re
import unicodedata
from collections.abc import Callable

_WORD = re.compile(r"\S+")
_CHARS_PER_TOKEN = 4
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def find_window_end(text: str, count_tokens: Callable[[str], int], window_tokens: int) -> int:
    """Return the code point at which the prefix of `text` ends that fits `window_tokens`; `len(text)` when all fits.

    The number of tokens of a prefix does not grow with every character (a longer prefix can merge two pieces into one),
    so the search halves over word ends, where it does in practice, and only then over the characters of one word. What
    is returned was counted and fits, and is at least 1 whenever the first character fits.
    """
    fits, exceeds = _bracket(text, count_tokens, window_tokens)
    if fits == len(text):
        return fits

    def has_room(end: int) -> bool:
        return count_tokens(text[:end]) <= window_tokens

    word_ends = [fits + match.end() for match in _WORD.finditer(text[fits:exceeds])]
    fits, exceeds = _narrow(fits, exceeds, [end for end in word_ends if fits < end < exceeds], has_room)
    fits, _ = _narrow(fits, exceeds, range(fits + 1, exceeds), has_room)
    return _back_to_whole_character(text, fits, has_room)


def _bracket(text: str, count_tokens: Callable[[str], int], window_tokens: int) -> tuple[int, int]:
    """Return (an end that fits, the next tried end that does not), doubling, so that a long tail is never counted."""
    fits, end = 0, min(len(text), window_tokens * _CHARS_PER_TOKEN)
    while count_tokens(text[:end]) <= window_tokens:
        fits = end
        if end == len(text):
            return end, end
        end = min(len(text), end * 2)
    return fits, end


def _narrow(fits: int, exceeds: int, ends: "list[int] | range", has_room: Callable[[int], bool]) -> tuple[int, int]:
    """Halve the ascending `ends`; the first returned is an end that was seen to fit, the second one that was not."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if has_room(ends[middle]):
            fits, low = ends[middle], middle + 1
        else:
            exceeds, high = ends[middle], middle
    return fits, exceeds


def _back_to_whole_character(text: str, end: int, has_room: Callable[[int], bool]) -> int:
    """Move `end` back so that no base is parted from its marks, unless nothing would be left."""
    start = end
    while start > 0 and _continues(text, start):
        start -= 1
    return start if 0 < start < end and has_room(start) else end


def _continues(text: str, index: int) -> bool:
    return bool(unicodedata.combining(text[index])) or text[index] in _JOINERS or text[index - 1] == "\u200d"
