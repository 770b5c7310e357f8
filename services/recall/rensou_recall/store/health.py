"""What an agent's data lacks, and queueing its repair."""

from collections.abc import Sequence

from rensou_recall.types.health import Lacking
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.ids import AgentId, BuildId, RecordId, RecordRef

_STORE = "rensou_recall.store"


async def find_lacking(connection: Connection, statement: str, agent_id: AgentId, show: int, keep: int) -> Lacking:
    """The records that the check's `statement` finds: the lowest `show` of them, the first `keep` to ask for."""
    params = {"agent_id": agent_id, "show": show, "keep": keep, "divider_version": DIVIDER_VERSION}
    cursor = await connection.execute(load_statement(_STORE, statement), params)
    row = await cursor.fetchone()
    if row is None:
        return Lacking(0, 0, 0, 0, 0, (), ())
    *counts, kinds, ids, ask = row
    refs = tuple(RecordRef(kind, RecordId(number)) for kind, number in zip(kinds, ids, strict=True))
    return Lacking(*counts, refs=refs, ask=tuple(RecordId(number) for number in ask))


async def count_records(connection: Connection, agent_id: AgentId) -> int:
    """Live records of the agent."""
    cursor = await connection.execute(load_statement(_STORE, "count_records"), {"agent_id": agent_id})
    row = await cursor.fetchone()
    return 0 if row is None else int(row[0])


async def queue_builds(connection: Connection, agent_id: AgentId, ids: Sequence[RecordId]) -> list[BuildId]:
    """The builds that now wait for `ids`; one that was given up starts again."""
    params = {"agent_id": agent_id, "ids": list(ids), "divider_version": DIVIDER_VERSION}
    await connection.execute(load_statement(_STORE, "drop_dead_builds"), params)
    cursor = await connection.execute(load_statement(_STORE, "queue_builds"), params)
    return [BuildId(row[0]) for row in await cursor.fetchall()]
