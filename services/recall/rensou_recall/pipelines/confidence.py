"""Confidence in the records of an answer: read once for all of them, judged one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from rensou_recall.pipelines.standing import load_standings
from rensou_recall.stages.confidence import judge_confidence
from rensou_recall.stages.standing import Standings
from rensou_recall.store.confidence import load_testimonies
from rensou_recall.types.confidence import MemoryConfidence, Standpoint, Witness
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
    at: datetime | None
    validity: Validity | None


@dataclass(frozen=True, slots=True)
class Confidences:
    """The confidence in each record of which anything is said, and where every record comes from that was looked up."""

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
    """The confidence in `records`, as one who reads `scope` sees it: one statement, and their standing where any of them
    has a role towards another."""
    if not records:
        return Confidences({}, {})
    testimonies = await load_testimonies(
        connection, scope, [one.ref.id for one in records], valid_at, with_origins=with_origins
    )
    related = [one for one in records if one.ref.id in testimonies and testimonies[one.ref.id].has_role]
    starts = [(one.ref, one.at or _LONG_AGO) for one in related]
    standings: Standings = await load_standings(connection, scope, starts) if starts else {}
    judged = {
        one.ref.id: judge_confidence(testimonies[one.ref.id], _standpoint(standings.get(one.ref.id), one.validity))
        for one in records
        if one.ref.id in testimonies
    }
    return Confidences(
        {number: found for number, found in judged.items() if found is not None},
        {number: one.claim for number, one in testimonies.items()},
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
