"""Where a text stops fitting the model's window."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence

_WORD = re.compile(r"\S+")
_CHARS_PER_TOKEN = 4
_GUESSES = 6
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def find_window_end(text: str, count_tokens: Callable[[str], int], window_tokens: int) -> int:
    """Return the code point at which the prefix of `text` ends that fits `window_tokens`; `len(text)` when all fits.

    The number of tokens of a prefix does not grow with every character (a longer prefix can merge two pieces into one),
    so the search goes over word ends, where it does in practice, and only then over the characters of one word. What
    is returned was counted and fits, and is at least 1 whenever the first character fits.
    """
    search = _Search(text, count_tokens, window_tokens)
    search.bracket()
    if search.fits == len(text):
        return search.fits
    start, stop = search.fits, search.exceeds
    ends = [start + match.end() for match in _WORD.finditer(text[start:stop])]
    search.narrow([end for end in ends if start < end < stop])
    search.narrow(range(search.fits + 1, search.exceeds))
    return _back_to_whole_character(text, search.fits, lambda end: count_tokens(text[:end]) <= window_tokens)


class _Search:
    """The longest prefix that was seen to fit, and the shortest that was seen not to, with their tokens."""

    def __init__(self, text: str, count_tokens: Callable[[str], int], window_tokens: int) -> None:
        self._text = text
        self._count = count_tokens
        self._window = window_tokens
        self.fits, self._fits_tokens = 0, 0
        self.exceeds, self._exceeds_tokens = len(text), window_tokens + 1

    def bracket(self) -> None:
        """Doubles, so that a long tail is never counted."""
        end = min(len(self._text), self._window * _CHARS_PER_TOKEN)
        while self._try(end) and end < len(self._text):
            end = min(len(self._text), end * 2)

    def narrow(self, ends: Sequence[int]) -> None:
        """Looks among the ascending `ends`, first where the tokens seen so far say that the window closes, then halves.

        Tokens come about evenly, so that a guess or two stand next to the end where halving takes ten counts.
        """
        low, high, guesses = 0, len(ends), _GUESSES
        while low < high:
            place = (low + high) // 2
            if guesses:
                place = min(max(bisect_right(ends, self._guess()) - 1, low), high - 1)
                guesses -= 1
            if self._try(ends[place]):
                low = place + 1
            else:
                high = place

    def _guess(self) -> int:
        """Where the window would close if tokens came evenly between the two ends; just past it, half of the time."""
        tokens = max(self._exceeds_tokens - self._fits_tokens, 1)
        return self.fits + (self._window - self._fits_tokens + 1) * (self.exceeds - self.fits) // tokens

    def _try(self, end: int) -> bool:
        tokens = self._count(self._text[:end])
        if tokens <= self._window:
            self.fits, self._fits_tokens = end, tokens
            return True
        self.exceeds, self._exceeds_tokens = end, tokens
        return False


def _back_to_whole_character(text: str, end: int, has_room: Callable[[int], bool]) -> int:
    """Move `end` back so that no base is parted from its marks, unless nothing would be left."""
    start = end
    while start > 0 and _continues(text, start):
        start -= 1
    return start if 0 < start < end and has_room(start) else end


def _continues(text: str, index: int) -> bool:
    return bool(unicodedata.combining(text[index])) or text[index] in _JOINERS or text[index - 1] == "\u200d"
