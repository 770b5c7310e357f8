"""What is derived of a record so far."""

from dataclasses import dataclass

from rensou_recall.types.records import NodesOutlook
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.ids import AgentId, RecordId

# A build that was given up promises nothing: CheckHealth and ListBuilds tell of it.
_OUTLOOKS = {
    "pending": NodesOutlook.QUEUED,
    "running": NodesOutlook.QUEUED,
    "dead": NodesOutlook.NONE,
    None: NodesOutlook.DEFERRED,
}


@dataclass(frozen=True, slots=True)
class VectorState:
    """Whether a record has its vector, and what becomes of the nodes that it lacks."""

    embedded: bool
    nodes: NodesOutlook


async def vector_state(connection: Connection, agent_id: AgentId, record_id: RecordId) -> VectorState:
    """The state under the active model; nothing is embedded while there is none."""
    params = {"agent_id": agent_id, "record_id": record_id, "divider_version": DIVIDER_VERSION}
    cursor = await connection.execute(load_statement("rensou_recall.store", "vector_state"), params)
    row = await cursor.fetchone()
    if row is None:
        return VectorState(False, NodesOutlook.NONE)
    return VectorState(bool(row[0]), _OUTLOOKS[row[2]] if row[1] else NodesOutlook.NONE)
