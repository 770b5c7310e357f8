"""What is declared about the records of an answer: read outwards from them, level by level, and judged once."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from rensou_recall.stages.standing import Standings, is_replacement, judge
from rensou_recall.stages.structure import mark
from rensou_recall.stages.successor import live, sinks_of, with_successors
from rensou_recall.stages.validity import instant_of
from rensou_recall.store.records import load_records
from rensou_recall.store.standing import Known, load_role_edges, load_true_role_edges
from rensou_recall.types.evidence import Draft, ReconstructQuestion, RecordLink
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.roles import Role
from rensou_recall.types.standing import MAX_CHAIN, Resolution, RoleEdge
from rensou_shared.db.pool import Connection
from rensou_shared.ids import RecordId, RecordRef
from rensou_shared.scope import ReadScope

Pool = Mapping[RecordId, StoredRecord]

Starts = Iterable[tuple[RecordRef, datetime]]
"""Records, and when each happened or was stored."""

LoadEdges = Callable[[Connection, ReadScope, Known], Awaitable[list[RoleEdge]]]

MAX_RECORDS = 512
"""Records around an answer whose relations are read; a chain that leads further is said to be cut."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


async def load_standings(
    connection: Connection, scope: ReadScope, starts: Starts, load: LoadEdges = load_role_edges
) -> Standings:
    """The standing of `starts`, and of what is declared around them; one that nothing is declared of is left out.

    Replacements are followed in both directions, one further than a chain may be long, so that its end is known to be
    one. Of what contradicts a start, or a record joined to one by replacements, it is read who replaces it.
    """
    level: dict[RecordId, tuple[RecordRef, datetime]] = {ref.id: (ref, at) for ref, at in starts}
    near = set(level)
    known: dict[RecordId, tuple[RecordRef, datetime]] = {}
    edges: dict[int, RoleEdge] = {}
    for _ in range(MAX_CHAIN + 1):
        level = dict(list(level.items())[: MAX_RECORDS - len(known)])
        if not level:
            break
        found = sorted(await load(connection, scope, level), key=lambda edge: -edge.id)
        known |= level
        edges |= {edge.id: edge for edge in found}
        level = _next_level(found, known, near)
    named = {ref for edge in edges.values() for ref in (edge.subject, edge.object)}
    return judge(edges.values(), {ref for ref in named if ref.id not in known})


def edges_at(valid_at: datetime | None) -> LoadEdges:
    """What reads relations: where an instant is asked for, what is not true then replaces and contradicts nothing."""
    if valid_at is None:
        return load_role_edges
    return lambda connection, scope, known: load_true_role_edges(connection, scope, known, valid_at)


def _next_level(
    found: Iterable[RoleEdge], known: Mapping[RecordId, object], near: set[RecordId]
) -> dict[RecordId, tuple[RecordRef, datetime]]:
    """What `found` leads to from what is known; `near` gains what replacements join to what is near."""
    level: dict[RecordId, tuple[RecordRef, datetime]] = {}
    for edge in found:
        ends = (edge.subject, edge.subject_at), (edge.object, edge.object_at)
        for (here, _), (far, far_at) in (ends, ends[::-1]):
            if here.id not in known or far.id in known:
                continue
            if is_replacement(edge) and here.id in near:
                near.add(far.id)
            if is_replacement(edge) or (edge.role is Role.CONTRADICTS and here.id in near):
                level[far.id] = far, far_at
    return level


def starts_of(records: Iterable[StoredRecord]) -> Starts:
    """The records to begin with."""
    return ((one.ref, one.created_at if one.occurred_at is None else one.occurred_at) for one in records)


async def resolve_pool(
    connection: Connection, scope: ReadScope, question: ReconstructQuestion, pool: Pool
) -> tuple[dict[RecordId, StoredRecord], list[RecordLink], Standings]:
    """The candidates with the successors of replaced ones before them, what joins the two, and what is declared.

    Under ANY nothing is read; only CURRENT moves anything.
    """
    if question.resolution is Resolution.ANY:
        return dict(pool), [], {}
    load = edges_at(question.valid_at)
    standings = await load_standings(connection, scope, starts_of(pool.values()), load)
    if question.resolution is Resolution.ANNOTATE:
        return dict(pool), [], standings
    unread = [one for one in sinks_of(pool, standings) if one not in pool]
    at = instant_of(pool.values(), question.valid_at)
    records = {**pool, **live(await load_records(connection, scope, unread, at) if unread else {})}
    return *with_successors(pool, records, standings), standings


async def mark_drafts(
    connection: Connection,
    scope: ReadScope,
    question: ReconstructQuestion,
    drafts: Sequence[Draft],
    standings: Standings,
) -> tuple[tuple[Draft, ...], frozenset[RecordId]]:
    """The drafts with what is declared about their claims, and the records of which nothing is to be quoted."""
    if question.resolution is Resolution.ANY:
        return tuple(drafts), frozenset()
    claims = [claim for draft in drafts for claim in draft.claims]
    # What the walk reached is not among the candidates. When it was stored is not known here: it only breaks ties.
    reached = [(claim.ref, claim.as_of or _LONG_AGO) for claim in claims if claim.hops is not None]
    load = edges_at(question.valid_at)
    known = {**(await load_standings(connection, scope, reached, load) if reached else {}), **standings}
    replaced = frozenset(claim.ref.id for claim in claims if claim.ref.id in known and known[claim.ref.id].is_replaced)
    withheld = frozenset[RecordId]() if question.include_replaced else replaced
    return tuple(mark(draft, known, withheld) for draft in drafts), withheld
