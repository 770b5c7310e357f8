"""The checks of what an agent has declared. They only report: whether a declaration is right, its maker knows, and
takes it back with DeclareAssociations or DeleteEntity."""

from typing import Final

from rensou_recall.stages.cycles import relations_in_cycles
from rensou_recall.stages.replacement import REPLACEMENT_PREDICATES
from rensou_recall.store.consistency import (
    find_ambiguous_aliases,
    find_odd_relations,
    find_orphan_entities,
    load_replacement_edges,
)
from rensou_recall.store.validity import find_expired
from rensou_recall.types.health import Finding, Severity
from rensou_shared.db.pool import Connection
from rensou_shared.ids import AgentId, RecordRef, format_entity_ref, format_relation_ref

_ORPHANS, _RELATIONS, _ALIASES = "orphan_entities", "association_consistency", "ambiguous_aliases"
_EXPIRED = "expired_assertions"
CONSISTENCY_CHECKS: Final = (_ORPHANS, _RELATIONS, _ALIASES, _EXPIRED)

_MAX_EDGES = 100_000


async def check_associations(connection: Connection, agent_id: AgentId, shown: int) -> list[Finding]:
    """The findings of the four checks, each with up to `shown` refs."""
    return [
        *await _orphans(connection, agent_id, shown),
        *await _inconsistent(connection, agent_id, shown),
        *await _ambiguous(connection, agent_id, shown),
        *await _expired(connection, agent_id, shown),
    ]


async def _orphans(connection: Connection, agent_id: AgentId, shown: int) -> list[Finding]:
    count, entities = await find_orphan_entities(connection, agent_id, shown)
    refs = tuple(format_entity_ref(entity) for entity in entities)
    message = "declared entities that nothing mentions or names"
    return _finding(_ORPHANS, Severity.INFO, count, message, refs)


async def _inconsistent(connection: Connection, agent_id: AgentId, shown: int) -> list[Finding]:
    odd = await find_odd_relations(connection, agent_id)
    edges = await load_replacement_edges(connection, agent_id, REPLACEMENT_PREDICATES, _MAX_EDGES)
    cyclic = relations_in_cycles(edges)
    found = sorted({*odd.itself, *odd.crossing, *cyclic})
    message = (
        f"relations that a declaration refuses today: {len(odd.itself)} of a thing with itself, "
        f"{len(odd.crossing)} between projects or channels, {len(cyclic)} replacements in a cycle"
    )
    refs = tuple(format_relation_ref(relation) for relation in found[:shown])
    return _finding(_RELATIONS, Severity.WARNING, len(found), message, refs)


async def _ambiguous(connection: Connection, agent_id: AgentId, shown: int) -> list[Finding]:
    ambiguity = await find_ambiguous_aliases(connection, agent_id, shown)
    refs = tuple(format_entity_ref(entity) for entity in ambiguity.entities)
    message = "names that mean several entities to a reader of one project and channel; the refs are those entities"
    return _finding(_ALIASES, Severity.WARNING, ambiguity.aliases, message, refs)


async def _expired(connection: Connection, agent_id: AgentId, shown: int) -> list[Finding]:
    count, targets = await find_expired(connection, agent_id, shown)
    refs = tuple(str(one) if isinstance(one, RecordRef) else format_relation_ref(one) for one in targets)
    message = "records and relations that are asserted to have been true until a time that has passed"
    return _finding(_EXPIRED, Severity.INFO, count, message, refs)


def _finding(check: str, severity: Severity, count: int, message: str, refs: tuple[str, ...]) -> list[Finding]:
    return [Finding(check, severity, count, 0, 0, message, refs)] if count else []
