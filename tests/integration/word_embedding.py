"""An embedding server that is a function of the words: deterministic, and switched off at will."""

import hashlib
from collections.abc import Sequence

import numpy as np

from rensou_shared.embedding.errors import EmbeddingUnavailableError
from rensou_shared.embedding.port import Embedded, ModelIdentity, Side, TokenCount

_DIMENSIONS = 64


class WordEmbedding:
    """Vectors are bags of hashed words, the window is 1,000 characters; `down` makes it refuse."""

    def __init__(self) -> None:
        self.down = False

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        if self.down:
            raise EmbeddingUnavailableError("it is down")
        vectors = np.array([self.vector(text) for text in texts], np.float32)
        counts = await self.count(texts, side, timeout_s) if with_counts else None
        return Embedded(vectors, counts)

    async def count(self, texts: Sequence[str], side: Side, timeout_s: float) -> tuple[TokenCount, ...]:
        return tuple(TokenCount(len(t), 1_000, len(t) > 1_000, min(len(t), 1_000)) for t in texts)

    async def identity(self, timeout_s: float) -> ModelIdentity:
        if self.down:
            raise EmbeddingUnavailableError("it is down")
        return ModelIdentity("words:1", "words", _DIMENSIONS, 1_000)

    def vector(self, text: str) -> list[float]:
        vector = np.zeros(_DIMENSIONS)
        for word in ["·", *text.lower().split()]:
            vector[hashlib.sha256(word.strip(".,?!").encode()).digest()[0] % _DIMENSIONS] += 1
        return (vector / np.linalg.norm(vector)).tolist()
