"""Reading the relations that a record's standing is made of."""

from collections.abc import Mapping
from datetime import UTC, datetime

from rensou_recall.types.roles import Role
from rensou_recall.types.standing import STANDING_ROLES, RoleEdge
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import array_literal, load_statement
from rensou_shared.ids import RecordId, RecordRef, RelationId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"
_PREDICATES = [role.value for role in STANDING_ROLES]

EDGES_OF_A_RECORD = 256
"""Relations of one record that are read in each direction, the newest numbers."""

Known = Mapping[RecordId, tuple[RecordRef, datetime]]
"""The ref of a record, and when it happened or was stored, by number."""


async def load_true_role_edges(
    connection: Connection, scope: ReadScope, records: Known, valid_at: datetime
) -> list[RoleEdge]:
    """`load_role_edges` without those that are not true at `valid_at`, or one of whose ends is not."""
    edges = await load_role_edges(connection, scope, records)
    params = {"agent_id": scope.agent_id, "relation_ids": [edge.id for edge in edges], "valid_at": valid_at}
    cursor = await connection.execute(load_statement(_STORE, "find_untrue_edges"), params)
    untrue = {row[0] for row in await cursor.fetchall()}
    return [edge for edge in edges if edge.id not in untrue]


async def load_role_edges(connection: Connection, scope: ReadScope, records: Known) -> list[RoleEdge]:
    """The replacements, qualifications and contradictions that have one of `records` as an end, both ends readable."""
    params = scope_params(scope) | {
        "record_ids": array_literal(list(records)),
        "predicates": _PREDICATES,
        "per_record": EDGES_OF_A_RECORD,
    }
    cursor = await connection.execute(load_statement(_STORE, "load_role_edges"), params, binary=True)
    edges: dict[RelationId, RoleEdge] = {}
    for here_id, is_subject, number, predicate, declared_at, far_kind, far_id, far_at in await cursor.fetchall():
        here = records[RecordId(here_id)]
        far = RecordRef(far_kind, RecordId(far_id)), far_at.astimezone(UTC)
        ends = (*here, *far) if is_subject else (*far, *here)
        edge = RoleEdge(RelationId(number), Role(predicate), *ends, declared_at.astimezone(UTC))
        edges[edge.id] = edge
    return list(edges.values())
