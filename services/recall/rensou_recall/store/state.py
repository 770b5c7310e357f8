"""What is derived of a record so far."""

from dataclasses import dataclass

from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.ids import AgentId, RecordId


@dataclass(frozen=True, slots=True)
class VectorState:
    """Whether a record has its vector, and whether it waits for nodes."""

    embedded: bool
    nodes_waiting: bool


async def vector_state(connection: Connection, agent_id: AgentId, record_id: RecordId) -> VectorState:
    """The state under the active model; nothing is embedded while there is none."""
    params = {"agent_id": agent_id, "record_id": record_id, "divider_version": DIVIDER_VERSION}
    cursor = await connection.execute(load_statement("rensou_recall.store", "vector_state"), params)
    row = await cursor.fetchone()
    return VectorState(False, False) if row is None else VectorState(bool(row[0]), bool(row[1]))
