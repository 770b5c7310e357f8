"""Tokens of many prefixes of one text, without counting what they have in common again and again."""

from bisect import bisect_right
from collections.abc import Callable


class PrefixCounts:
    """The tokens of prefixes of a text, by a tokenizer that tokenises each word, its space before it, by itself.

    A prefix that goes on from a counted one with a space is that count and the tokens of what follows. Other whitespace
    is no such seam, nor is a space after anything but a letter, a digit or an ASCII mark: what normalisation turns into
    a space, or drops, may run together with it.
    """

    def __init__(self, text: str, count_tokens: Callable[[str], int]) -> None:
        """`count_tokens` counts a text with what is put around it, which is the same for every text."""
        self._text = text
        self._count_tokens = count_tokens
        self._around = 2 * count_tokens("a") - count_tokens("a a")
        self._ends = [0]
        self._tokens = [self._around]

    def count(self, prefix: str) -> int:
        """Return what `count_tokens` does; `prefix` is one of the text."""
        end = len(prefix)
        place = bisect_right(self._ends, end) - 1
        start = self._ends[place]
        if place and start == end:
            return self._tokens[place]
        tokens = self._tokens[place] + self._count_tokens(prefix[start:]) - self._around
        if _is_seam(self._text, end):
            self._ends.insert(place + 1, end)
            self._tokens.insert(place + 1, tokens)
        return tokens


def _is_seam(text: str, end: int) -> bool:
    if text[end : end + 1] != " ":
        return False
    before = text[end - 1 : end]
    return before.isalnum() or "!" <= before <= "~"
