"""The baseline of today's memory systems: RRF of two plain arms, in numpy, on the same records and vectors.

Arms: cosine of the embeddings; BM25 (k1 1.2, b .75) over case-folded words, without stop words or stems. Reciprocal
rank fusion with k = 60 over the first 100 of each (Cormack et al., SIGIR 2009).
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embedding_relay import PASSAGE, QUERY, EmbeddingRelay
from rensou_embedded.conversations import Conversation
from rensou_embedded.evaluation import TOP, Asked, score

_K1, _B = 1.2, 0.75
_RRF_K = 60
_DEPTH = 100
_WORD = re.compile(r"\w+")


def plain_words(text: str) -> list[str]:
    """The case-folded words of a text."""
    return _WORD.findall(text.casefold())


class PlainBm25:
    """BM25 over a collection of texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        documents = [Counter(plain_words(text)) for text in texts]
        lengths = np.array([document.total() for document in documents], dtype=np.float64)
        floor = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1.0))
        self._size = len(texts)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for row, document in enumerate(documents):
            for word, count in document.items():
                self._postings.setdefault(word, []).append((row, count * (_K1 + 1) / (count + floor[row])))

    def scores(self, question: str) -> NDArray[np.float64]:
        """The score of each text."""
        scores = np.zeros(self._size)
        for word in set(plain_words(question)):
            found = self._postings.get(word, ())
            idf = np.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
            for row, weight in found:
                scores[row] += idf * weight
        return scores


def fuse_ranks(cosines: NDArray[np.float32], bm25: NDArray[np.float64]) -> list[int]:
    """Rows in the order of the sum of their reciprocal ranks, ties by the lower row."""
    fused: Counter[int] = Counter()
    for arm, least in ((cosines, -np.inf), (bm25, 0.0)):
        order = [row for row in np.argsort(-arm, kind="stable")[:_DEPTH] if arm[row] > least]
        for rank, row in enumerate(order, 1):
            fused[int(row)] += 1 / (_RRF_K + rank)
    return sorted(fused, key=lambda row: (-fused[row], row))


async def ask_plain(conversations: Sequence[Conversation], relay: EmbeddingRelay) -> tuple[Asked, ...]:
    """Each question's outcome, in order; times are not measured."""
    asked: list[Asked] = []
    for one in conversations:
        texts = [turn.text for turn in one.turns]
        passages = await relay.embed(texts, PASSAGE)
        questions = await relay.embed([question.text for question in one.questions], QUERY)
        bm25 = PlainBm25(texts)
        for question, cosines in zip(one.questions, questions @ passages.T, strict=True):
            order = fuse_ranks(cosines, bm25.scores(question.text))
            ranked = [one.turns[row].id for row in order[:TOP]]
            asked.append(Asked(question.category, *score(ranked, question.evidence), 0.0, 0.0))
    return tuple(asked)
