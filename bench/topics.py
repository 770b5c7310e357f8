"""Made-up records and questions about topics, and vectors that lie as those of real texts do; the same at every run.

A text has words of one of 2,000 topics among common words whose frequencies follow Zipf's law. Its vector is computed
from its words alone: the topic's centre, half as much of its common words, and a third of noise of its own, each drawn
with a spectrum that falls with the square root of the dimension, of unit length in all. So texts of a topic lie close
together (cosine about .7), the order among them depends on what else they say, and a question lies near its topic.
"""

import random
import re
from bisect import bisect
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384
TOPICS = 2_000
_TOPIC_WORDS = 6
_COMMON_WORDS = 3_000
_ONSETS = ("b", "br", "d", "dr", "f", "g", "gl", "k", "kr", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v")
_VOWELS = ("a", "e", "i", "o", "u")
_CODAS = ("", "l", "m", "n", "r", "s", "x")
_PEOPLE = ("Marta", "Idris", "Yusra", "Tomas", "Hana", "Gen", "Lea", "Oskar")
_WORD = re.compile("[a-z]+")
_SESSION = 20
_START = datetime(2025, 1, 1, tzinfo=UTC)
_COMMON_SHARE, _NOISE_SHARE = 0.5, 0.35

Vectors = NDArray[np.float32]


class MadeRecord(NamedTuple):
    """A record of the benchmark: its text, its session and its time (UTC)."""

    content: str
    session_id: str
    occurred_at: datetime


@cache
def _words() -> tuple[str, ...]:
    """Distinct made-up words: first the topics' own, `_TOPIC_WORDS` each, then the common ones, most frequent first."""
    drawn = np.random.default_rng(3)
    found: dict[str, None] = {}
    while len(found) < TOPICS * _TOPIC_WORDS + _COMMON_WORDS:
        parts = [
            str(drawn.choice(_ONSETS)) + str(drawn.choice(_VOWELS)) + str(drawn.choice(_CODAS))
            for _ in range(int(drawn.integers(2, 4)))
        ]
        found["".join(parts)] = None
    return tuple(found)


def topic_words() -> tuple[str, ...]:
    """The words that belong to a topic, distinct."""
    return _words()[: TOPICS * _TOPIC_WORDS]


@cache
def _places() -> dict[str, int]:
    return {word: place for place, word in enumerate(_words())}


@cache
def _zipf() -> list[float]:
    """The share of the first words up to each, all but the last: `bisect` of a number under 1 is a word."""
    weights = 1 / np.arange(1, _COMMON_WORDS + 1)
    return np.cumsum(weights / weights.sum())[:-1].tolist()


def _draw(seed: int, rows: int) -> Vectors:
    """Rows of about unit length with the falling spectrum."""
    scale = 1 / np.sqrt(np.arange(1, DIMENSIONS + 1))
    scale /= np.linalg.norm(scale)
    return (np.random.default_rng(seed).standard_normal((rows, DIMENSIONS)) * scale).astype(np.float32)


@cache
def _directions() -> Vectors:
    """A row for each word, shape (words, dimensions): a topic's words share its centre."""
    return np.concatenate([np.repeat(_draw(5, TOPICS), _TOPIC_WORDS, axis=0), _draw(6, _COMMON_WORDS)])


def _chance(*seed: int) -> random.Random:
    return random.Random("/".join(map(str, seed)))


def _common(chance: random.Random, count: int) -> list[str]:
    first = TOPICS * _TOPIC_WORDS
    return [_words()[first + bisect(_zipf(), chance.random())] for _ in range(count)]


def _of_topic(chance: random.Random, topic: int, count: int) -> list[str]:
    return [_words()[topic * _TOPIC_WORDS + place] for place in chance.sample(range(_TOPIC_WORDS), count)]


def make_record(number: int, seed: int = 7) -> MadeRecord:
    """The `number`-th record; sessions are of twenty, half of whose records keep to one topic."""
    chance, session = _chance(seed, number), number // _SESSION
    topic = chance.randrange(TOPICS)
    if chance.random() < 0.5:
        topic = _chance(seed, session, 1).randrange(TOPICS)
    said = [*_of_topic(chance, topic, 3), *_common(chance, 9)]
    chance.shuffle(said)
    text = f"{chance.choice(_PEOPLE)} wrote in entry {number} of the {' '.join(said[:6])} and the {' '.join(said[6:])}."
    return MadeRecord(text, f"session-{seed}-{session}", _START + timedelta(minutes=number))


def make_question(number: int, seed: int = 11) -> str:
    """The `number`-th question, which names a topic with two of its words and has four common ones more."""
    chance = _chance(seed, number)
    asked = [*_of_topic(chance, chance.randrange(TOPICS), 2), *_common(chance, 4)]
    return f"What did {chance.choice(_PEOPLE)} write about the {' '.join(asked)} ({seed}-{number})?"


def vectors(texts: Sequence[str]) -> Vectors:
    """Unit vectors of the texts, shape (texts, DIMENSIONS); a text without a known word is noise alone."""
    return np.stack([_vector(text) for text in texts]) if texts else np.zeros((0, DIMENSIONS), np.float32)


def _vector(text: str) -> Vectors:
    places = [_places()[word] for word in _WORD.findall(text) if word in _places()]
    topical = [place for place in places if place < TOPICS * _TOPIC_WORDS]
    common = [place for place in places if place >= TOPICS * _TOPIC_WORDS]
    seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
    made = _NOISE_SHARE * _draw(seed, 1)[0]
    if topical:
        made += _directions()[topical].mean(axis=0)
    if common:
        made += _COMMON_SHARE / np.sqrt(len(common)) * _directions()[common].sum(axis=0)
    return (made / np.linalg.norm(made)).astype(np.float32)
