"""Pages over what is declared, and deleting of it. Every function that takes a scope reads only what it reads."""

from collections.abc import Sequence
from datetime import UTC
from itertools import groupby
from typing import Any

from rensou_recall.types.certainty import Certainty
from rensou_recall.types.declaration import Place
from rensou_recall.types.interval import Interval
from rensou_recall.types.listing import (
    DeletedEntity,
    EntityEnd,
    EntityListing,
    ListedEntity,
    ListedRelation,
    Position,
    RelationListing,
    StatedGroup,
    StatedObject,
)
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import MAX_ALIASES
from rensou_shared.ids import AgentId, EntityId, RecordId, RecordRef, RelationId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"


async def _rows(connection: Connection, statement: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    cursor = await connection.execute(load_statement(_STORE, statement), params)
    return await cursor.fetchall()


async def is_readable(connection: Connection, scope: ReadScope, thing: EntityId | RecordRef) -> bool:
    """Whether the scope reads the entity, or the record of that kind and number."""
    if isinstance(thing, RecordRef):
        rows = await _rows(connection, "load_refs", scope_params(scope) | {"ids": [thing.id]})
        return [row[0] for row in rows] == [thing.kind]
    return bool(await _rows(connection, "traverse_start_ref", scope_params(scope) | {"entity_id": thing}))


async def find_relations(
    connection: Connection, listing: RelationListing, after: Position, keep: int
) -> list[RelationId]:
    """The relations of `listing` after the position, lowest number first, at most `keep`."""
    params = scope_params(listing.scope) | {"predicate": listing.predicate, "after": _number(after), "keep": keep}
    if listing.end is None:
        return [RelationId(row[0]) for row in await _rows(connection, "find_relations", params)]
    ends = {"entity_id": listing.end, "record_id": None}
    if isinstance(listing.end, RecordRef):
        ends = {"entity_id": None, "record_id": listing.end.id}
    return [RelationId(row[0]) for row in await _rows(connection, "find_relations_of", params | ends)]


async def find_entities(connection: Connection, listing: EntityListing, after: Position, keep: int) -> list[EntityId]:
    """The entities of `listing` after the position, lowest number first, at most `keep`."""
    params = scope_params(listing.scope) | {"after": _number(after), "keep": keep}
    if listing.normalized == "" and listing.mentioned_in is None:
        return [EntityId(row[0]) for row in await _rows(connection, "find_entities", params)]
    chosen = {
        "normalized": listing.normalized,
        "record_id": None if listing.mentioned_in is None else listing.mentioned_in.id,
    }
    return [EntityId(row[0]) for row in await _rows(connection, "find_chosen_entities", params | chosen)]


async def load_stated(
    connection: Connection, scope: ReadScope, start: tuple[int, str, int], groups: int
) -> list[StatedGroup]:
    """What is stated by one predicate of one subject, of several objects; from the relation of that key on.

    By subject and predicate, at most `groups` of them.
    """
    names = ("after_subject", "after_predicate", "after_first")
    params = scope_params(scope) | dict(zip(names, start, strict=True)) | {"groups": groups}
    rows = await _rows(connection, "load_stated", params)
    return [
        StatedGroup(
            EntityId(subject),
            predicate,
            tuple(_stated(row) for row in found if row[2]),
        )
        for (subject, predicate), found in groupby(rows, key=lambda row: (row[0], row[1]))
    ]


def _stated(row: Sequence[Any]) -> StatedObject:
    bounds = (None if one is None else one.astimezone(UTC) for one in row[6:8])
    return StatedObject(RelationId(row[2]), Place(row[4], row[5]), EntityId(row[3]), Interval(*bounds))


def _number(after: Position) -> int:
    return int(after[0]) if after else 0


async def load_listed_relations(
    connection: Connection, scope: ReadScope, ids: Sequence[RelationId]
) -> dict[RelationId, ListedRelation]:
    """The relations, which the scope reads with both their ends, by id; one that left meanwhile is missing."""
    rows = await _rows(connection, "load_listed_relations", scope_params(scope) | {"ids": list(ids)})
    relations = [
        ListedRelation(
            id=RelationId(row[0]),
            place=Place(row[1], row[2]),
            predicate=row[3],
            normalized_predicate=row[4],
            declared_by=row[5],
            declared_at=row[6],
            subject=_end(row[7:11]),
            object=_end(row[11:15]),
            anchor=None if row[15] is None else RecordRef(row[15], RecordId(row[16])),
            certainty=None if row[17] is None else Certainty(row[17]),
        )
        for row in rows
    ]
    return {relation.id: relation for relation in relations}


def _end(columns: Sequence[Any]) -> EntityEnd | RecordRef:
    entity, name, kind, record = columns
    return EntityEnd(EntityId(entity), name) if record is None else RecordRef(kind, RecordId(record))


async def load_listed_entities(
    connection: Connection, agent_id: AgentId, ids: Sequence[EntityId]
) -> dict[EntityId, ListedEntity]:
    """The agent's entities, with up to 32 aliases each, by id; one that left meanwhile is missing."""
    params = {"agent_id": agent_id, "ids": list(ids), "max_aliases": MAX_ALIASES}
    entities = [
        ListedEntity(
            id=EntityId(row[0]),
            name=row[1],
            place=Place(row[2], row[3]),
            declared_by=row[4],
            created_at=row[5],
            aliases=tuple(row[6]),
            aliases_omitted=row[7] - len(row[6]),
        )
        for row in await _rows(connection, "load_listed_entities", params)
    ]
    return {entity.id: entity for entity in entities}


async def delete_entity(connection: Connection, agent_id: AgentId, entity_id: EntityId) -> DeletedEntity | None:
    """What went with the entity; None when the agent has none of that number."""
    rows = await _rows(connection, "delete_entity", {"agent_id": agent_id, "entity_id": entity_id})
    return DeletedEntity(*rows[0]) if rows else None
