"""Reading whole records with their nodes."""

from collections.abc import Sequence

from rensou_recall.store.records import record_from_row
from rensou_recall.types.contents import FullRecord, SpanRange
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.ids import RecordId, RecordRef
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"
_RECORD_COLUMNS = 15


async def load_contents(
    connection: Connection, scope: ReadScope, ids: Sequence[RecordId]
) -> dict[RecordRef, FullRecord]:
    """The records of `ids` that the scope reads, with their current nodes."""
    params = scope_params(scope) | {"ids": list(ids), "divider_version": DIVIDER_VERSION}
    cursor = await connection.execute(load_statement(_STORE, "load_contents"), params)
    rows = await cursor.fetchall()
    with_nodes = [row[1] for row in rows if row[_RECORD_COLUMNS + 3] > 0]
    nodes = await _load_nodes(connection, scope, with_nodes) if with_nodes else {}
    full: dict[RecordRef, FullRecord] = {}
    for row in rows:
        record = record_from_row(row)
        metadata, sha, caller_id = row[_RECORD_COLUMNS : _RECORD_COLUMNS + 3]
        spans = tuple(nodes.get(record.ref.id, ()))
        full[record.ref] = FullRecord(record, metadata, sha, caller_id, spans)
    return full


async def _load_nodes(connection: Connection, scope: ReadScope, ids: Sequence[int]) -> dict[RecordId, list[SpanRange]]:
    params = {"agent_id": scope.agent_id, "ids": list(ids), "divider_version": DIVIDER_VERSION}
    cursor = await connection.execute(load_statement(_STORE, "load_node_range"), params)
    nodes: dict[RecordId, list[SpanRange]] = {}
    for record_id, _, start_char, end_char in await cursor.fetchall():
        nodes.setdefault(RecordId(record_id), []).append(SpanRange(start_char, end_char))
    return nodes
