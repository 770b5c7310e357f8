"""Reading what stood. What is named is readable already; the other ends of relations are read as the scope reads."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rensou_recall.types.history import (
    End,
    HistoricMention,
    HistoricRelation,
    HistoricText,
    HistoricValidity,
    HistoryEntry,
    HistoryKey,
)
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import AgentId, EntityId, RecordId, RecordRef, RelationId
from rensou_shared.scope import ReadScope, scope_params

TEXTS, RELATIONS, MENTIONS, VALIDITIES = range(4)
"""The kinds of entries, in their order."""

Target = RecordRef | RelationId


async def _rows(connection: Connection, statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    cursor = await connection.execute(load_statement("rensou_recall.store", statement), params)
    return await cursor.fetchall()


def _params(scope: ReadScope, target: Target, kind: int, after: HistoryKey, keep: int) -> dict[str, Any]:
    # Of what began with the last entry of the page before, kinds before its own were on it, and those behind were not.
    number = after.number if kind == after.kind else -1 if kind > after.kind else 2**63 - 1
    ids = {"record_id": None, "relation_id": target}
    if isinstance(target, RecordRef):
        ids = {"record_id": target.id, "relation_id": None}
    return scope_params(scope) | ids | {"after_at": after.began_at, "after_number": number, "keep": keep}


async def load_texts(
    connection: Connection, scope: ReadScope, ref: RecordRef, after: HistoryKey, keep: int, texts: bool
) -> list[HistoryEntry]:
    """The texts of the record after the key, at most `keep`; the texts themselves only with `texts`."""
    params = _params(scope, ref, TEXTS, after, keep) | {"texts": texts}
    return [
        HistoryEntry(
            HistoryKey(_utc(began), TEXTS, revision),
            HistoricText(revision, _utc(began), _utc_or_none(ended), chars, content),
        )
        for began, revision, ended, chars, content in await _rows(connection, "history_texts", params)
    ]


async def load_relations(
    connection: Connection, scope: ReadScope, target: Target, after: HistoryKey, keep: int
) -> list[HistoryEntry]:
    """The relations of the record, or the relation, after the key, at most `keep`; both ends are readable."""
    params = _params(scope, target, RELATIONS, after, keep)
    return [
        HistoryEntry(
            HistoryKey(_utc(row[0]), RELATIONS, row[1]),
            HistoricRelation(
                id=RelationId(row[1]),
                subject=_end(row[3:6]),
                predicate=row[2],
                object=_end(row[6:9]),
                declared_by=row[9],
                declared_at=_utc(row[0]),
                retracted_at=_utc_or_none(row[10]),
            ),
        )
        for row in await _rows(connection, "history_relations", params)
    ]


def _end(columns: Sequence[Any]) -> End:
    entity, kind, record = columns
    return EntityId(entity) if record is None else RecordRef(kind, RecordId(record))


async def load_mentions(
    connection: Connection, scope: ReadScope, ref: RecordRef, after: HistoryKey, keep: int
) -> list[HistoryEntry]:
    """The mentions of readable entities by the record after the key, at most `keep`."""
    params = _params(scope, ref, MENTIONS, after, keep)
    return [
        HistoryEntry(
            HistoryKey(_utc(declared), MENTIONS, entity),
            HistoricMention(EntityId(entity), declared_by, _utc(declared), _utc_or_none(retracted)),
        )
        for declared, entity, declared_by, retracted in await _rows(connection, "history_mentions", params)
    ]


async def load_validities(
    connection: Connection, scope: ReadScope, target: Target, after: HistoryKey, keep: int
) -> list[HistoryEntry]:
    """What was asserted of the target after the key, at most `keep`."""
    params = _params(scope, target, VALIDITIES, after, keep)
    return [
        HistoryEntry(
            HistoryKey(_utc(recorded), VALIDITIES, number),
            HistoricValidity(
                _utc_or_none(valid_from), _utc_or_none(valid_to), by, _utc(recorded), _utc_or_none(superseded)
            ),
        )
        for recorded, number, valid_from, valid_to, by, superseded in await _rows(
            connection, "history_validity", params
        )
    ]


async def load_marks(connection: Connection, agent_id: AgentId, record_id: RecordId) -> tuple[bool, datetime | None]:
    """Whether the agent's record is locked, and since when it is retired (None: it is not)."""
    rows = await _rows(connection, "load_marks", {"agent_id": agent_id, "record_id": record_id})
    return (rows[0][0], _utc_or_none(rows[0][1])) if rows else (False, None)


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _utc_or_none(moment: datetime | None) -> datetime | None:
    return None if moment is None else _utc(moment)
