"""Builds of any agent, for operators. The database's functions show no text and read under no agent."""

from typing import Any

from rensou_recall.types.builds import (
    BuildListing,
    BuildState,
    BuildSummary,
    ListedBuild,
    Reach,
    RetriedBuild,
    Retry,
    RetryOutcome,
)
from rensou_recall.types.listing import Position
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import AgentId, BuildId, RecordId, RecordRef

_STORE = "rensou_recall.store"


async def list_builds(connection: Connection, listing: BuildListing, after: Position, keep: int) -> list[ListedBuild]:
    """The builds of `listing` after the position, by agent and number, at most `keep`."""
    agent_id, build_id = after or (listing.reach.first, 0)
    params = {
        "agents": _names(listing.reach),
        "last_agent": listing.reach.last,
        "state": None if listing.state is None else listing.state.value,
        "after_agent": agent_id,
        "after_id": build_id,
        "keep": keep,
    }
    cursor = await connection.execute(load_statement(_STORE, "list_builds"), params)
    return [
        ListedBuild(AgentId(row[0]), BuildId(row[1]), RecordRef(row[2], RecordId(row[3])), BuildState(row[4]), *row[5:])
        for row in await cursor.fetchall()
    ]


async def summarize_builds(connection: Connection, reach: Reach) -> BuildSummary:
    """How the unfinished builds of these agents stand. Reads each of them."""
    cursor = await connection.execute(load_statement(_STORE, "summarize_builds"), _range(reach))
    row = await cursor.fetchone()
    return BuildSummary(0, 0, 0, 0, 0, 0.0, 0) if row is None else BuildSummary(*row)


async def retry_builds(connection: Connection, retry: Retry) -> list[RetriedBuild]:
    """The builds that were met, by agent and number, and what became of each."""
    params = _range(retry.reach) | {"ids": None if retry.ids is None else list(retry.ids), "keep": retry.limit}
    cursor = await connection.execute(load_statement(_STORE, "retry_builds"), params)
    return [
        RetriedBuild(
            BuildId(row[1]), RetryOutcome(row[5]), AgentId(row[0]), RecordRef(row[2], RecordId(row[3])), rebuild=row[4]
        )
        for row in await cursor.fetchall()
    ]


def _range(reach: Reach) -> dict[str, Any]:
    return {"agents": _names(reach), "first_agent": reach.first, "last_agent": reach.last}


def _names(reach: Reach) -> list[str] | None:
    return None if reach.agents is None else list(reach.agents)
