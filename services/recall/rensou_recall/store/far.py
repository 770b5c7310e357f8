"""The far list: retired records, scored by the arms."""

from collections.abc import Mapping
from dataclasses import dataclass

from pgvector import HalfVector

from rensou_recall.types.retrieval import Candidate, VectorQuery
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import array_literal, load_statement
from rensou_shared.ids import RecordId
from rensou_shared.scope import ReadScope, scope_params
from rensou_shared.text.index import QuestionTerms

MAX_FAR_RECORDS = 10_000
"""Retired records that a call compares: the newest."""


@dataclass(frozen=True, slots=True)
class FarCandidates:
    """Retired records that an arm found, by id; how many the scope holds; the share of the words that each says."""

    rows: list[Candidate]
    held: int
    shares: Mapping[RecordId, float]


async def load_retired(
    connection: Connection, scope: ReadScope, terms: QuestionTerms, nearest: VectorQuery | None, depth: int
) -> FarCandidates:
    """Up to `depth` retired records of each arm, each scored by every arm. Without `nearest` by words alone."""
    params = {
        **scope_params(scope),
        "query": None if nearest is None else HalfVector(nearest.vector),
        "model_id": None if nearest is None else nearest.model_id,
        "words": array_literal(terms.hashes),
        "trigrams": array_literal(terms.trigram_slots),
        "depth": depth,
        "most": MAX_FAR_RECORDS,
    }
    cursor = await connection.execute(load_statement("rensou_recall.store", "load_retired"), params, binary=True)
    rows = await cursor.fetchall()
    found = [row for row in rows if row[1] is not None]
    return FarCandidates(
        [Candidate(*row[1:7]) for row in found],
        int(rows[0][0]),
        {RecordId(row[1]): float(row[7]) for row in found if row[4] > 0},
    )
