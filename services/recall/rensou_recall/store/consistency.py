"""What is odd about an agent's declarations."""

from collections.abc import Collection
from typing import Any

from rensou_recall.types.health import Ambiguity, OddRelations
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import AgentId, EntityId, RecordId, RelationId

_STORE = "rensou_recall.store"


async def _rows(connection: Connection, statement: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    cursor = await connection.execute(load_statement(_STORE, statement), params)
    return await cursor.fetchall()


async def find_orphan_entities(connection: Connection, agent_id: AgentId, keep: int) -> tuple[int, list[EntityId]]:
    """How many entities nothing names, and the lowest `keep` of them."""
    rows = await _rows(connection, "find_orphan_entities", {"agent_id": agent_id, "keep": keep})
    return (rows[0][1] if rows else 0), [EntityId(row[0]) for row in rows]


async def find_odd_relations(connection: Connection, agent_id: AgentId) -> OddRelations:
    """Relations of a thing with itself, and others that cross isolation, each rising."""
    rows = await _rows(connection, "find_inconsistent_relations", {"agent_id": agent_id})
    return OddRelations(
        itself=tuple(RelationId(relation) for relation, is_self in rows if is_self),
        crossing=tuple(RelationId(relation) for relation, is_self in rows if not is_self),
    )


async def load_replacement_edges(
    connection: Connection, agent_id: AgentId, predicates: Collection[str], keep: int
) -> list[tuple[RelationId, RecordId, RecordId]]:
    """Replacing relations with subject and object, lowest number first, at most `keep`; those at the end of a chain,
    which are in no cycle, may be missing."""
    params = {"agent_id": agent_id, "predicates": sorted(predicates), "keep": keep}
    rows = await _rows(connection, "load_replacement_edges", params)
    return [(RelationId(row[0]), RecordId(row[1]), RecordId(row[2])) for row in rows]


async def find_ambiguous_aliases(connection: Connection, agent_id: AgentId, keep: int) -> Ambiguity:
    """Names and aliases that mean several entities to a reader of one project and channel."""
    rows = await _rows(connection, "find_ambiguous_aliases", {"agent_id": agent_id, "keep": keep})
    return Ambiguity(rows[0][2] if rows else 0, tuple(EntityId(row[0]) for row in rows))
