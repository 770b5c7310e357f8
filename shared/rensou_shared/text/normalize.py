"""The one normal form under which names, aliases and predicates are equal."""

import re
import unicodedata
from typing import Final

_WHITESPACE_RUN: Final = re.compile(r"\s+")


def normalize_name(text: str) -> str:
    """Return `text` in NFKC, then fully case-folded, with each run of white space as one space, trimmed.

    Nothing else is folded: zero-width characters, punctuation and the difference between hiragana and katakana
    stay. Folding is one pass without a second NFKC, so the result is a key to compare and not text to show.
    An empty result means that the name has no key; callers refuse it, because two empty keys are not equal names.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _WHITESPACE_RUN.sub(" ", folded).strip(" ")
