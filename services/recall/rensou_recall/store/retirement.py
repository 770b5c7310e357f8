"""Retiring and restoring records."""

import psycopg

from rensou_recall.store.lifecycle import HeldRecord
from rensou_recall.types.lifecycle import Restored, Retired
from rensou_recall.types.retirement import Retirement
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.errors import WriteConflict
from rensou_shared.ids import AgentId, RecordId

_STORE = "rensou_recall.store"


async def retire_record(
    connection: Connection, agent_id: AgentId, record_id: RecordId, retirement: Retirement
) -> Retired | None:
    """Since when the record, which the transaction holds, is out of every search; None when it is gone."""
    params = {
        "agent_id": agent_id,
        "record_id": record_id,
        "reason": retirement.reason,
        "policy": retirement.policy,
        "retired_by": retirement.by,
    }
    cursor = await connection.execute(load_statement(_STORE, "retire_record"), params)
    row = await cursor.fetchone()
    return None if row is None else Retired(row[0], int(row[1]))


async def restore_record(connection: Connection, held: HeldRecord, by: str) -> Restored:
    """What the record, which is live now, has got back.

    Raises:
        WriteConflict: Its text was stored anew meanwhile; run again, the transaction finds that record.
    """
    params = {"agent_id": held.agent_id, "record_id": held.id, "restored_by": by}
    try:
        await connection.execute(load_statement(_STORE, "restore_record"), params)
    except psycopg.errors.UniqueViolation as error:
        raise WriteConflict("another record got the text meanwhile") from error
    cursor = await connection.execute(load_statement(_STORE, "count_caller_ids"), params)
    row = await cursor.fetchone()
    return Restored(0, 0) if row is None else Restored(int(row[0]), int(row[1]))
