"""Reading what claims and their quotes need of records."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from rensou_recall.store.validity import validity_from_row
from rensou_recall.types.evidence import EvidenceTraits, ScoredNode
from rensou_recall.types.records import NodeSpan
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.ids import RecordId, RecordRef
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"


async def load_evidence_traits(
    connection: Connection, scope: ReadScope, ids: Sequence[RecordId], valid_at: datetime | None = None
) -> dict[RecordId, EvidenceTraits]:
    """The traits of the records of `ids` that the scope reads; what is asserted is seen at `valid_at` (None: now)."""
    params = scope_params(scope) | {"ids": list(ids)}
    cursor = await connection.execute(load_statement(_STORE, "load_evidence_traits"), params)
    return {
        RecordId(number): EvidenceTraits(
            RecordRef(kind, RecordId(number)),
            None if occurred_at is None else occurred_at.astimezone(UTC),
            validity_from_row(asserted, valid_at),
        )
        for number, kind, occurred_at, *asserted in await cursor.fetchall()
    }


async def load_scored_nodes(
    connection: Connection,
    scope: ReadScope,
    ids: Sequence[RecordId],
    query_vector: NDArray[np.float32] | None,
    model_id: int | None,
) -> dict[RecordId, tuple[ScoredNode, ...]]:
    """The current nodes of the records of `ids` that the scope reads, in text order, scored against the question.

    Without a vector, or when the nodes are not of its model `model_id`, they are not scored. A record without nodes is
    left out; one whose nodes are no current set (of another model, window or division, or with a gap) has none.
    """
    params = scope_params(scope) | {
        "ids": list(ids),
        "query": None if query_vector is None else HalfVector(query_vector),
        "model_id": model_id,
        "divider_version": DIVIDER_VERSION,
    }
    cursor = await connection.execute(load_statement(_STORE, "load_scored_nodes"), params)
    rows: dict[RecordId, list[tuple[int, int, int, float | None]]] = defaultdict(list)
    for record, is_current, index, start_char, end_char, cosine in await cursor.fetchall():
        current = rows[RecordId(record)]
        if is_current:
            current.append((index, start_char, end_char, cosine))
    return {
        record: tuple(
            ScoredNode(NodeSpan(index, len(nodes), start, end), cosine) for index, start, end, cosine in nodes
        )
        for record, nodes in rows.items()
    }
