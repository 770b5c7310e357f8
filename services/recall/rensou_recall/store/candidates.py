"""The retrieval arms."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from pgvector import HalfVector

from rensou_recall.types.embedding import ActiveModelChanged
from rensou_recall.types.retrieval import Candidate, Candidates, SampleDigest, Thread, VectorPlan, VectorQuery
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import array_literal, load_statement
from rensou_shared.domain import ANN_ABOVE_ROWS
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
    sample_size: int = 0,
) -> Candidates:
    """Up to `depth` records of each arm, each scored by every arm, by id. Without `nearest` the lexical arm alone.

    With `context_weights` (`ContextWeights.in_order`) also what follows the best of the lexical arm in its session;
    and the digest of a sample of at most `sample_size` of the agent's records, in the order of their texts' hashes.

    Raises:
        ActiveModelChanged: `nearest` is of a model that is not the active one any more.
    """
    params = candidate_params(scope, terms, nearest, depth, context_weights, sample_size)
    name = "recall_candidates" if scope.known_at is None else "recall_candidates_known"
    statement = load_statement("rensou_recall.store", name)
    # Two hundred rows of a dozen columns: as text their numbers take twice as long to read.
    cursor = await connection.execute(statement, params, binary=True)
    *rows, (*_, plan, readable_records, active_model, texts, digest) = await cursor.fetchall()
    if nearest is not None and nearest.model_id != active_model:
        raise ActiveModelChanged
    found = [_candidate(row) for row in rows]
    return Candidates(found, VectorPlan(plan, readable_records), SampleDigest(texts, digest))


def candidate_params(
    scope: ReadScope,
    terms: QuestionTerms,
    nearest: VectorQuery | None,
    depth: int,
    context_weights: Sequence[float],
    sample_size: int,
) -> dict[str, object]:
    """What the statement `recall_candidates` takes; see `load_candidates`."""
    return {
        **scope_params(scope),
        "query": None if nearest is None else HalfVector(nearest.vector),
        "model_id": None if nearest is None else nearest.model_id,
        "ann_above": ANN_ABOVE_ROWS if nearest is None else nearest.ann_above,
        "words": array_literal(terms.hashes),
        "trigrams": array_literal(terms.trigram_slots),
        "depth": depth,
        "context": array_literal(context_weights),
        "sample_size": sample_size,
    }


def _candidate(row: Sequence[Any]) -> Candidate:
    record_id, cosine, vector_rank, bm25, lexical_rank, trigrams, context = row[:7]
    project_id, channel, session_id, occurred_at, traits, former, source_name = row[7:14]
    thread = Thread(project_id, channel, session_id) if session_id else None
    scores = record_id, cosine, vector_rank, bm25, lexical_rank, trigrams, context
    return Candidate(*scores, thread, occurred_at, _trait(traits), former, source_name)


# An enum's flags are made anew at every call: a look into a dictionary is ten times as fast.
_trait = cache(Trait)
