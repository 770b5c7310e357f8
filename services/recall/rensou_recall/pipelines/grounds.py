"""Grounds that a record does not hold itself, each behind a port of its own."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from rensou_recall.pipelines.confidence import load_confidences, weighed_record
from rensou_recall.pipelines.standing import load_standings
from rensou_recall.stages.retention import judge, wanted
from rensou_recall.stages.standing import is_replacement
from rensou_recall.store.feedback import count_reports, load_last_recalls
from rensou_recall.store.records import load_records
from rensou_recall.store.retention import find_past
from rensou_recall.store.standing import load_role_edges
from rensou_recall.types.feedback import Verdict
from rensou_recall.types.retention import Ground, Match, Policy, RetentionFacts, RetentionTest
from rensou_shared.db.pool import Connection
from rensou_shared.ids import RecordId

_STANDINGS = 64
"""Records whose standing is read at once."""
_SHOWN = 8


class GroundPort(Protocol):
    """What is found about records for one test; a record that does not meet it has no entry."""

    async def __call__(
        self, connection: Connection, policy: Policy, facts: Sequence[RetentionFacts]
    ) -> Mapping[RecordId, Ground]:
        """The grounds, read in one statement or two for all records at once."""
        ...


async def find_replaced(
    connection: Connection, policy: Policy, facts: Sequence[RetentionFacts]
) -> dict[RecordId, Ground]:
    """Which records are replaced, and by whom: read for those alone that a replacement has as its object."""
    scope = policy.key.reads
    at = {one.ref.id: (one.ref, one.created_at) for one in facts}
    edges = await load_role_edges(connection, scope, at)
    starts = sorted({edge.object for edge in edges if is_replacement(edge) and edge.object.id in at})
    grounds: dict[RecordId, Ground] = {}
    for first in range(0, len(starts), _STANDINGS):
        batch = starts[first : first + _STANDINGS]
        standings = await load_standings(connection, scope, [at[ref.id] for ref in batch])
        for ref in batch:
            standing = standings.get(ref.id)
            if standing is not None and standing.is_replaced:
                by = tuple(sorted(one.ref for one in standing.successors)[:_SHOWN])
                grounds[ref.id] = Ground(RetentionTest.STATE_REPLACED, "replaced", by)
    return grounds


async def find_untrue(
    connection: Connection, policy: Policy, facts: Sequence[RetentionFacts]
) -> dict[RecordId, Ground]:
    """Which records are asserted to be true no more, and until when they were."""
    past = await find_past(connection, policy.key.scope.agent_id, [one.ref.id for one in facts])
    return {number: Ground(RetentionTest.VALIDITY_PAST, until.isoformat()) for number, until in past.items()}


async def find_unrecalled(
    connection: Connection, policy: Policy, facts: Sequence[RetentionFacts]
) -> dict[RecordId, Ground]:
    """Which records stood already and were returned by no recall on record since."""
    days = timedelta(days=policy.tests.not_recalled_days or 0)
    old = [one for one in facts if one.now - one.created_at > days]
    last = await load_last_recalls(connection, policy.key.scope.agent_id, [one.ref.id for one in old])
    ages = {one.ref.id: one.now - last[one.ref.id] if one.ref.id in last else None for one in old}
    return {
        number: Ground(RetentionTest.NOT_RECALLED_DAYS, "never" if age is None else str(age.days))
        for number, age in ages.items()
        if age is None or age > days
    }


async def find_doubtful(
    connection: Connection, policy: Policy, facts: Sequence[RetentionFacts]
) -> dict[RecordId, Ground]:
    """Which records are grounded so badly."""
    most = (policy.tests.confidence_at_most or 1) - 1
    # Whether a record is true now is a ground of its confidence.
    records = await load_records(connection, policy.key.reads, [one.ref.id for one in facts])
    weighed = [weighed_record(one) for one in records.values()]
    found = (await load_confidences(connection, policy.key.reads, weighed)).of
    return {
        number: Ground(RetentionTest.CONFIDENCE_AT_MOST, str(one.points))
        for number, one in found.items()
        if one.points <= most
    }


async def find_wrong(connection: Connection, policy: Policy, facts: Sequence[RetentionFacts]) -> dict[RecordId, Ground]:
    """Which records were reported wrong so often."""
    counts = await count_reports(connection, policy.key.scope.agent_id, Verdict.WRONG, [one.ref.id for one in facts])
    return _often(RetentionTest.WRONG_REPORTS_AT_LEAST, counts, policy.tests.wrong_reports_at_least)


async def find_unused(
    connection: Connection, policy: Policy, facts: Sequence[RetentionFacts]
) -> dict[RecordId, Ground]:
    """Which records were reported unused so often."""
    counts = await count_reports(connection, policy.key.scope.agent_id, Verdict.UNUSED, [one.ref.id for one in facts])
    return _often(RetentionTest.UNUSED_REPORTS_AT_LEAST, counts, policy.tests.unused_reports_at_least)


def _often(test: RetentionTest, counts: Mapping[RecordId, int], least: int | None) -> dict[RecordId, Ground]:
    return {number: Ground(test, str(count)) for number, count in counts.items() if count >= (least or 1)}


PORTS: Mapping[RetentionTest, GroundPort] = {
    RetentionTest.NOT_RECALLED_DAYS: find_unrecalled,
    RetentionTest.STATE_REPLACED: find_replaced,
    RetentionTest.VALIDITY_PAST: find_untrue,
    RetentionTest.CONFIDENCE_AT_MOST: find_doubtful,
    RetentionTest.WRONG_REPORTS_AT_LEAST: find_wrong,
    RetentionTest.UNUSED_REPORTS_AT_LEAST: find_unused,
}


async def match(connection: Connection, policy: Policy, facts: Sequence[RetentionFacts]) -> list[Match]:
    """Those of the records that meet the policy, in their order, with the grounds."""
    looked = {
        test: await PORTS[test](connection, policy, facts) for test in wanted(policy.tests) if test in PORTS and facts
    }
    matches: list[Match] = []
    for one in facts:
        found = {test: grounds[one.ref.id] for test, grounds in looked.items() if one.ref.id in grounds}
        grounds = judge(policy.tests, one, found)
        if grounds is not None:
            matches.append(Match(one.ref, one.created_at, grounds))
    return matches
