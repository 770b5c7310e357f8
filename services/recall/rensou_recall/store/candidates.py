"""The retrieval arms."""

from collections.abc import Sequence
from typing import Any

from pgvector import HalfVector

from rensou_recall.types.retrieval import Candidate, Candidates, Thread, VectorPlan, VectorQuery
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import ANN_ABOVE_ROWS
from rensou_shared.ids import RecordId
from rensou_shared.scope import ReadScope, scope_params
from rensou_shared.text.index import QuestionTerms
from rensou_shared.text.traits import Trait


async def load_candidates(
    connection: Connection,
    scope: ReadScope,
    terms: QuestionTerms,
    nearest: VectorQuery | None,
    depth: int,
    context_weights: Sequence[float] = (),
) -> Candidates:
    """Up to `depth` records of each arm, each scored by every arm, by id. Without `nearest` the lexical arm alone.

    With `context_weights` (`ContextWeights.in_order`) also what follows the best of the lexical arm in its session.
    """
    params = scope_params(scope) | {
        "query": None if nearest is None else HalfVector(nearest.vector),
        "model_id": None if nearest is None else nearest.model_id,
        "ann_above": ANN_ABOVE_ROWS if nearest is None else nearest.ann_above,
        "words": terms.hashes,
        "trigrams": terms.trigram_slots,
        "depth": depth,
        "context": list(context_weights),
    }
    cursor = await connection.execute(load_statement("rensou_recall.store", "recall_candidates"), params)
    *rows, (*_, plan, readable_records) = await cursor.fetchall()
    return Candidates([_candidate(row) for row in rows], VectorPlan(plan, readable_records))


def _candidate(row: Sequence[Any]) -> Candidate:
    record_id, cosine, vector_rank, bm25, lexical_rank, trigrams, context = row[:7]
    project_id, channel, session_id, occurred_at, traits = row[7:12]
    return Candidate(
        RecordId(record_id),
        cosine,
        vector_rank,
        bm25,
        lexical_rank,
        trigrams,
        context,
        Thread(project_id, channel, session_id) if session_id else None,
        occurred_at,
        Trait(traits),
    )
