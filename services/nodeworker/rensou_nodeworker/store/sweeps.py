"""What the reconciler reads and writes beside the builds themselves."""

from collections.abc import Sequence

from rensou_nodeworker.types.derived import Model
from rensou_nodeworker.types.overview import Folded
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.ids import AgentId, RecordId
from rensou_shared.text.lexemes import TERMS_VERSION

_STORE = "rensou_nodeworker.store"


async def try_lock(connection: Connection, name: str) -> bool:
    """Whether this transaction is the only one to hold the lock `name`; never waits."""
    cursor = await connection.execute(load_statement(_STORE, "try_lock"), {"name": name})
    row = await cursor.fetchone()
    return row is not None and bool(row[0])


async def load_lacking(connection: Connection, model: Model, max_rows: int) -> list[tuple[AgentId, RecordId]]:
    """Records that lack terms, a vector or nodes and have no build, by agent and id."""
    params = {
        "model_id": model.id,
        "token_window": model.token_window,
        "divider_version": DIVIDER_VERSION,
        "terms_version": TERMS_VERSION,
        "max_rows": max_rows,
    }
    cursor = await connection.execute(load_statement(_STORE, "load_lacking"), params)
    return [(AgentId(row[0]), RecordId(row[1])) for row in await cursor.fetchall()]


async def enqueue_builds(
    connection: Connection, agent_id: AgentId, record_ids: Sequence[RecordId], model: Model
) -> int:
    """Asks for builds of records of the agent that the transaction is for; how many were asked for anew."""
    params = {
        "agent_id": agent_id,
        "record_ids": list(record_ids),
        "model_id": model.id,
        "token_window": model.token_window,
        "divider_version": DIVIDER_VERSION,
    }
    cursor = await connection.execute(load_statement(_STORE, "enqueue_builds"), params)
    return cursor.rowcount


async def load_agents_to_fold(connection: Connection, max_rows: int) -> list[AgentId]:
    """Agents that have term deltas, by name."""
    cursor = await connection.execute(load_statement(_STORE, "load_agents_to_fold"), {"max_rows": max_rows})
    return [AgentId(row[0]) for row in await cursor.fetchall()]


async def fold_term_deltas(connection: Connection, agent_id: AgentId, max_rows: int) -> Folded:
    """Folds the oldest deltas of the agent that the transaction is for."""
    params = {"agent_id": agent_id, "max_rows": max_rows}
    cursor = await connection.execute(load_statement(_STORE, "fold_term_deltas"), params)
    row = await cursor.fetchone()
    return Folded(0, [], False) if row is None else Folded(int(row[0]), list(row[1]), bool(row[2]))


async def delete_empty_frequencies(connection: Connection, agent_id: AgentId, slots: Sequence[int]) -> None:
    """Removes frequencies of the agent that are nothing, among `slots`."""
    params = {"agent_id": agent_id, "slots": list(slots)}
    await connection.execute(load_statement(_STORE, "delete_empty_frequencies"), params)


async def delete_empty_counts(connection: Connection, agent_id: AgentId) -> None:
    """Removes counts of the agent's projects that are nothing."""
    await connection.execute(load_statement(_STORE, "delete_empty_counts"), {"agent_id": agent_id})
