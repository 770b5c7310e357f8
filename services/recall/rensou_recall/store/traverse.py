"""Reading what is declared around entities. Every function reads only what the scope reads."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from rensou_recall.types.traverse import (
    MAX_RELATIONS,
    EntityNames,
    Mentions,
    TraversedRelation,
    TraverseRequest,
    Walk,
)
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import array_literal, load_statement
from rensou_shared.domain import MAX_ALIASES
from rensou_shared.ids import AgentId, EntityId, RecordId, RecordRef, RelationId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"


async def _rows(connection: Connection, statement: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    cursor = await connection.execute(load_statement(_STORE, statement), params, binary=True)
    return await cursor.fetchall()


async def find_starts(connection: Connection, request: TraverseRequest) -> tuple[list[EntityId], int]:
    """The entities that the request starts from, lowest number first, at most its limit; and how many there are."""
    params = scope_params(request.scope)
    if isinstance(request.start, str):
        named = params | {"normalized": request.start, "keep": request.limit}
        rows = await _rows(connection, "traverse_start_name", named)
        return [EntityId(row[0]) for row in rows], rows[0][1] if rows else 0
    rows = await _rows(connection, "traverse_start_ref", params | {"entity_id": request.start})
    return [EntityId(row[0]) for row in rows], len(rows)


async def walk(connection: Connection, scope: ReadScope, starts: Sequence[EntityId], max_hops: int, limit: int) -> Walk:
    """The entities within `max_hops` declared relations of `starts`, at most `limit` with the starts.

    They are ordered by hops, then the newest relation that leads there from one hop nearer, then number; `limit` cuts
    in that order. The walk ends with the first hop that is cut.
    """
    params = scope_params(scope) | {"starts": array_literal(starts), "max_hops": max_hops, "keep": limit}
    rows = await _rows(connection, "traverse_walk", params)
    levels = tuple(tuple(EntityId(entity) for entity in row[1]) for row in rows)
    last_hop, frontier, omitted = rows[-1]
    unfollowed = False
    if last_hop == max_hops and frontier:
        returned = [entity for level in levels for entity in level]
        asked = scope_params(scope) | {"frontier": array_literal(frontier), "returned": array_literal(returned)}
        ((unfollowed,),) = await _rows(connection, "traverse_unfollowed", asked)
    return Walk(tuple(level for level in levels if level), omitted, unfollowed)


async def load_entity_names(
    connection: Connection, agent_id: AgentId, entities: Sequence[EntityId]
) -> dict[EntityId, EntityNames]:
    """The names of the agent's entities, with up to 32 aliases each and how many are left out."""
    params = {"agent_id": agent_id, "entity_ids": array_literal(entities), "max_aliases": MAX_ALIASES}
    rows = await _rows(connection, "traverse_names", params)
    return {EntityId(row[0]): EntityNames(row[1], tuple(row[2]), row[3] - len(row[2])) for row in rows}


async def load_mentions(
    connection: Connection, scope: ReadScope, entities: Sequence[EntityId], limit: int
) -> dict[EntityId, Mentions]:
    """Of each entity that readable records mention: the lowest-numbered `limit` of them, and how many are left out."""
    params = scope_params(scope) | {"entity_ids": array_literal(entities), "keep": limit + 1}
    refs: dict[EntityId, list[RecordRef]] = defaultdict(list)
    for entity, kind, record_id in await _rows(connection, "traverse_mentions", params):
        refs[EntityId(entity)].append(RecordRef(kind, RecordId(record_id)))
    full = [entity for entity, found in refs.items() if len(found) > limit]
    counts: dict[EntityId, int] = {}
    if full:
        asked = scope_params(scope) | {"entity_ids": array_literal(full)}
        counts = {EntityId(row[0]): row[1] for row in await _rows(connection, "traverse_mention_counts", asked)}
    return {
        entity: Mentions(tuple(found[:limit]), max(counts.get(entity, len(found)), len(found)) - len(found[:limit]))
        for entity, found in refs.items()
    }


async def load_relations_between(
    connection: Connection, scope: ReadScope, entities: Sequence[EntityId]
) -> tuple[list[TraversedRelation], int]:
    """Readable relations with both ends among `entities`: the newest 1,000, then number; and how many are left out."""
    params = scope_params(scope) | {"entity_ids": array_literal(entities), "keep": MAX_RELATIONS}
    rows = await _rows(connection, "traverse_relations", params)
    relations = [
        TraversedRelation(
            id=RelationId(row[0]),
            subject=EntityId(row[1]),
            predicate=row[2],
            object=EntityId(row[3]),
            declared_by=row[4],
            declared_at=row[5],
            anchor=None if row[6] is None else RecordRef(row[6], RecordId(row[7])),
        )
        for row in rows
    ]
    return relations, rows[0][8] - len(rows) if rows else 0
