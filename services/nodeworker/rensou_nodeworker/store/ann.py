"""Agents in the approximate indexes, as the reconciler moves them."""

from rensou_nodeworker.types.ann import AnnState, Standing
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import AgentId, ModelId

_STORE = "rensou_nodeworker.store"


async def load_agents(connection: Connection, ann_above: int) -> list[tuple[AgentId, ModelId]]:
    """Agents past `ann_above` records, of each model that has lanes, and those in a lane; by name and model."""
    cursor = await connection.execute(load_statement(_STORE, "ann_load_agents"), {"ann_above": ann_above})
    return [(AgentId(row[0]), ModelId(row[1])) for row in await cursor.fetchall()]


async def load_standing(connection: Connection, model_id: ModelId) -> Standing | None:
    """How the transaction's agent stands; None in a transaction of no agent."""
    cursor = await connection.execute(load_statement(_STORE, "ann_load_standing"), {"model_id": model_id})
    row = await cursor.fetchone()
    if row is None:
        return None
    records, share, state, any_unflagged, any_flagged, seen_by_all = row
    return Standing(records, share, None if state is None else AnnState(state), any_unflagged, any_flagged, seen_by_all)


async def note_writers(connection: Connection, agent_id: AgentId, model_id: ModelId) -> None:
    """Notes which writers may not have seen the agent's state; in a later transaction than the state's own."""
    await connection.execute(load_statement(_STORE, "ann_note_writers"), {"agent_id": agent_id, "model_id": model_id})


async def enter(connection: Connection, model_id: ModelId, least_share: float) -> int | None:
    """Puts the transaction's agent into the emptiest lane that suits; None when there is none."""
    params = {"model_id": model_id, "least_share": least_share}
    cursor = await connection.execute(load_statement(_STORE, "ann_enter"), params)
    row = await cursor.fetchone()
    return None if row is None else row[0]


async def set_state(connection: Connection, agent_id: AgentId, model_id: ModelId, state: AnnState) -> None:
    """Gives the agent another state in its lane."""
    params = {"agent_id": agent_id, "model_id": model_id, "state": state.value}
    await connection.execute(load_statement(_STORE, "ann_set_state"), params)


async def flag(connection: Connection, agent_id: AgentId, model_id: ModelId, max_rows: int) -> int:
    """Takes up to `max_rows` vectors into the agent's lane; how many."""
    params = {"agent_id": agent_id, "model_id": model_id, "max_rows": max_rows}
    return (await connection.execute(load_statement(_STORE, "ann_flag"), params)).rowcount


async def unflag(connection: Connection, agent_id: AgentId, model_id: ModelId, max_rows: int) -> int:
    """Takes up to `max_rows` vectors out of the agent's lane; how many."""
    params = {"agent_id": agent_id, "model_id": model_id, "max_rows": max_rows}
    return (await connection.execute(load_statement(_STORE, "ann_unflag"), params)).rowcount


async def delete_agent(connection: Connection, agent_id: AgentId, model_id: ModelId) -> None:
    """Ends the agent's stay, once it leaves."""
    await connection.execute(load_statement(_STORE, "ann_delete_agent"), {"agent_id": agent_id, "model_id": model_id})
