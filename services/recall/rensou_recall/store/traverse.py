"""Reading what is declared around entities. Every function reads only what the scope reads."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rensou_recall.store.validity import validity_from_row
from rensou_recall.types.traverse import (
    MAX_RELATIONS,
    EntityNames,
    Mentions,
    TraverseDetails,
    TraversedRelation,
    TraverseRequest,
    Walk,
)
from rensou_recall.types.validity import MAX_EXCLUDED_BY_VALIDITY, NOTHING_LEFT_OUT, LeftOut, Validity
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
    connection: Connection,
    scope: ReadScope,
    start: str | Sequence[EntityId],
    max_hops: int,
    limit: int,
    valid_at: datetime | None = None,
) -> Walk:
    """The entities within `max_hops` declared relations of those that `start` means, at most `limit` with the starts.

    `start` is the normal form of a name, or entities; those that the scope does not read count for nothing. Starts are
    ordered by number, others by hops, then the newest relation that leads there from one hop nearer, then number;
    `limit` cuts in that order. The walk ends with the first hop that is cut. With `valid_at` it goes over
    relations that may be true then.
    """
    named = {"normalized": start, "entity_ids": "{}"}
    if not isinstance(start, str):
        named = {"normalized": "", "entity_ids": array_literal(start)}
    params = scope_params(scope) | named | {"max_hops": max_hops, "keep": limit}
    if valid_at is None:
        rows = await _rows(connection, "traverse_walk", params)
    else:
        rows = await _rows(connection, "traverse_walk_at", params | {"valid_at": valid_at})
    beyond = rows.pop() if rows[-1][0] > max_hops else None
    levels = tuple(tuple(map(EntityId, frontier)) for _, frontier, _ in rows if frontier)
    return Walk(levels, omitted=rows[-1][2], unfollowed=beyond is not None and (beyond[1] != [] or beyond[2] > 0))


async def load_details(
    connection: Connection,
    scope: ReadScope,
    entities: Sequence[EntityId],
    limit: int,
    valid_at: datetime | None = None,
) -> TraverseDetails:
    """What the answer says of `entities`.

    Of each up to 32 aliases and the lowest-numbered `limit` readable records that mention it; of the readable relations
    with both ends among them the newest 1,000, then number; with `valid_at` those that may be true then. What is left
    out is counted.
    """
    bounds = {"relations": MAX_RELATIONS, "mentions": limit, "aliases": MAX_ALIASES}
    params = scope_params(scope) | {"entity_ids": array_literal(entities), "valid_at": valid_at} | bounds
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
            relations.append(_relation(row, validity_from_row(row[13:], valid_at)))
            found = row[2]
    return TraverseDetails(names, mentions, relations, found - len(relations))


def _refs(kinds: Sequence[Any] | None, numbers: Sequence[int] | None) -> tuple[RecordRef, ...]:
    return tuple(RecordRef(kind, RecordId(number)) for kind, number in zip(kinds or (), numbers or (), strict=True))


async def load_outside_walk(connection: Connection, reached: Walk, request: TraverseRequest) -> LeftOut:
    """The relations that the walk would have followed or the answer named, and that are not true then, up to 50."""
    if request.valid_at is None:
        return NOTHING_LEFT_OUT
    walked = [entity for level in reached.levels[: request.max_hops] for entity in level]
    params = scope_params(request.scope) | {
        "walked": array_literal(walked),
        "entity_ids": array_literal(reached.entities),
        "valid_at": request.valid_at,
        "keep": MAX_EXCLUDED_BY_VALIDITY,
    }
    rows = await _rows(connection, "traverse_outside", params)
    return LeftOut(tuple(RelationId(row[0]) for row in rows), rows[0][1] - len(rows) if rows else 0)


def _relation(row: tuple[Any, ...], validity: Validity | None) -> TraversedRelation:
    return TraversedRelation(
        id=RelationId(row[0]),
        subject=EntityId(row[3]),
        predicate=row[1],
        object=EntityId(row[4]),
        declared_by=row[5],
        declared_at=row[6],
        anchor=None if row[7] is None else RecordRef(row[7], RecordId(row[8])),
        validity=validity,
    )
