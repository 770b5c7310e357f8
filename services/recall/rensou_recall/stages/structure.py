"""Items from clusters: which claims stay, their order, the head, and the roles that they play for each other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rensou_recall.types.evidence import (
    Claim,
    ClaimRole,
    Cluster,
    Conflict,
    Draft,
    EvidenceTraits,
    Member,
    ReachedRecord,
    RecordLink,
    Walked,
)
from rensou_recall.types.roles import Role
from rensou_recall.types.standing import Standing
from rensou_shared.ids import RecordId, RecordRef, RelationId

_SINGLETON = "singleton"
_END_OF_TIME = datetime.max.replace(tzinfo=UTC)
_ROLE_ORDER = {role: position for position, role in enumerate(Role)}
_ROLES = {role.value: role for role in Role}

Traits = Mapping[RecordId, EvidenceTraits]


def items_window(clusters: Sequence[Cluster], count: int) -> tuple[Cluster, ...]:
    """The clusters that become items: the first `count`, in retrieval's order."""
    return tuple(clusters[:count])


def structure(
    window: Sequence[Cluster],
    walked: Sequence[Walked],
    traits: Traits,
    links: Sequence[RecordLink],
    max_evidence: int,
) -> tuple[Draft, ...]:
    """One draft a cluster, in order; `walked` goes with `window` by position.

    The most relevant member is the head. Over `max_evidence` the head stays, then the most relevant members, then what
    the walk reached, in its order. A reached record without traits was forgotten during the call and is no claim.
    Roles and conflicts come of `links`, as far as both ends are claims of one item.
    """
    roles = _roles_by_object(links)
    contradictions = tuple(link for link in links if link.predicate == Role.CONTRADICTS.value)
    return tuple(
        _draft(cluster, gained.records, traits, roles, contradictions, max_evidence)
        for cluster, gained in zip(window, walked, strict=True)
    )


def mark(draft: Draft, standings: Mapping[RecordId, Standing], withheld: AbstractSet[RecordId]) -> Draft:
    """The draft with what is declared about its claims; of the `withheld` only a head keeps its place for a quote."""
    head, *others = draft.quoting
    replaced = {ref for ref in (claim.ref for claim in draft.claims) if _is_replaced(ref, standings)}
    return replace(
        draft,
        claims=tuple(replace(claim, standing=standings.get(claim.ref.id)) for claim in draft.claims),
        quoting=(head, *(one for one in others if one not in withheld)),
        conflicts=tuple(replace(one, settled=not replaced.isdisjoint(one.refs)) for one in draft.conflicts),
    )


def _is_replaced(ref: RecordRef, standings: Mapping[RecordId, Standing]) -> bool:
    return ref.id in standings and standings[ref.id].is_replaced


def _draft(
    cluster: Cluster,
    reached: Sequence[ReachedRecord],
    traits: Traits,
    roles: Mapping[RecordId, Sequence[tuple[Role, RecordId]]],
    contradictions: Sequence[RecordLink],
    max_evidence: int,
) -> Draft:
    evidence = [*cluster.members, *reached]
    kept = [found for found in evidence[:max_evidence] if found.record_id in traits]
    ids = {found.record_id for found in kept}
    ordered = sorted(kept, key=lambda found: _claim_order(found, traits[found.record_id]))
    return Draft(
        claims=tuple(_claim(found, traits, ids, roles.get(found.record_id, ())) for found in ordered),
        quoting=tuple(found.record_id for found in kept),
        independence_reason=_SINGLETON if cluster.key is None else cluster.key.value,
        claims_omitted=max(len(evidence) - max_evidence, 0),
        conflicts=_conflicts(contradictions, traits, ids),
    )


def _conflicts(contradictions: Iterable[RecordLink], traits: Traits, ids: set[RecordId]) -> tuple[Conflict, ...]:
    """The pairs among `ids` that contradict each other, in order, each with the lowest relation that says so."""
    lowest: dict[tuple[RecordRef, RecordRef], RelationId] = {}
    for link in contradictions:
        if link.relation_id is not None and link.subject in ids and link.object in ids:
            one, other = sorted((traits[link.subject].ref, traits[link.object].ref))
            lowest[one, other] = min(link.relation_id, lowest.get((one, other), link.relation_id))
    return tuple(Conflict(refs, lowest[refs]) for refs in sorted(lowest))


def _claim(
    found: Member | ReachedRecord, traits: Traits, ids: set[RecordId], roles: Iterable[tuple[Role, RecordId]]
) -> Claim:
    own = traits[found.record_id]
    played = {ClaimRole(role, traits[subject].ref) for role, subject in roles if subject in ids}
    ordered = tuple(sorted(played, key=lambda claim_role: (_ROLE_ORDER[claim_role.role], claim_role.ref)))
    if isinstance(found, Member):
        return Claim(own.ref, own.occurred_at, found.why, None, ordered, validity=own.validity)
    return Claim(own.ref, own.occurred_at, f"relation:{found.predicate}", found.hops, ordered, validity=own.validity)


def _claim_order(found: Member | ReachedRecord, traits: EvidenceTraits) -> tuple[bool, timedelta, bool, bool, int, int]:
    """Dated before undated, newest first, memories before episodes, retrieval's rank before the walk's, number."""
    undated = traits.occurred_at is None
    age = timedelta(0) if traits.occurred_at is None else _END_OF_TIME - traits.occurred_at
    rank = found.rank if isinstance(found, Member) else 0
    return undated, age, traits.ref.kind == "ep", not isinstance(found, Member), rank, traits.ref.id


def _roles_by_object(links: Iterable[RecordLink]) -> Mapping[RecordId, Sequence[tuple[Role, RecordId]]]:
    roles: dict[RecordId, list[tuple[Role, RecordId]]] = defaultdict(list)
    for link in links:
        role = _ROLES.get(link.predicate)
        if role is not None:
            roles[link.object].append((role, link.subject))
    return roles
