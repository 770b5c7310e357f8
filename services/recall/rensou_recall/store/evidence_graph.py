"""Reading the declared graph around a pool. Every list has a bound; a full one is more than the walk can use."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

from rensou_recall.types.evidence import MAX_WALKED_ENTITIES, Edge, MentioningRecords, RecordLink
from rensou_recall.types.roles import Role
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import EntityId, RecordId, RelationId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"

FRONTIER_BATCH = 250
"""Entities that one statement reads for."""

# A neighbourhood may know every entity of a full list but one: what a cut needs is that one.
MENTIONS_OF_A_POOL_RECORD = MAX_WALKED_ENTITIES + 1
# With the entity itself one more than a neighbourhood holds: that one shows that its bound binds.
EDGES_OF_A_WALKED_ENTITY = MAX_WALKED_ENTITIES


def _at(statement: str, valid_at: datetime | None) -> tuple[str, dict[str, datetime]]:
    """The statement's name and what it takes more when only what may be true at an instant is read."""
    return (statement, {}) if valid_at is None else (f"{statement}_at", {"valid_at": valid_at})


async def load_pool_links(
    connection: Connection, scope: ReadScope, pool: Sequence[RecordId], valid_at: datetime | None = None
) -> tuple[RecordLink, ...]:
    """Declared relations between records of `pool`: for each subject and object the lowest predicate and the roles.

    A contradiction has its number, the lowest of equal ones. With `valid_at`, relations that may be true then.
    """
    contradiction = Role.CONTRADICTS.value
    params = scope_params(scope) | {
        "record_ids": list(pool),
        "role_predicates": [role.value for role in Role],
        "contradiction": contradiction,
    }
    statement, at = _at("load_pool_links", valid_at)
    cursor = await connection.execute(load_statement(_STORE, statement), params | at)
    return tuple(
        RecordLink(
            RecordId(subject), predicate, RecordId(object_), RelationId(stated) if predicate == contradiction else None
        )
        for subject, object_, lowest, roles, stated in await cursor.fetchall()
        for predicate in dict.fromkeys([lowest, *roles])
    )


async def load_pool_mentions(
    connection: Connection,
    scope: ReadScope,
    records: Sequence[RecordId],
    per_record: int = MENTIONS_OF_A_POOL_RECORD,
) -> dict[RecordId, tuple[EntityId, ...]]:
    """The entities that each record mentions, by number, at most `per_record`; a record without any is left out."""
    params = scope_params(scope) | {"record_ids": list(records), "per_record": per_record}
    cursor = await connection.execute(load_statement(_STORE, "load_pool_mentions"), params)
    mentions: dict[RecordId, list[EntityId]] = defaultdict(list)
    for record, entity in await cursor.fetchall():
        mentions[RecordId(record)].append(EntityId(entity))
    return {record: tuple(entities) for record, entities in mentions.items()}


async def load_walk_edges(
    connection: Connection,
    scope: ReadScope,
    entities: Sequence[EntityId],
    per_entity: int = EDGES_OF_A_WALKED_ENTITY,
    valid_at: datetime | None = None,
) -> dict[EntityId, tuple[Edge, ...]]:
    """The edges of each of up to 256 readable `entities`, newest first, one a neighbour, at most `per_entity`.

    With `valid_at`, of relations that may be true then.
    """
    params = scope_params(scope) | {"entity_ids": list(entities), "per_entity": per_entity}
    statement, at = _at("load_walk_edges", valid_at)
    cursor = await connection.execute(load_statement(_STORE, statement), params | at)
    edges: dict[EntityId, list[Edge]] = {entity: [] for entity in entities}
    for entity, to_entity, relation, declared_at, predicate in await cursor.fetchall():
        edge = Edge(EntityId(to_entity), RelationId(relation), predicate, declared_at.astimezone(UTC))
        edges[EntityId(entity)].append(edge)
    return {entity: tuple(found) for entity, found in edges.items()}


async def load_walk_records(
    connection: Connection,
    scope: ReadScope,
    entities: Sequence[EntityId],
    pool: Sequence[RecordId],
    max_evidence: int,
    valid_at: datetime | None = None,
) -> dict[EntityId, MentioningRecords]:
    """The records outside `pool` that mention each of up to 250 `entities`, lowest numbers first.

    One more than `max_evidence` is read, and only says that there are more. An entity without any is left out. With
    `valid_at`, records that may be true then.
    """
    params = scope_params(scope) | {
        "entity_ids": list(entities),
        "pool": list(pool),
        "per_entity": max_evidence + 1,
    }
    statement, at = _at("load_walk_records", valid_at)
    cursor = await connection.execute(load_statement(_STORE, statement), params | at)
    return {
        EntityId(entity): MentioningRecords(
            tuple(RecordId(record) for record in records[:max_evidence]), len(records) > max_evidence
        )
        for entity, records in await cursor.fetchall()
    }


async def load_record_neighbours(
    connection: Connection, scope: ReadScope, records: Sequence[RecordId], per_record: int
) -> dict[RecordId, tuple[RecordId, ...]]:
    """The records that relations join to each readable record, by number, at most `per_record`; none is left out."""
    params = scope_params(scope) | {"record_ids": list(records), "per_record": per_record}
    cursor = await connection.execute(load_statement(_STORE, "load_record_neighbours"), params)
    return {RecordId(record): tuple(RecordId(one) for one in far) for record, far in await cursor.fetchall()}
