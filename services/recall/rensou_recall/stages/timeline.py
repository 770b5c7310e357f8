"""What is told in time: the claims of an item that replace or precede each other, the relations of one statement."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from rensou_recall.stages.replacement import REPLACEMENT_PREDICATES
from rensou_recall.types.evidence import Draft, EvidenceTraits, RecordLink, Role
from rensou_recall.types.traverse import TraversedRelation
from rensou_recall.types.validity import MAX_TIMELINE, RelationTimeline, Timeline, TimelineEntry
from rensou_shared.ids import EntityId, RecordId, RecordRef
from rensou_shared.text.normalize import normalize_name

_LINKS: Final = frozenset(REPLACEMENT_PREDICATES) | {Role.TEMPORAL_PREDECESSOR.value}
_BEGINNING = datetime.min.replace(tzinfo=UTC)
_END = datetime.max.replace(tzinfo=UTC)
_Order = tuple[bool, datetime, bool, datetime, bool, datetime, RecordRef | int]


def timeline(entries: Iterable[TimelineEntry]) -> Timeline:
    """The entries in order, the first 32; none when they are fewer than two or nothing is asserted of any."""
    ordered = sorted(entries, key=_order)
    if len(ordered) < 2 or all(entry.validity is None for entry in ordered):
        return Timeline()
    return Timeline(tuple(ordered[:MAX_TIMELINE]), max(len(ordered) - MAX_TIMELINE, 0))


def _order(entry: TimelineEntry) -> _Order:
    """By valid_from (none first), valid_to (none last), when it was recorded (not at all first), ref."""
    validity = entry.validity
    valid_from = None if validity is None else validity.interval.valid_from
    valid_to = None if validity is None else validity.interval.valid_to
    recorded_at = None if validity is None else validity.recorded_at
    return (
        valid_from is not None,
        valid_from or _BEGINNING,
        valid_to is None,
        valid_to or _END,
        recorded_at is not None,
        recorded_at or _BEGINNING,
        entry.ref,
    )


def may_have_timeline(draft: Draft) -> bool:
    """Whether the item has what a timeline needs at least: two claims, and something asserted of one."""
    return len(draft.claims) > 1 and any(claim.validity is not None for claim in draft.claims)


def told_in_time(
    draft: Draft,
    links: Iterable[RecordLink],
    same_caller_id: Iterable[Sequence[RecordId]],
    traits: Mapping[RecordId, EvidenceTraits],
) -> Timeline:
    """The timeline of the draft's claims that replace or precede each other, or have a caller id in common."""
    claims = {claim.ref.id for claim in draft.claims}
    told: set[RecordId] = set()
    for link in links:
        if link.predicate in _LINKS and {link.subject, link.object} <= claims:
            told |= {link.subject, link.object}
    for group in same_caller_id:
        mine = claims.intersection(group)
        told |= mine if len(mine) > 1 else set()
    return timeline(TimelineEntry(traits[one].ref, traits[one].validity) for one in told)


def relation_timelines(relations: Iterable[TraversedRelation]) -> tuple[RelationTimeline, ...]:
    """What is said of one subject by one predicate, in time; by subject, then predicate."""
    said: dict[tuple[EntityId, str], list[TimelineEntry]] = defaultdict(list)
    for one in relations:
        said[one.subject, normalize_name(one.predicate)].append(TimelineEntry(one.id, one.validity))
    found = ((subject, predicate, timeline(said[subject, predicate])) for subject, predicate in sorted(said))
    return tuple(RelationTimeline(*one) for one in found if one[2].entries)
