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
from plain_bm25 import PlainBm25
from rensou_embedded.conversations import Conversation
from rensou_embedded.evaluation import TOP, Asked, score

_RRF_K = 60
_DEPTH = 100
_WORD = re.compile(r"\w+")


def plain_words(text: str) -> list[str]:
    """The case-folded words of a text."""
    return _WORD.findall(text.casefold())


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
        bm25 = PlainBm25([plain_words(text) for text in texts])
        for question, cosines in zip(one.questions, questions @ passages.T, strict=True):
            order = fuse_ranks(cosines, bm25.scores(plain_words(question.text)))
            ranked = [one.turns[row].id for row in order[:TOP]]
            asked.append(Asked(question.category, *score(ranked, question.evidence), 0.0, 0.0))
    return tuple(asked)
