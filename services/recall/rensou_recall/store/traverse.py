"""Reading what is declared around entities. Every function reads only what the scope reads."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rensou_recall.types.traverse import (
    MAX_RELATIONS,
    Described,
    EntityNames,
    Mentions,
    TraversedRelation,
    Walk,
)
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import array_literal, load_statement
from rensou_shared.domain import MAX_ALIASES
from rensou_shared.ids import EntityId, RecordId, RecordRef, RelationId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def _rows(connection: Connection, statement: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    cursor = await connection.execute(load_statement(_STORE, statement), params, binary=True)
    return await cursor.fetchall()


async def walk(
    connection: Connection, scope: ReadScope, start: str | Sequence[EntityId], max_hops: int, limit: int
) -> Walk:
    """The entities within `max_hops` declared relations of `start`, a normal form or numbers; at most `limit` in all.

    They are ordered by hops, then the newest relation that leads there from one hop nearer, then number; `limit` cuts
    in that order. The walk ends with the first hop that is cut. It has no levels when there is nothing to start from.
    """
    named = isinstance(start, str)
    params = scope_params(scope) | {
        "normalized": start if named else None,
        "entity_ids": None if named else array_literal(start),
        "max_hops": max_hops,
        "keep": limit,
    }
    rows = await _rows(connection, "traverse_walk", params)
    if not rows:
        return Walk((), 0, unfollowed=False)
    levels = tuple(tuple(EntityId(entity) for entity in row[1]) for row in rows)
    last_hop, frontier, omitted = rows[-1]
    unfollowed = False
    if last_hop == max_hops and frontier:
        returned = [entity for level in levels for entity in level]
        asked = scope_params(scope) | {"frontier": array_literal(frontier), "returned": array_literal(returned)}
        ((unfollowed,),) = await _rows(connection, "traverse_unfollowed", asked)
    return Walk(tuple(level for level in levels if level), omitted, unfollowed)


async def describe(connection: Connection, scope: ReadScope, entities: Sequence[EntityId], limit: int) -> Described:
    """The names of entities, up to `limit` readable records that mention each, and the relations between them.

    An entity has up to 32 aliases; of the relations the newest 1,000 are there, then by number. What is left out is
    counted.
    """
    params = scope_params(scope) | {
        "entity_ids": array_literal(entities),
        "max_aliases": MAX_ALIASES,
        "keep_mentions": limit + 1,
        "keep_relations": MAX_RELATIONS,
    }
    ((names, mentions, relations),) = await _rows(connection, "traverse_answer", params)
    return Described(
        names={EntityId(row[0]): EntityNames(row[1], tuple(row[2]), row[3] - len(row[2])) for row in names or ()},
        mentions=await _count_mentions(connection, scope, mentions or (), limit),
        relations=tuple(_relation(row) for row in relations or ()),
        relations_omitted=relations[0][8] - len(relations) if relations else 0,
    )


async def _count_mentions(
    connection: Connection, scope: ReadScope, rows: Sequence[Sequence[Any]], limit: int
) -> dict[EntityId, Mentions]:
    """The first `limit` of each entity, and how many are left out; counted only where more than `limit` were read."""
    refs: dict[EntityId, list[RecordRef]] = defaultdict(list)
    for entity, kind, record_id in rows:
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


def _relation(row: Sequence[Any]) -> TraversedRelation:
    return TraversedRelation(
        id=RelationId(row[0]),
        subject=EntityId(row[1]),
        predicate=row[2],
        object=EntityId(row[3]),
        declared_by=row[4],
        declared_at=_EPOCH + timedelta(microseconds=row[5]),
        anchor=None if row[6] is None else RecordRef(row[6], RecordId(row[7])),
    )
