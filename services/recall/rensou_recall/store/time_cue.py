"""The records of a period."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from rensou_recall.types.time_cue import CuedPeriod, CueHit, Period, ScopeSpan
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import MAX_CUED_RECORDS
from rensou_shared.ids import ModelId, RecordId
from rensou_shared.scope import ReadScope, scope_params
from rensou_shared.text.index import QuestionTerms

_STORE = "rensou_recall.store"

# Candidates an arm inside the period, however many hits are asked for.
CUE_DEPTH = 50


@dataclass(frozen=True, slots=True)
class CueSearch:
    """What the arms look for: words, and a unit vector with its model, or neither."""

    terms: QuestionTerms
    vector: NDArray[np.float32] | None
    model_id: ModelId | None


async def load_scope_span(connection: Connection, scope: ReadScope) -> ScopeSpan | None:
    """The times of the oldest and of the newest record that the scope reads; None when it reads none."""
    cursor = await connection.execute(load_statement(_STORE, "load_scope_span"), scope_params(scope))
    row = await cursor.fetchone()
    if row is None or row[0] is None:
        return None
    return ScopeSpan(row[0].astimezone(UTC), row[1].astimezone(UTC))


async def load_cued(
    connection: Connection,
    scope: ReadScope,
    period: Period,
    search: CueSearch,
    newest: int = MAX_CUED_RECORDS,
    depth: int = CUE_DEPTH,
) -> CuedPeriod:
    """Up to `depth` records of each arm among the `newest` of the period that the scope reads, by id."""
    params = _params(scope, period) | {
        "query": None if search.vector is None else HalfVector(search.vector),
        "model_id": search.model_id,
        "words": search.terms.hashes,
        "newest": newest,
        "depth": depth,
    }
    cursor = await connection.execute(load_statement(_STORE, "load_cued"), params)
    rows = await cursor.fetchall()
    held = max((int(row[0]) for row in rows), default=0)
    return CuedPeriod(tuple(_hit(row[1:]) for row in rows if row[1] is not None), min(held, newest), held > newest)


async def load_newest_of_period(
    connection: Connection, scope: ReadScope, period: Period, depth: int = CUE_DEPTH
) -> CuedPeriod:
    """The newest `depth` records of the period that the scope reads, newest first."""
    params = _params(scope, period) | {"depth": depth}
    cursor = await connection.execute(load_statement(_STORE, "load_newest_of_period"), params)
    hits = tuple(CueHit(RecordId(row[0]), None, None, 0.0, None) for row in await cursor.fetchall())
    return CuedPeriod(hits, len(hits), cut=False)


def _params(scope: ReadScope, period: Period) -> dict[str, Any]:
    return scope_params(scope) | {"start_at": period.start_at, "end_at": period.end_at}


def _hit(row: Sequence[Any]) -> CueHit:
    record_id, cosine, vector_rank, bm25, lexical_rank = row
    return CueHit(RecordId(record_id), cosine, vector_rank, bm25, lexical_rank)
