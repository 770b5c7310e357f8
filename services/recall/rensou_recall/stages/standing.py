"""The standing of records: who has replaced whom, by what is declared and nothing else."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from rensou_recall.stages.cycles import relations_in_cycles
from rensou_recall.stages.replacement import REPLACEMENT_PREDICATES
from rensou_recall.types.roles import Role
from rensou_recall.types.standing import MAX_CHAIN, Contradiction, Replaced, RoleEdge, Standing, Successor
from rensou_shared.ids import RecordId, RecordRef

Standings = Mapping[RecordId, Standing]


@dataclass(frozen=True, slots=True)
class _Replacements:
    """Edges by the record that they replace, and by the one that takes the place."""

    of: Mapping[RecordRef, Sequence[RoleEdge]]
    by: Mapping[RecordRef, Sequence[RoleEdge]]


def judge(edges: Iterable[RoleEdge], unread: AbstractSet[RecordRef] = frozenset()) -> dict[RecordId, Standing]:
    """The standing of every record that `edges` name, but the `unread`.

    Edges of a record with itself, and replacements within a strongly connected group, count for nothing. Of a record of
    `unread` it is not known who replaces it: a chain that leads there is cut.
    """
    ordered = sorted((edge for edge in edges if edge.subject != edge.object), key=lambda edge: edge.id)
    replacements = _standing_replacements([edge for edge in ordered if is_replacement(edge)])
    qualifiers: dict[RecordRef, set[RecordRef]] = defaultdict(set)
    contradictions: dict[RecordRef, dict[RecordRef, RoleEdge]] = defaultdict(dict)
    for edge in ordered:
        if edge.role is Role.QUALIFIES:
            qualifiers[edge.object].add(edge.subject)
        elif edge.role is Role.CONTRADICTS and not {edge.subject, edge.object} & replacements.of.keys():
            contradictions[edge.subject].setdefault(edge.object, edge)
            contradictions[edge.object].setdefault(edge.subject, edge)
    named = {ref for edge in ordered for ref in (edge.subject, edge.object)} - unread
    standings: dict[RecordId, Standing] = {}
    for ref in named:
        successors, chain_cut = _successors(ref, replacements, unread)
        standings[ref.id] = Standing(
            is_replaced=bool(replacements.of.get(ref)),
            successors=successors,
            replaces=_replaced(ref, replacements),
            qualified_by=tuple(sorted(qualifiers.get(ref, ()))),
            contradictions=tuple(
                Contradiction(other, edge.id) for other, edge in sorted(contradictions.get(ref, {}).items())
            ),
            chain_cut=chain_cut,
        )
    return standings


def is_replacement(edge: RoleEdge) -> bool:
    """Whether the subject takes the object's place."""
    return edge.role.value in REPLACEMENT_PREDICATES


def _standing_replacements(edges: Sequence[RoleEdge]) -> _Replacements:
    inert = set(relations_in_cycles([(edge.id, edge.subject.id, edge.object.id) for edge in edges]))
    of: dict[RecordRef, list[RoleEdge]] = defaultdict(list)
    by: dict[RecordRef, list[RoleEdge]] = defaultdict(list)
    for edge in edges:
        if edge.id not in inert:
            of[edge.object].append(edge)
            by[edge.subject].append(edge)
    return _Replacements(dict(of), dict(by))


def _successors(
    ref: RecordRef, replacements: _Replacements, unread: AbstractSet[RecordRef]
) -> tuple[tuple[Successor, ...], bool]:
    """Who stands at the ends of the chains from `ref`, in order of their seat; and whether a chain was cut."""
    entering: dict[RecordRef, RoleEdge] = {}
    seen, level, hops = {ref}, {ref}, 0
    while level and hops < MAX_CHAIN:
        steps = [edge for one in level for edge in replacements.of.get(one, ())]
        for edge in steps:
            known = entering.get(edge.subject)
            if known is None or _newness(edge) > _newness(known):
                entering[edge.subject] = edge
        level = {edge.subject for edge in steps} - seen
        seen |= level
        hops += 1
    is_cut = any(replacements.of.get(one) for one in level) or bool(entering.keys() & unread)
    if is_cut:
        return (), True
    ends = [edge for one, edge in entering.items() if not replacements.of.get(one)]
    ends.sort(key=lambda edge: (edge.declared_at, edge.subject_at, edge.subject.id), reverse=True)
    return tuple(Successor(edge.subject, edge.declared_at, edge.role) for edge in ends), False


def _newness(edge: RoleEdge) -> tuple[datetime, int]:
    return edge.declared_at, -edge.id


def _replaced(ref: RecordRef, replacements: _Replacements) -> tuple[Replaced, ...]:
    """What `ref` stands for: nearest first, then newest declared, then ref; each record once."""
    found: list[Replaced] = []
    seen, level = {ref}, [ref]
    for _ in range(MAX_CHAIN):
        steps = [edge for one in level for edge in replacements.by.get(one, ()) if edge.object not in seen]
        newest: dict[RecordRef, RoleEdge] = {}
        for edge in steps:
            known = newest.get(edge.object)
            if known is None or _newness(edge) > _newness(known):
                newest[edge.object] = edge
        order = sorted(newest.values(), key=lambda edge: edge.object)
        order.sort(key=lambda edge: edge.declared_at, reverse=True)
        found += [Replaced(edge.object, edge.subject, edge.declared_at) for edge in order]
        level = list(newest)
        seen |= newest.keys()
    return tuple(found)
