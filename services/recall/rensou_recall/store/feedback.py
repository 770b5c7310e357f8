"""The log of recalls and the reports on them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg

from rensou_recall.types.feedback import (
    MAX_COUNTS,
    MAX_REFS,
    FailureCode,
    LoggedRecall,
    RefUse,
    StageRefs,
    UseCount,
    Verdict,
)
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.errors import DatabaseUnavailable
from rensou_shared.ids import AgentId, RecordId, RecordRef
from rensou_shared.scope import ReadScope

_STORE = "rensou_recall.store"


async def save_recall(
    connection: Connection, scope: ReadScope, recall_id: str, method: str, logged: LoggedRecall
) -> None:
    """Keeps what a recall returned.

    Raises:
        DatabaseUnavailable: The log takes nothing, whatever the reason.
    """
    stages = logged.stages
    params = {
        "agent_id": scope.agent_id,
        "recall_id": recall_id,
        "method": method,
        "project_id": scope.project_id or "",
        "channel": scope.channel,
        "degraded": logged.degraded,
        "vector_ids": list(stages.vector),
        "lexical_ids": list(stages.lexical),
        "other_ids": list(stages.other),
        "refused_ids": list(stages.refused),
        "returned_ids": list(logged.returned),
    }
    try:
        await connection.execute(load_statement(_STORE, "save_recall"), params)
    except psycopg.Error as error:
        raise DatabaseUnavailable("the recall could not be put on record") from error


async def hold_recall(connection: Connection, agent_id: AgentId, recall_id: str) -> LoggedRecall | None:
    """The recall, in place until the transaction ends; None when there is none."""
    params = {"agent_id": agent_id, "recall_id": recall_id}
    cursor = await connection.execute(load_statement(_STORE, "hold_recall"), params)
    row = await cursor.fetchone()
    if row is None:
        return None
    degraded, *stages, returned = row
    return LoggedRecall(degraded, StageRefs(*(_ids(one) for one in stages)), _ids(returned))


def _ids(numbers: Sequence[int]) -> tuple[RecordId, ...]:
    return tuple(RecordId(number) for number in numbers)


async def save_reports(
    connection: Connection, agent_id: AgentId, recall_id: str, judged: Mapping[RecordId, tuple[Verdict, FailureCode]]
) -> dict[RecordId, FailureCode]:
    """Keeps the verdicts, the last of each record, and says what went wrong by all that is reported of the recall."""
    rows = sorted(judged.items())
    params: dict[str, Any] = {
        "agent_id": agent_id,
        "recall_id": recall_id,
        "record_ids": [number for number, _ in rows],
        "verdicts": [verdict.value for _, (verdict, _) in rows],
        "codes": [code.value for _, (_, code) in rows],
    }
    await connection.execute(load_statement(_STORE, "save_reports"), params)
    cursor = await connection.execute(load_statement(_STORE, "settle_noise"), params)
    return {RecordId(number): FailureCode(code) for number, code in await cursor.fetchall()}


async def count_uses(
    connection: Connection, agent_id: AgentId, project_id: str | None, months: int
) -> tuple[list[UseCount], int]:
    """How often each verdict was given by month, project and reason; the first 1,000 rows, and how many more."""
    params = {"agent_id": agent_id, "project_id": project_id, "months": months, "keep": MAX_COUNTS}
    cursor = await connection.execute(load_statement(_STORE, "count_uses"), params)
    rows = await cursor.fetchall()
    counts = [UseCount(row[0], row[1], Verdict(row[2]), FailureCode(row[3]), row[4]) for row in rows]
    return counts, rows[0][5] - len(rows) if rows else 0


async def load_worst(connection: Connection, agent_id: AgentId, project_id: str | None, months: int) -> list[RefUse]:
    """The records that were reported wrong most often, then unused."""
    params = {"agent_id": agent_id, "project_id": project_id, "months": months, "keep": MAX_REFS}
    cursor = await connection.execute(load_statement(_STORE, "load_worst"), params)
    return [RefUse(RecordRef(row[0], RecordId(row[1])), *row[2:]) for row in await cursor.fetchall()]


async def count_old_recalls(connection: Connection, agent_id: AgentId, keep_s: float) -> int:
    """Recalls on record that are older than `keep_s`."""
    params = {"agent_id": agent_id, "keep_s": keep_s}
    cursor = await connection.execute(load_statement(_STORE, "count_old_recalls"), params)
    row = await cursor.fetchone()
    return 0 if row is None else int(row[0])


async def load_last_recalls(
    connection: Connection, agent_id: AgentId, ids: Sequence[RecordId]
) -> dict[RecordId, datetime]:
    """When each of `ids` was last returned by a recall on record (UTC); one that was not has no entry."""
    params = {"agent_id": agent_id, "ids": list(ids)}
    cursor = await connection.execute(load_statement(_STORE, "load_last_recalls"), params)
    return {RecordId(row[0]): row[1].astimezone(UTC) for row in await cursor.fetchall()}


async def count_reports(
    connection: Connection, agent_id: AgentId, verdict: Verdict, ids: Sequence[RecordId]
) -> dict[RecordId, int]:
    """How many recalls on record the verdict stands for, of each of `ids` that has one."""
    params = {"agent_id": agent_id, "verdict": verdict.value, "ids": list(ids)}
    cursor = await connection.execute(load_statement(_STORE, "count_reports"), params)
    return {RecordId(row[0]): row[1] for row in await cursor.fetchall()}
