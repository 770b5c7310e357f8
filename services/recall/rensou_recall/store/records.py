"""Reading records."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rensou_recall.store.validity import validity_from_row
from rensou_recall.types.records import Source, StoredRecord
from rensou_recall.types.validity import Validity
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import array_literal, load_statement
from rensou_shared.ids import RecordId, RecordRef
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


def record_from_row(row: Sequence[Any], validity: Validity | None = None) -> StoredRecord:
    """A stored record from the columns that every record statement selects, in their order."""
    kind, number, content, project, channel, source_type, source_id, source_name, session = row[:9]
    occurred_at, ended_at, created_at, locked, revision, retired = row[9:15]
    return StoredRecord(
        RecordRef(kind, RecordId(number)),
        content,
        project,
        channel,
        Source(source_type, source_id, source_name),
        session,
        _utc(occurred_at),
        _utc(ended_at),
        created_at.astimezone(UTC),
        locked,
        revision,
        validity,
        retired,
    )


async def load_records(
    connection: Connection, scope: ReadScope, ids: Sequence[RecordId], valid_at: datetime | None = None
) -> dict[RecordId, StoredRecord]:
    """The records of `ids` that the scope reads, by id; what is asserted of them is seen at `valid_at` (None: now)."""
    params = scope_params(scope) | {"ids": array_literal(ids)}
    cursor = await connection.execute(load_statement(_STORE, "load_records"), params, binary=True)
    records = [record_from_row(row, validity_from_row(row[15:], valid_at)) for row in await cursor.fetchall()]
    return {record.ref.id: record for record in records}


async def load_refs(connection: Connection, scope: ReadScope, ids: Sequence[RecordId]) -> dict[RecordId, RecordRef]:
    """The refs of those of `ids` that the scope reads, by id."""
    params = scope_params(scope) | {"ids": list(ids)}
    cursor = await connection.execute(load_statement(_STORE, "load_refs"), params)
    return {RecordId(row[1]): RecordRef(row[0], RecordId(row[1])) for row in await cursor.fetchall()}


async def load_newest_records(
    connection: Connection, scope: ReadScope, keep: int, valid_at: datetime | None = None
) -> list[StoredRecord]:
    """The newest records that the scope reads, newest first, at most `keep`; with `valid_at` what may be true then."""
    params = scope_params(scope) | {"keep": keep}
    if valid_at is None:
        cursor = await connection.execute(load_statement(_STORE, "load_newest_records"), params)
    else:
        statement = load_statement(_STORE, "load_newest_valid")
        cursor = await connection.execute(statement, params | {"valid_at": valid_at})
    return [record_from_row(row, validity_from_row(row[15:], valid_at)) for row in await cursor.fetchall()]
