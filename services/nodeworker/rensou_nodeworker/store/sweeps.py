"""What the reconciler reads and writes beside the builds themselves."""

from collections.abc import Sequence

from rensou_nodeworker.types.derived import Model
from rensou_nodeworker.types.overview import Folded
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION, RECALL_LOG_KEEP_S, RECALL_LOG_ROWS
from rensou_shared.ids import AgentId, RecordId
from rensou_shared.text.lexemes import TERMS_VERSION

_STORE = "rensou_nodeworker.store"

Place = tuple[AgentId, RecordId]
"""A record of any agent; places are in the order of the agent's bytes and the id."""
START: Place = (AgentId(""), RecordId(0))


async def try_lock(connection: Connection, name: str) -> bool:
    """Whether this transaction is the only one to hold the lock `name`; never waits."""
    cursor = await connection.execute(load_statement(_STORE, "try_lock"), {"name": name})
    row = await cursor.fetchone()
    return row is not None and bool(row[0])


async def load_lacking(
    connection: Connection, model: Model, after: Place, look: int
) -> tuple[list[Place], Place | None]:
    """Those of the `look` records behind `after` that lack terms, a vector or nodes and have no build, by agent and id.

    And the last of them that was looked at; None when there is none behind `after`.
    """
    params = {
        "model_id": model.id,
        "token_window": model.token_window,
        "divider_version": DIVIDER_VERSION,
        "terms_version": TERMS_VERSION,
        "after_agent": after[0],
        "after_record": after[1],
        "look": look,
    }
    cursor = await connection.execute(load_statement(_STORE, "load_lacking"), params)
    rows = [(AgentId(row[0]), RecordId(row[1]), row[2]) for row in await cursor.fetchall()]
    lacking = [(agent_id, record_id) for agent_id, record_id, reason in rows if reason is not None]
    return lacking, rows[-1][:2] if rows else None


async def enqueue_builds(
    connection: Connection, agent_id: AgentId, record_ids: Sequence[RecordId], model: Model, *, rebuild: bool
) -> int:
    """Asks for builds of records of the agent that the transaction is for; how many were asked for anew.

    A `rebuild` is for the model that is built beside the active one, and waits behind everything else.
    """
    params = {
        "agent_id": agent_id,
        "record_ids": list(record_ids),
        "model_id": model.id,
        "token_window": model.token_window,
        "divider_version": DIVIDER_VERSION,
        "rebuild": rebuild,
    }
    cursor = await connection.execute(load_statement(_STORE, "enqueue_builds"), params)
    return cursor.rowcount


async def load_to_rebuild(connection: Connection, model: Model, after: Place, max_rows: int) -> list[Place]:
    """Records behind `after` that lack a vector or nodes under the model and have no build of it, by agent and id."""
    params = {
        "model_id": model.id,
        "token_window": model.token_window,
        "divider_version": DIVIDER_VERSION,
        "after_agent": after[0],
        "after_record": after[1],
        "max_rows": max_rows,
    }
    cursor = await connection.execute(load_statement(_STORE, "load_to_rebuild"), params)
    return [(AgentId(row[0]), RecordId(row[1])) for row in await cursor.fetchall()]


async def count_rebuilds(connection: Connection, cap: int) -> int:
    """How many rebuilds wait; `cap` stands for that many or more."""
    return await _count(connection, "count_rebuilds", {"cap": cap})


async def count_waiting(connection: Connection, cap: int) -> int:
    """How many builds of all agents wait; `cap` stands for that many or more."""
    return await _count(connection, "count_waiting", {"cap": cap})


async def count_waiting_of(connection: Connection, agent_id: AgentId, cap: int) -> int:
    """How many builds of the agent wait; `cap` stands for that many or more."""
    return await _count(connection, "count_waiting_of", {"agent_id": agent_id, "cap": cap})


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


async def _count(connection: Connection, name: str, params: dict[str, object]) -> int:
    cursor = await connection.execute(load_statement(_STORE, name), params)
    row = await cursor.fetchone()
    return 0 if row is None else int(row[0])


async def trim_recall_logs(
    connection: Connection, after: AgentId, agents: int, rows: int
) -> tuple[AgentId | None, int]:
    """Takes what is too old or too much out of the logs of the next `agents` behind `after`, at most `rows` of each.

    Returns the last of them, None when none is left, and how many rows went.
    """
    params = {
        "after": after,
        "agents": agents,
        "keep_s": RECALL_LOG_KEEP_S,
        "keep_rows": RECALL_LOG_ROWS,
        "rows": rows,
    }
    cursor = await connection.execute(load_statement(_STORE, "trim_recall_logs"), params)
    row = await cursor.fetchone()
    last, trimmed = row or (None, 0)
    return None if last is None else AgentId(last), trimmed
