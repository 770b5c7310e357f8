"""Reading what records say of themselves and what supports them; writing how sure relations are."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rensou_recall.types.certainty import Certainty
from rensou_recall.types.confidence import MAX_EPISODES, MAX_SUPPORTS, Attestation, Origin, Witness
from rensou_recall.types.roles import Role
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import array_literal, load_statement
from rensou_shared.ids import AgentId, RecordId, RecordRef, RelationId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"


async def load_attestations(
    connection: Connection,
    scope: ReadScope,
    ids: Sequence[RecordId],
    valid_at: datetime | None = None,
    *,
    with_origins: bool = False,
) -> dict[RecordId, Attestation]:
    """What each of `ids`, which the scope reads, says of itself, and what is declared to support it, in one statement.

    Without `with_origins` it is not looked up whence records come that nothing supports. With `valid_at`, relations
    count that may be true then.
    """
    params = scope_params(scope) | {
        "record_ids": array_literal(ids),
        "roles": [role.value for role in Role],
        "supports": Role.SUPPORTS.value,
        "per_record": MAX_SUPPORTS + 1,
        "episodes": MAX_EPISODES,
        "with_origins": with_origins,
        "valid_at": valid_at,
    }
    cursor = await connection.execute(load_statement(_STORE, "load_attestations"), params)
    rows: dict[RecordId, list[Sequence[Any]]] = defaultdict(list)
    for row in await cursor.fetchall():
        rows[RecordId(row[0])].append(row)
    return {claim: _attestation(members) for claim, members in rows.items()}


def _attestation(rows: Sequence[Sequence[Any]]) -> Attestation:
    """The first row is the record's own."""
    own, *supporting = rows
    return Attestation(
        claim=_witness(own),
        certainty=None if own[3] is None else Certainty(own[3]),
        has_role=own[10],
        supporters=tuple(_witness(row) for row in supporting if row[7] <= MAX_SUPPORTS),
        supports_cut=any(row[7] > MAX_SUPPORTS for row in supporting),
    )


def _witness(row: Sequence[Any]) -> Witness:
    _, number, kind, _, project_id, source_type, source_id, _, caller_ids, episodes, _ = row
    own = {RecordId(number)} if kind == "ep" else set[RecordId]()
    covered_by = frozenset(RecordId(one) for one in episodes or ()) | own
    origin = Origin(project_id, source_type, source_id, frozenset(caller_ids or ()), covered_by)
    return Witness(RecordRef(kind, RecordId(number)), origin)


async def save_certainties(
    connection: Connection, agent_id: AgentId, stated: Mapping[RelationId, Certainty], created: frozenset[RelationId]
) -> None:
    """States how sure relations are; of those in `created`, with which the transaction began, nothing former is kept.

    The declaration holds the agent's lock.
    """
    if not stated:
        return
    params = {
        "agent_id": agent_id,
        "relation_ids": list(stated),
        "certainties": [certainty.value for certainty in stated.values()],
        "are_new": [relation in created for relation in stated],
    }
    await connection.execute(load_statement(_STORE, "save_certainties"), params)
