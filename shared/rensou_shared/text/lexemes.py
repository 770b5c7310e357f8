"""Terms of the lexical arm: one function of text for what is stored and for what is asked.

A term is a string whose first character is its kind, so that kinds never collide: `w` word, `i` identifier,
`b` bigram of a script written without spaces, `c` single character of such a script, `s` symbol.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from rensou_shared.text.characters import CJK, HIRAGANA, KANJI, KATAKANA, MARKS, UNSPACED
from rensou_shared.text.folding import fold_text
from rensou_shared.text.words import JOINER, token_terms

TERMS_VERSION: Final = 2
"""Stored beside the terms of a record; raised whenever any text may give other terms (a new stemmer included)."""

BIGRAM: Final = "b"
CHARACTER: Final = "c"
SYMBOL: Final = "s"


def _token_pattern(letter: str) -> str:
    unit = rf"{letter}++(?:\+\+|\#(?!\w))?"
    return rf"(?P<token>{unit}(?:{JOINER}{unit})*+)"


_ASCII_SCAN: Final = re.compile(_token_pattern(r"\w"))
_LETTER: Final = rf"(?:[^\W{CJK}{UNSPACED}]|[{MARKS}])"
_SCAN: Final = re.compile(rf"(?P<run>[{CJK}]++|[{UNSPACED}]++)|{_token_pattern(_LETTER)}|(?P<symbol>[^\s\x00-\x7f])")
_GRAM_WORD: Final = re.compile(rf"[{KANJI}]++|[{KATAKANA}]++|(?:[^\W_{KANJI}{KATAKANA}{HIRAGANA}]|[{MARKS}])++")
_GRAM_LENGTH: Final = 3


def document_terms(text: str) -> dict[str, int]:
    """Return each term of `text` with how often it stands there, in order of first appearance.

    Runs of a script without spaces give every bigram and every single character. Any text that is not blank has
    at least one term: one of stop words alone keeps them, one of punctuation alone gives its characters.
    """
    return dict(Counter(_terms(text, _run_of_document)))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of a query, in order of first appearance.

    Single characters are asked for only where a run has just one: in a longer run its bigrams say more.
    """
    return tuple(dict.fromkeys(_terms(text, _run_of_query)))


def weighted_length(counts: Mapping[str, float]) -> float:
    """Return the length that BM25 uses: the sum of `counts` without single characters, which repeat the bigrams."""
    return sum(count for term, count in counts.items() if not term.startswith(CHARACTER))


def trigram_counts(text: str) -> dict[str, int]:
    """Return the character trigrams of the words of `text`, each word between two spaces, with their counts.

    Where Japanese changes its script a word ends; hiragana, mostly grammar, gives none unless the text has nothing
    else. Any text that is not blank has at least one.
    """
    return dict(Counter(_trigrams(text)))


def query_trigrams(text: str) -> tuple[str, ...]:
    """Return the distinct trigrams of a query, in order of first appearance."""
    return tuple(dict.fromkeys(_trigrams(text)))


def _terms(text: str, run_terms: Callable[[str], list[str]]) -> list[str]:
    folded = fold_text(text)
    for keep_stop_words in (False, True):
        terms = list(_scan(folded, run_terms, keep_stop_words))
        if terms:
            return terms
    return [SYMBOL + char for char in folded if not char.isspace()]


def _scan(folded: str, run_terms: Callable[[str], list[str]], keep_stop_words: bool) -> Iterator[str]:
    pattern = _ASCII_SCAN if folded.isascii() else _SCAN
    number, number_end = "", -1
    for match in pattern.finditer(folded):
        found = match.group()
        if match.lastgroup == "token":
            yield from token_terms(found, keep_stop_words=keep_stop_words)
            number, number_end = (found, match.end()) if found.isdecimal() else ("", -1)
        elif match.lastgroup == "run":
            if match.start() == number_end:  # a number and its counter: 3月 is not any 3 and any 月
                yield BIGRAM + number + found[0]
            yield from run_terms(found)
        elif unicodedata.category(found).startswith("S"):
            yield SYMBOL + found


def _run_of_document(run: str) -> list[str]:
    return [*_bigrams(run), *(CHARACTER + char for char in run)]


def _run_of_query(run: str) -> list[str]:
    return _bigrams(run) if len(run) > 1 else [CHARACTER + run]


def _bigrams(run: str) -> list[str]:
    return [BIGRAM + run[start : start + 2] for start in range(len(run) - 1)]


def _trigrams(text: str) -> list[str]:
    folded = fold_text(text)
    words = _GRAM_WORD.findall(folded) or folded.split()
    grams: list[str] = []
    for word in words:
        padded = f" {word} "
        grams += [padded[start : start + _GRAM_LENGTH] for start in range(len(padded) - _GRAM_LENGTH + 1)]
    return grams
