"""Records of one agent, stored and asked for as the service does, in a database of the test's own."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from rensou_nodeworker.store.sweeps import fold_term_deltas
from rensou_recall.store.candidates import candidate_params, load_candidates
from rensou_recall.store.save import insert_record
from rensou_recall.types.embedding import EmbeddedText
from rensou_recall.types.records import NewRecord
from rensou_recall.types.retrieval import Candidate, VectorQuery
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import AgentId, ModelId, RecordId
from rensou_shared.scope import ReadScope, WriteScope
from rensou_shared.text.index import index_terms, question_terms
from tests.conftest import DatabaseDsns

ANN = AgentId("ann")
SCOPE, EVERYTHING = WriteScope(ANN, "", ""), ReadScope(ANN)
TIMEOUT_S = 60.0


def register(admin: str, dimensions: int, fingerprint: str = "m") -> ModelId:
    """The number of a new active model."""
    with psycopg.connect(admin) as connection:
        row = connection.execute(
            """INSERT INTO rensou.embedding_models (fingerprint, name, dimensions, token_window, state)
               VALUES (%s, 'm', %s, 512, 'active') RETURNING id""",
            (fingerprint, dimensions),
        ).fetchone()
    assert row is not None
    return ModelId(int(row[0]))


def unit(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float32]:
    array = np.asarray(values, np.float64)
    return (array / np.linalg.norm(array)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Records of one agent in a database of the test's own."""

    dsns: DatabaseDsns
    database: Database

    async def add(
        self, content: str, embedded: EmbeddedText | None = None, occurred_at: datetime | None = None
    ) -> RecordId:
        """Stores a text as the service does."""
        record = NewRecord("mem", content, occurred_at=occurred_at)
        async with self.database.transaction(ANN, TIMEOUT_S) as connection:
            inserted = await insert_record(
                connection, SCOPE, record, index_terms(ANN, content), embedded, wants_build=False
            )
        assert inserted is not None
        return inserted.id

    async def run(self, statement: bytes) -> list[tuple[Any, ...]]:
        """The rows of a statement, run for the agent."""
        async with self.database.transaction(ANN, TIMEOUT_S) as connection:
            cursor = await connection.execute(statement)
            return await cursor.fetchall() if cursor.description else []

    async def ask(
        self, query: str, vector: NDArray[np.float32] | None = None, model_id: ModelId | None = None, depth: int = 100
    ) -> dict[RecordId, Candidate]:
        """The candidates by record."""
        nearest = None if vector is None or model_id is None else VectorQuery(vector, model_id)
        async with self.database.transaction(ANN, TIMEOUT_S) as connection:
            found = await load_candidates(connection, EVERYTHING, question_terms(ANN, query), nearest, depth)
        return {one.record_id: one for one in found.rows}

    async def compare(
        self, query: str, vector: NDArray[np.float32], model_id: ModelId
    ) -> list[tuple[RecordId, float | None]]:
        """The candidates by record with their cosines, whichever model is active."""
        params = candidate_params(EVERYTHING, question_terms(ANN, query), VectorQuery(vector, model_id), 100, (), 0)
        async with self.database.transaction(ANN, TIMEOUT_S) as connection:
            cursor = await connection.execute(load_statement("rensou_recall.store", "recall_candidates"), params)
            *rows, _ = await cursor.fetchall()
        return [(RecordId(row[0]), row[1]) for row in rows]

    async def fold(self) -> int:
        """Folds the pending counts, as the worker does; returns how many there were."""
        worker = Database(self.dsns.worker, PoolSize(min_size=1, max_size=1))
        await worker.open(TIMEOUT_S)
        async with worker.transaction(ANN, TIMEOUT_S) as connection:
            folded = await fold_term_deltas(connection, ANN, 10_000)
        await worker.close()
        return folded.deltas


@asynccontextmanager
async def open_corpus(dsns: DatabaseDsns) -> AsyncIterator[Corpus]:
    """An empty corpus, closed at the end."""
    database = Database(dsns.recall, PoolSize(min_size=1, max_size=2))
    await database.open(TIMEOUT_S)
    yield Corpus(dsns, database)
    await database.close()
