"""The retrieval arms."""

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from rensou_recall.types.retrieval import Candidate
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import ModelId, RecordId
from rensou_shared.scope import ReadScope, scope_params
from rensou_shared.text.index import QuestionTerms


async def load_candidates(
    connection: Connection,
    scope: ReadScope,
    terms: QuestionTerms,
    vector: NDArray[np.float32] | None,
    model_id: ModelId | None,
    depth: int,
) -> list[Candidate]:
    """Up to `depth` records of each arm, each scored by every arm, by id. Without `vector` the lexical arm alone."""
    params = scope_params(scope) | {
        "query": None if vector is None else HalfVector(vector),
        "model_id": model_id,
        "words": terms.hashes,
        "trigrams": terms.trigram_slots,
        "depth": depth,
    }
    cursor = await connection.execute(load_statement("rensou_recall.store", "recall_candidates"), params)
    return [
        Candidate(RecordId(record_id), cosine, vector_rank, bm25, lexical_rank, trigrams)
        for record_id, cosine, vector_rank, bm25, lexical_rank, trigrams in await cursor.fetchall()
    ]
