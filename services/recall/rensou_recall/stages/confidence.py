"""Confidence: points from what callers have said about a record, each with its ground. Whole numbers only.

It stands beside relevance: nothing is ordered, admitted or left out by it.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from rensou_recall.types.certainty import Certainty
from rensou_recall.types.confidence import (
    Attestation,
    Ground,
    GroundFound,
    Level,
    MemoryConfidence,
    Origin,
    Standpoint,
    Sufficiency,
    Witness,
)
from rensou_recall.types.interval import ValidityState
from rensou_shared.ids import RecordRef

_STATED: Final[Mapping[Certainty | None, tuple[int, int]]] = {
    None: (0, 2),
    Certainty.SURE: (1, 3),
    Certainty.LIKELY: (2, 2),
    Certainty.VAGUE: (3, 1),
}
_OUTSIDE: Final[Mapping[ValidityState, int]] = {ValidityState.PAST: 2, ValidityState.FUTURE: 3}
_MANY_GROUPS: Final = 3
_HIGHEST: Final = max(level.value for level in Level)
# One of these is the reason why nothing else counts.
_FORCED: Final = (Ground.REPLACED, Ground.NOT_VALID)


def judge_confidence(attestation: Attestation, standpoint: Standpoint) -> MemoryConfidence | None:
    """The confidence in a record; None when nothing is said about it: no certainty, no validity, no role."""
    if attestation.certainty is None and standpoint.validity is None and not attestation.has_role:
        return None
    grounds = tuple(_grounds(attestation, standpoint))
    is_forced = any(found.ground in _FORCED for found in grounds)
    points = 0 if is_forced else sum(found.points for found in grounds)
    return MemoryConfidence(min(max(points, 0), _HIGHEST), grounds, attestation.supports_cut)


def _grounds(attestation: Attestation, standpoint: Standpoint) -> list[GroundFound]:
    value, points = _STATED[attestation.certainty]
    grounds = [GroundFound(Ground.STATED, value, points)]
    if groups := independent_groups(attestation.claim, attestation.supporters):
        grounds.append(_counted(Ground.CORROBORATED, groups, 2 if len(groups) >= _MANY_GROUPS else 1))
    if standpoint.contradicted_by:
        grounds.append(_counted(Ground.CONTRADICTED, standpoint.contradicted_by, -1))
    if standpoint.qualified_by:
        grounds.append(_counted(Ground.QUALIFIED, standpoint.qualified_by, 0))
    if _is_anonymous(attestation.claim.origin):
        grounds.append(GroundFound(Ground.ANONYMOUS, 1, -1))
    if standpoint.replaced_by is not None:
        grounds.append(_counted(Ground.REPLACED, standpoint.replaced_by, 0))
    if standpoint.validity in _OUTSIDE:
        grounds.append(GroundFound(Ground.NOT_VALID, _OUTSIDE[standpoint.validity], 0))
    return grounds


def _counted(ground: Ground, refs: Sequence[RecordRef], points: int) -> GroundFound:
    return GroundFound(ground, len(refs), points, tuple(sorted(refs)))


def independent_groups(claim: Witness, supporters: Sequence[Witness]) -> tuple[RecordRef, ...]:
    """The first record of every connected group of `supporters` that the claim is no part of, in order."""
    witnesses = [claim, *sorted(supporters, key=lambda one: one.ref)]
    groups = list(range(len(witnesses)))
    for (one, left), (other, right) in combinations(enumerate(witnesses), 2):
        if groups[one] != groups[other] and share_origin(left.origin, right.origin):
            low, high = sorted((groups[one], groups[other]))
            groups = [low if group == high else group for group in groups]
    # The lowest position names its group; the claim is the first.
    return tuple(witnesses[place].ref for place in sorted(set(groups) - {0}))


def share_origin(one: Origin, other: Origin) -> bool:
    """Whether two records come from one place, so that the second adds no independent word."""
    if _is_anonymous(one) or _is_anonymous(other):
        of_one_source = _is_anonymous(one) and _is_anonymous(other)
    else:
        of_one_source = (one.source_type, one.source_id) == (other.source_type, other.source_id)
    of_one_caller = one.project_id == other.project_id and not one.caller_ids.isdisjoint(other.caller_ids)
    return of_one_source or of_one_caller or not one.episodes.isdisjoint(other.episodes)


def _is_anonymous(origin: Origin) -> bool:
    return origin.source_id == ""


def judge_sufficiency(heads: Sequence[tuple[Witness, MemoryConfidence | None]]) -> Sufficiency:
    """Whether the heads of an answer's items ground it. It stops nothing."""
    rated = [(head, found.points) for head, found in heads if found is not None]
    strong = tuple(head.ref for head, points in rated if points >= Level.HIGH.value)
    if strong:
        return Sufficiency(met=True, heads=strong)
    fair = [head for head, points in rated if points >= Level.MEDIUM.value]
    met = any(not share_origin(one.origin, other.origin) for one, other in combinations(fair, 2))
    return Sufficiency(met, tuple(head.ref for head in fair))
