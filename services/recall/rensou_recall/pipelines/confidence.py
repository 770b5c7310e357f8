"""Confidence in the records of an answer: read once for all of them, judged one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rensou_recall.pipelines.standing import edges_at, load_standings
from rensou_recall.stages.confidence import judge_confidence
from rensou_recall.stages.standing import Standings
from rensou_recall.store.confidence import load_attestations
from rensou_recall.types.confidence import MemoryConfidence, Standpoint, Witness
from rensou_recall.types.evidence import Draft
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.standing import Standing
from rensou_recall.types.validity import Validity
from rensou_shared.db.pool import Connection
from rensou_shared.ids import RecordId, RecordRef
from rensou_shared.scope import ReadScope

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A readable record whose confidence is asked for.

    Attributes:
        at: When it happened or was stored, as far as known: it only breaks ties between successors.
        validity: What is asserted of it, seen at the call's instant.
    """

    ref: RecordRef
    at: datetime | None = None
    validity: Validity | None = None


@dataclass(frozen=True, slots=True)
class Confidences:
    """The confidence in each record of which anything is said, and where each record comes from, as far as known."""

    of: Mapping[RecordId, MemoryConfidence]
    origins: Mapping[RecordId, Witness]


async def load_confidences(
    connection: Connection,
    scope: ReadScope,
    records: Sequence[Weighed],
    valid_at: datetime | None = None,
    *,
    with_origins: bool = False,
) -> Confidences:
    """The confidence in `records`, as one who reads `scope` sees it.

    One statement for all of them and, where any has a role towards another record, those that tell their standing.
    """
    if not records:
        return Confidences({}, {})
    ids = [one.ref.id for one in records]
    attestations = await load_attestations(connection, scope, ids, valid_at, with_origins=with_origins)
    known = [one for one in records if one.ref.id in attestations]
    starts = [(one.ref, one.at or _LONG_AGO) for one in known if attestations[one.ref.id].has_role]
    standings: Standings = await load_standings(connection, scope, starts, edges_at(valid_at)) if starts else {}
    judged = (
        (one, judge_confidence(attestations[one.ref.id], _standpoint(standings.get(one.ref.id), one.validity)))
        for one in known
    )
    return Confidences(
        {one.ref.id: found for one, found in judged if found is not None},
        {number: attestation.claim for number, attestation in attestations.items()},
    )


def _standpoint(standing: Standing | None, validity: Validity | None) -> Standpoint:
    state = None if validity is None else validity.state
    if standing is None:
        return Standpoint(validity=state)
    return Standpoint(
        replaced_by=tuple(one.ref for one in standing.successors) if standing.is_replaced else None,
        contradicted_by=tuple(one.ref for one in standing.contradictions),
        qualified_by=standing.qualified_by,
        validity=state,
    )


def weighed_record(record: StoredRecord) -> Weighed:
    """A record that was read, to be weighed."""
    return Weighed(record.ref, record.occurred_at or record.created_at, record.validity)


async def weigh_drafts(
    connection: Connection,
    scope: ReadScope,
    drafts: Sequence[Draft],
    valid_at: datetime | None = None,
    *,
    with_origins: bool = False,
) -> tuple[tuple[Draft, ...], Confidences]:
    """The drafts with the confidence in each claim; neither their order nor what is quoted of them changes."""
    weighed = [Weighed(claim.ref, claim.as_of, claim.validity) for draft in drafts for claim in draft.claims]
    found = await load_confidences(connection, scope, weighed, valid_at, with_origins=with_origins)
    return tuple(
        replace(
            draft,
            claims=tuple(replace(claim, confidence=found.of.get(claim.ref.id)) for claim in draft.claims),
        )
        for draft in drafts
    ), found
