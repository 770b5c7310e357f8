"""Reading what is declared around entities. Every function reads only what the scope reads."""

from collections.abc import Sequence
from typing import Any

from rensou_recall.types.traverse import (
    MAX_RELATIONS,
    EntityNames,
    Mentions,
    TraverseDetails,
    TraversedRelation,
    Walk,
)
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import array_literal, load_statement
from rensou_shared.domain import MAX_ALIASES
from rensou_shared.ids import EntityId, RecordId, RecordRef, RelationId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"


async def _rows(connection: Connection, statement: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    cursor = await connection.execute(load_statement(_STORE, statement), params, binary=True)
    return await cursor.fetchall()


async def walk(
    connection: Connection, scope: ReadScope, start: str | Sequence[EntityId], max_hops: int, limit: int
) -> Walk:
    """The entities within `max_hops` declared relations of those that `start` means, at most `limit` with the starts.

    `start` is the normal form of a name, or entities; those that the scope does not read count for nothing. Starts are
    ordered by number, others by hops, then the newest relation that leads there from one hop nearer, then number;
    `limit` cuts in that order. The walk ends with the first hop that is cut.
    """
    named = {"normalized": start, "entity_ids": "{}"}
    if not isinstance(start, str):
        named = {"normalized": "", "entity_ids": array_literal(start)}
    params = scope_params(scope) | named | {"max_hops": max_hops, "keep": limit}
    rows = await _rows(connection, "traverse_walk", params)
    beyond = rows.pop() if rows[-1][0] > max_hops else None
    levels = tuple(tuple(map(EntityId, frontier)) for _, frontier, _ in rows if frontier)
    return Walk(levels, omitted=rows[-1][2], unfollowed=beyond is not None and (beyond[1] != [] or beyond[2] > 0))


async def load_details(
    connection: Connection, scope: ReadScope, entities: Sequence[EntityId], limit: int
) -> TraverseDetails:
    """What the answer says of `entities`.

    Of each up to 32 aliases and the lowest-numbered `limit` readable records that mention it; of the readable relations
    with both ends among them the newest 1,000, then number. What is left out is counted.
    """
    bounds = {"relations": MAX_RELATIONS, "mentions": limit, "aliases": MAX_ALIASES}
    params = scope_params(scope) | {"entity_ids": array_literal(entities)} | bounds
    names: dict[EntityId, EntityNames] = {}
    mentions: dict[EntityId, Mentions] = {}
    relations: list[TraversedRelation] = []
    found = 0
    for row in await _rows(connection, "traverse_details", params):
        if row[6] is None:
            entity = EntityId(row[0])
            aliases, refs = tuple(row[11] or ()), _refs(row[9], row[10])
            names[entity] = EntityNames(row[1], aliases, row[12] - len(aliases))
            mentions[entity] = Mentions(refs, row[2] - len(refs))
        else:
            relations.append(_relation(row))
            found = row[2]
    return TraverseDetails(names, mentions, relations, found - len(relations))


def _refs(kinds: Sequence[Any] | None, numbers: Sequence[int] | None) -> tuple[RecordRef, ...]:
    return tuple(RecordRef(kind, RecordId(number)) for kind, number in zip(kinds or (), numbers or (), strict=True))


def _relation(row: tuple[Any, ...]) -> TraversedRelation:
    return TraversedRelation(
        id=RelationId(row[0]),
        subject=EntityId(row[3]),
        predicate=row[1],
        object=EntityId(row[4]),
        declared_by=row[5],
        declared_at=row[6],
        anchor=None if row[7] is None else RecordRef(row[7], RecordId(row[8])),
    )
