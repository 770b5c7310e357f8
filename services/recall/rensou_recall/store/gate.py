"""What the relevance gate measures with."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from rensou_recall.types.retrieval import SampleDigest
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import array_literal, load_statement
from rensou_shared.ids import AgentId, ModelId, RecordId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"


@dataclass(frozen=True, slots=True, eq=False)
class SampleVectors:
    """The sample with its vectors, float32, a row for each different text that has one."""

    sample: SampleDigest
    vectors: NDArray[np.float32]

    @property
    def is_complete(self) -> bool:
        """Whether every text of the sample has its vector."""
        return len(self.vectors) == self.sample.records


async def load_sample_vectors(connection: Connection, agent_id: AgentId, model_id: ModelId, size: int) -> SampleVectors:
    """The sample of at most `size` records with their vectors under the model."""
    params = {"agent_id": agent_id, "model_id": model_id, "size": size}
    # Two hundred vectors as text take fifty milliseconds to read.
    cursor = await connection.execute(load_statement(_STORE, "load_sample_vectors"), params, binary=True)
    rows = await cursor.fetchall()
    texts = [bytes(row[0]) for row in rows]
    vector_of = {text: row[1] for text, row in zip(texts, rows, strict=True) if row[1] is not None}
    sample = SampleDigest(len(set(texts)), sha256(b"".join(texts)).digest())
    return SampleVectors(sample, _matrix(list(vector_of.values())))


async def load_word_shares(
    connection: Connection, words: Sequence[int], records: Sequence[RecordId]
) -> dict[RecordId, float]:
    """The share of the question's words, by their weight, that each record says; `words` are their hashes."""
    params = {"words": array_literal(words), "records": array_literal(records)}
    cursor = await connection.execute(load_statement(_STORE, "load_word_shares"), params)
    return {RecordId(row[0]): float(row[1]) for row in await cursor.fetchall()}


async def load_first_by_words(connection: Connection, scope: ReadScope, words: Sequence[int]) -> RecordId | None:
    """The readable record that the lexical arm puts first for `words`, hashes; None when no record says one."""
    params = scope_params(scope) | {"words": array_literal(words)}
    cursor = await connection.execute(load_statement(_STORE, "first_by_words"), params)
    row = await cursor.fetchone()
    return None if row is None else RecordId(row[0])


async def load_unrelated_questions(
    connection: Connection, model_id: ModelId, version: int, script: str
) -> NDArray[np.float32]:
    """Vectors of the unrelated questions, float32, a row a question; no rows when none are stored."""
    params = {"model_id": model_id, "questions_version": version, "script": script}
    cursor = await connection.execute(load_statement(_STORE, "load_unrelated_questions"), params)
    return _matrix([row[0] for row in await cursor.fetchall()])


async def save_unrelated_questions(
    connection: Connection, model_id: ModelId, version: int, script: str, vectors: NDArray[np.float32]
) -> None:
    """Keeps the vectors (a row a question) unless another process has kept some already."""
    params = {
        "model_id": model_id,
        "questions_version": version,
        "script": script,
        "embeddings": [HalfVector(vector) for vector in vectors],
    }
    await connection.execute(load_statement(_STORE, "save_unrelated_questions"), params)


def _matrix(vectors: Sequence[HalfVector]) -> NDArray[np.float32]:
    if not vectors:
        return np.empty((0, 0), np.float32)
    return np.array([vector.to_numpy() for vector in vectors], np.float32)
