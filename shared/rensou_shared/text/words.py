"""Terms of one Latin-like token: stems of words, identifiers whole and in parts."""

import re
from functools import lru_cache
from typing import Final, Protocol, cast

from snowballstemmer.english_stemmer import EnglishStemmer

from rensou_shared.text.stopwords import STOP_WORDS

WORD: Final = "w"
IDENTIFIER: Final = "i"

JOINER: Final = r"(?:[-/\\:@]{1,3}|[.'])"
"""What may stand inside an identifier, between two of its parts."""

_JOINERS: Final = re.compile(JOINER)
_CLITIC: Final = re.compile(r"'(?:s|re|ve|ll|d|m)\Z")
_STEMMABLE: Final = re.compile(r"[a-z]{3,64}\Z")
_LONGEST_CACHED: Final = 64


class _Stemmer(Protocol):
    """What the library leaves without types."""

    def stemWord(self, word: str) -> str: ...  # noqa: N802 (the library's name)


def token_terms(token: str, *, keep_stop_words: bool) -> tuple[str, ...]:
    """Return the terms of one folded token, in reading order, repeats included; empty for a stop word.

    A word gives its Snowball English stem if it is of ASCII letters, itself otherwise. A token with joiners,
    underscores, or a final `++` or `#` is an identifier: it gives itself whole and the terms of its parts, except that
    `c++` and `c#` have no part, because they are not about `c`.
    """
    if len(token) > _LONGEST_CACHED:  # rare, and unbounded in size: it would fill the cache with itself
        return _token_terms(token, keep_stop_words)
    return _cached_token_terms(token, keep_stop_words)


def _token_terms(token: str, keep_stop_words: bool) -> tuple[str, ...]:
    body = _CLITIC.sub("", token)
    if body.isalnum():
        return _word_terms(body, keep_stop_words)
    if body in STOP_WORDS:
        return (WORD + body,) if keep_stop_words else ()
    units = [unit for unit in _JOINERS.split(body) if unit]
    terms = [IDENTIFIER + body] if len(units) > 1 else []
    # The parts of "to-do" are all stop words: they are all that can find it from "to do".
    parts = _unit_terms(units, keep_stop_words) or _unit_terms(units, True)
    return (*terms, *parts)


def _unit_terms(units: list[str], keep_stop_words: bool) -> list[str]:
    terms: list[str] = []
    for unit in units:
        if unit.endswith(("++", "#")):
            terms.append(IDENTIFIER + unit)
            continue
        if "_" in unit:
            terms.append(IDENTIFIER + unit)
        for part in unit.split("_"):
            terms.extend(_word_terms(part, keep_stop_words))
    return terms


def _word_terms(word: str, keep_stop_words: bool) -> tuple[str, ...]:
    if not word or (word in STOP_WORDS and not keep_stop_words):
        return ()
    if not _STEMMABLE.match(word):
        return (WORD + word,)
    # A stemmer holds the word it works on: one for each call keeps this safe in threads.
    return (WORD + cast("_Stemmer", EnglishStemmer()).stemWord(word),)


_cached_token_terms: Final = lru_cache(maxsize=32_768)(_token_terms)
