"""How much of a question's wording stands in a text: distinct character trigrams, which need no word borders."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rensou_shared.text.normalize import normalize_name

_GRAM_CHARS = 3
# Whole numbers add up to the same in any order.
_WEIGHT_UNITS = 1_024


@dataclass(frozen=True, slots=True)
class QuestionGrams:
    """The distinct grams of a question, all of `length` code points: 3, or the whole of a shorter question."""

    length: int
    grams: frozenset[str]


def question_grams(question: str) -> QuestionGrams:
    """The grams of `question` in normal form; none when it is blank."""
    folded = normalize_name(question)
    length = min(_GRAM_CHARS, len(folded))
    return QuestionGrams(length, _grams(folded, length))


def shared_grams(asked: QuestionGrams, text: str) -> frozenset[str]:
    """The question's grams that occur in `text`."""
    folded = normalize_name(text)
    if len(asked.grams) < len(folded):  # to look for few is faster than to cut the text into all of its own
        return frozenset(gram for gram in asked.grams if gram in folded)
    return _grams(folded, asked.length) & asked.grams


def gram_weights(segments: Iterable[frozenset[str]]) -> Mapping[str, int]:
    """What each gram of the segments weighs, 1 or more: the fewer of them it stands in, the more it tells."""
    grams = list(segments)
    frequencies = Counter(gram for segment in grams for gram in segment)
    return {
        gram: max(1, round(_WEIGHT_UNITS * math.log((len(grams) + 1) / frequency)))
        for gram, frequency in frequencies.items()
    }


def _grams(folded: str, length: int) -> frozenset[str]:
    if length == 0:
        return frozenset()
    return frozenset(folded[start : start + length] for start in range(len(folded) - length + 1))
