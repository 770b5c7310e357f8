"""Reading and writing when records and relations are true. Every reading function reads only what the scope reads."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rensou_recall.types.graph import DeclaredBy
from rensou_recall.types.interval import Interval
from rensou_recall.types.validity import (
    MAX_EXCLUDED_BY_VALIDITY,
    LeftOut,
    Standing,
    Validity,
    ValidityTarget,
    ValidityWrite,
)
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import AgentId, EntityId, RecordId, RecordRef, RelationId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"


async def _rows(connection: Connection, statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    cursor = await connection.execute(load_statement(_STORE, statement), params)
    return await cursor.fetchall()


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


def validity_from_row(columns: Sequence[Any], valid_at: datetime | None) -> Validity | None:
    """What stands asserted, from the four columns that reading statements select for it; None when nothing does.

    Its state is that at `valid_at` or, where nobody asks for another instant, at the time of the transaction.
    """
    recorded_at, valid_from, valid_to, now = columns
    if recorded_at is None:
        return None
    interval = Interval(_utc(valid_from), _utc(valid_to))
    at = (valid_at or now).astimezone(UTC)
    return Validity(interval, recorded_at.astimezone(UTC), at)


async def load_outside(
    connection: Connection, scope: ReadScope, ids: Sequence[RecordId], valid_at: datetime
) -> dict[RecordId, RecordRef]:
    """Those of `ids` that the scope reads and that are asserted to be true at other times than `valid_at` alone."""
    params = scope_params(scope) | {"ids": list(ids), "valid_at": valid_at}
    rows = await _rows(connection, "load_outside", params)
    return {RecordId(number): RecordRef(kind, RecordId(number)) for kind, number in rows}


async def load_newest_outside(connection: Connection, scope: ReadScope, above: RecordId, valid_at: datetime) -> LeftOut:
    """The readable records above the number that are not true at `valid_at`, newest first, up to 50."""
    params = scope_params(scope) | {"above": above, "valid_at": valid_at, "keep": MAX_EXCLUDED_BY_VALIDITY}
    return _left_out(await _rows(connection, "load_newest_outside", params))


async def load_walk_outside(
    connection: Connection,
    scope: ReadScope,
    entities: Sequence[EntityId],
    known: Sequence[RecordId],
    valid_at: datetime,
) -> LeftOut:
    """The readable records beside `known` that mention one of `entities` and are not true at `valid_at`, up to 50."""
    params = scope_params(scope) | {
        "entity_ids": list(entities),
        "known": list(known),
        "valid_at": valid_at,
        "keep": MAX_EXCLUDED_BY_VALIDITY,
    }
    return _left_out(await _rows(connection, "load_walk_outside", params))


def _left_out(rows: Sequence[Sequence[Any]]) -> LeftOut:
    refs = tuple(RecordRef(kind, RecordId(number)) for kind, number, _ in rows)
    return LeftOut(refs, rows[0][2] - len(rows) if rows else 0)


async def find_validity_targets(
    connection: Connection, agent_id: AgentId, targets: Sequence[ValidityTarget]
) -> dict[ValidityTarget, Standing | None]:
    """Those of `targets` that the agent has, with what stands asserted of them."""
    records = [one for one in targets if isinstance(one, RecordRef)]
    params = {
        "agent_id": agent_id,
        "record_ids": [one.id for one in records],
        "kinds": [one.kind for one in records],
        "relation_ids": [one for one in targets if not isinstance(one, RecordRef)],
    }
    found: dict[ValidityTarget, Standing | None] = {}
    for kind, record, relation, number, valid_from, valid_to in await _rows(
        connection, "find_validity_targets", params
    ):
        target = RelationId(relation) if record is None else RecordRef(kind, RecordId(record))
        found[target] = None if number is None else Standing(number, Interval(_utc(valid_from), _utc(valid_to)))
    return found


async def save_validity(
    connection: Connection, agent_id: AgentId, asserted_by: DeclaredBy, writes: Sequence[ValidityWrite]
) -> None:
    """Closes what stands and asserts anew, all at one instant; the targets are distinct."""
    if not writes:
        return
    targets = [one.target for one in writes]
    params = {
        "agent_id": agent_id,
        "asserted_by": asserted_by,
        "record_ids": [one.id if isinstance(one, RecordRef) else None for one in targets],
        "relation_ids": [None if isinstance(one, RecordRef) else one for one in targets],
        "open_ids": [one.closes for one in writes],
        "valid_from": [one.interval.valid_from for one in writes],
        "valid_to": [one.interval.valid_to for one in writes],
        "are_new": [one.is_new for one in writes],
    }
    await _rows(connection, "save_validity", params)


async def load_caller_id_groups(
    connection: Connection, agent_id: AgentId, ids: Sequence[RecordId]
) -> list[list[RecordId]]:
    """Which of the records have a caller id in common, two and more a group, by that id."""
    groups: dict[str, list[RecordId]] = defaultdict(list)
    for record, _, _, caller_id in await _rows(connection, "load_caller_ids", {"agent_id": agent_id, "ids": list(ids)}):
        groups[caller_id].append(RecordId(record))
    return [group for group in groups.values() if len(set(group)) > 1]


async def find_expired(
    connection: Connection, agent_id: AgentId, keep: int
) -> tuple[int, list[RecordRef | RelationId]]:
    """How many open assertions ended before now, and the first `keep` targets: records, then relations, by number."""
    rows = await _rows(connection, "find_expired", {"agent_id": agent_id, "keep": keep})
    refs: list[RecordRef | RelationId] = [
        RelationId(relation) if record is None else RecordRef(kind, RecordId(record))
        for kind, record, relation, _ in rows
    ]
    return (rows[0][3] if rows else 0), refs
