"""Declaring and retracting. Every function runs in the caller's transaction."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from rensou_recall.types.declaration import KnownEntity, Name, Place, RelationRow, RetractionPlan
from rensou_recall.types.graph import DeclaredBy, RetractionReport
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.errors import WriteConflict
from rensou_shared.ids import AgentId, EntityId, RecordId, RecordKind, RelationId
from rensou_shared.scope import WriteScope

_STORE = "rensou_recall.store"


async def _rows(connection: Connection, statement: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    cursor = await connection.execute(load_statement(_STORE, statement), params)
    return await cursor.fetchall()


async def lock_declarations(connection: Connection, agent_id: AgentId) -> None:
    """Waits for others that declare anything new for the agent, take back, or forget; may be taken twice.

    One lock an agent: names resolve across projects, and a lock a name would fill the server's lock table.
    """
    await _rows(connection, "declaration_lock", {"agent_id": agent_id})


async def load_names(
    connection: Connection, scope: WriteScope, normalized: Collection[str]
) -> dict[Place, dict[str, KnownEntity]]:
    """What each of the normal forms means in each place that the writer reads."""
    names: dict[Place, dict[str, KnownEntity]] = {}
    if not normalized:
        return names
    params = asdict(scope) | {"normalized": sorted(normalized)}
    for key, project_id, channel, entity_id, name in await _rows(connection, "declaration_names", params):
        place = Place(project_id, channel)
        names.setdefault(place, {})[key] = KnownEntity(EntityId(entity_id), name, place)
    return names


async def hold_records(
    connection: Connection, agent_id: AgentId, record_ids: Collection[RecordId]
) -> dict[RecordId, tuple[RecordKind, Place]]:
    """Kind and place of those of the records that are the agent's, none of which can be forgotten meanwhile."""
    if not record_ids:
        return {}
    rows = await _rows(connection, "declaration_records", {"agent_id": agent_id, "record_ids": sorted(record_ids)})
    return {RecordId(row[0]): (row[1], Place(row[2], row[3])) for row in rows}


async def save_entities(
    connection: Connection, scope: WriteScope, declared_by: DeclaredBy, names: Sequence[Name]
) -> list[EntityId]:
    """New entities of the scope, one a name, in the order of `names`."""
    if not names:
        return []
    params = asdict(scope) | {"declared_by": declared_by, "names": [name.written for name in names]}
    return sorted(EntityId(row[0]) for row in await _rows(connection, "declaration_save_entities", params))


async def save_aliases(
    connection: Connection, scope: WriteScope, aliases: Sequence[tuple[EntityId, Name, bool]]
) -> None:
    """Names (True) and aliases (False) of entities of the scope.

    Raises:
        WriteConflict: One of them was taken in the scope meanwhile.
    """
    if not aliases:
        return
    params = asdict(scope) | {
        "entity_ids": [entity_id for entity_id, _, _ in aliases],
        "normalized": [name.normalized for _, name, _ in aliases],
        "aliases": [name.written for _, name, _ in aliases],
        "are_names": [is_name for _, _, is_name in aliases],
    }
    if len(await _rows(connection, "declaration_save_aliases", params)) != len(aliases):
        raise WriteConflict("a name was taken by another writer meanwhile")


async def save_mentions(
    connection: Connection,
    agent_id: AgentId,
    declared_by: DeclaredBy,
    entity_ids: Sequence[EntityId],
    record_id: RecordId,
) -> int:
    """How many mentions of the entities in the record are new."""
    if not entity_ids:
        return 0
    params = {
        "agent_id": agent_id,
        "declared_by": declared_by,
        "entity_ids": list(entity_ids),
        "record_id": record_id,
    }
    return len(await _rows(connection, "declaration_save_mentions", params))


def _relation_params(scope: WriteScope, relations: Sequence[RelationRow], anchor: RecordId | None) -> dict[str, Any]:
    return asdict(scope) | {
        "anchor_record": anchor,
        "subject_entities": [relation.subject_entity for relation in relations],
        "subject_records": [relation.subject_record for relation in relations],
        "predicates": [relation.predicate.normalized for relation in relations],
        "object_entities": [relation.object_entity for relation in relations],
        "object_records": [relation.object_record for relation in relations],
    }


async def find_relations(
    connection: Connection, scope: WriteScope, relations: Sequence[RelationRow], anchor: RecordId | None
) -> dict[int, RelationId]:
    """By position in `relations`, those that stand already in exactly this scope with this anchor."""
    if not relations:
        return {}
    rows = await _rows(connection, "declaration_relations", _relation_params(scope, relations, anchor))
    return {int(place) - 1: RelationId(relation_id) for place, relation_id in rows}


async def save_relations(
    connection: Connection,
    scope: WriteScope,
    declared_by: DeclaredBy,
    relations: Sequence[RelationRow],
    anchor: RecordId | None,
) -> list[RelationId]:
    """New relations, in the order of `relations`, which are distinct.

    Raises:
        WriteConflict: One of them was declared meanwhile.
    """
    if not relations:
        return []
    params = _relation_params(scope, relations, anchor) | {
        "declared_by": declared_by,
        "written": [relation.predicate.written for relation in relations],
    }
    saved = sorted(RelationId(row[0]) for row in await _rows(connection, "declaration_save_relations", params))
    if len(saved) != len(relations):
        raise WriteConflict("a relation was declared by another writer meanwhile")
    return saved


async def load_replaced(
    connection: Connection,
    scope: WriteScope,
    starts: Collection[RecordId],
    predicates: Collection[str],
    bound: int,
) -> dict[RecordId, set[RecordId]]:
    """Of each start, the records that relations of `predicates` lead to, itself included, at most `bound`."""
    reached: dict[RecordId, set[RecordId]] = {}
    if not starts:
        return reached
    params = asdict(scope) | {"starts": sorted(starts), "predicates": sorted(predicates), "bound": bound}
    for start, record_id in await _rows(connection, "declaration_replaced", params):
        reached.setdefault(RecordId(start), set()).add(RecordId(record_id))
    return reached


async def retract(connection: Connection, agent_id: AgentId, retraction: RetractionPlan) -> RetractionReport:
    """How many of the relations and mentions stood for the agent; they are gone."""
    relations = await _rows(
        connection, "retract_relations", {"agent_id": agent_id, "relation_ids": list(retraction.relations)}
    )
    params = {
        "agent_id": agent_id,
        "entity_ids": [entity_id for entity_id, _ in retraction.mentions],
        "kinds": [ref.kind for _, ref in retraction.mentions],
        "record_ids": [ref.id for _, ref in retraction.mentions],
    }
    mentions = await _rows(connection, "retract_mentions", params)
    return RetractionReport(len(relations), len(mentions))
