"""Where text may be cut without breaking a character that a reader sees as one.

A simple form of the rules of Unicode Annex 29: enough for what people write, without its tables.
"""

import unicodedata
from typing import Final

_ZERO_WIDTH_JOINER: Final = "\u200d"
_EXTENDING: Final = frozenset("\u200c\u200d\uff9e\uff9f")
_MARK_CATEGORIES: Final = frozenset({"Mn", "Me", "Mc"})


def is_grapheme_boundary(text: str, index: int) -> bool:
    """Whether a cut before `text[index]` keeps both characters beside it whole; both ends of the text are boundaries.

    False inside CRLF, before marks, joiners, variation selectors, skin tones and tags, after a joiner, inside a
    flag (a pair of regional indicators) and inside a Hangul syllable written in Jamo.
    """
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if _extends(after) or before == _ZERO_WIDTH_JOINER:
        return False
    if _is_regional_indicator(after):
        return _regional_indicators_before(text, index) % 2 == 0
    return not ("\u1160" <= after <= "\u11ff" and ("\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"))


def last_grapheme_boundary(text: str, index: int) -> int:
    """Return the last boundary at or before `index`; 0 when one cluster fills everything before it."""
    while not is_grapheme_boundary(text, index):
        index -= 1
    return index


def _extends(char: str) -> bool:
    return (
        char in _EXTENDING
        or unicodedata.category(char) in _MARK_CATEGORIES
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_regional_indicator(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _regional_indicators_before(text: str, index: int) -> int:
    start = index
    while start > 0 and _is_regional_indicator(text[start - 1]):
        start -= 1
    return index - start
