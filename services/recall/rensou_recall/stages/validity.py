"""When something is true: intervals are half-open, without an assertion everything may be true at any time."""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain

from rensou_recall.types.evidence import Cluster, EvidenceTraits
from rensou_recall.types.graph import DropReason
from rensou_recall.types.interval import Interval, ValidityState
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Ranked
from rensou_recall.types.validity import (
    MAX_EXCLUDED_BY_VALIDITY,
    Asserted,
    Assertion,
    AssertionAnswer,
    Claimed,
    LeftOut,
    Standing,
    Validity,
    ValidityTarget,
    ValidityWrite,
)
from rensou_shared.ids import RecordId, RecordRef


def holds(validity: Validity | None) -> bool:
    """Whether it may be relied on at its instant: unknown is not untrue."""
    return validity is None or validity.state is ValidityState.VALID


def settle(claimed: Claimed, standing: Interval | None) -> Interval | None:
    """The interval after `claimed`, whose bounds that are left out are those of `standing`; None: it has no instant."""
    kept = standing or Interval()
    settled = Interval(
        None if claimed.without_from else claimed.valid_from or kept.valid_from,
        None if claimed.without_to else claimed.valid_to or kept.valid_to,
    )
    return None if settled.is_empty else settled


def judge_assertions(
    assertions: Sequence[Assertion], standing: Mapping[ValidityTarget, Standing | None]
) -> tuple[list[AssertionAnswer], list[ValidityWrite]]:
    """What becomes of each assertion, in order, and what is to be written: nothing for what stands already.

    `standing` has the targets that the agent has, with what is open of them. The targets are distinct.
    """
    answers: list[AssertionAnswer] = []
    writes: list[ValidityWrite] = []
    for one in assertions:
        if one.target not in standing:
            missing = isinstance(one.target, RecordRef)
            answers.append(DropReason.RECORD_NOT_FOUND if missing else DropReason.RELATION_NOT_FOUND)
            continue
        known = standing[one.target]
        interval = settle(one.claimed, None if known is None else known.interval)
        if interval is None:
            answers.append(DropReason.INVALID_INTERVAL)
            continue
        changed = known is None or known.interval != interval
        answers.append(Asserted(interval, changed))
        if changed:
            writes.append(ValidityWrite(one.target, interval, None if known is None else known.id))
    return answers, writes


def instant_of(records: Iterable[StoredRecord], valid_at: datetime | None) -> datetime | None:
    """The instant at which an answer sees what is asserted: the one asked for, or that of what was read before."""
    return valid_at or next((one.validity.at for one in records if one.validity is not None), None)


def heads_first(
    window: Sequence[Cluster], traits: Mapping[RecordId, EvidenceTraits], replaced: Container[RecordId] = ()
) -> tuple[Cluster, ...]:
    """The clusters, each led by its most relevant member that holds, where it has one; the others keep their order.

    A cluster whose first member does not hold is led by none of `replaced`, which only stand behind their successors.
    """

    def leads(place: int, record_id: RecordId) -> bool:
        return holds(_validity(traits, record_id)) and (place == 0 or record_id not in replaced)

    def led(cluster: Cluster) -> Cluster:
        members = cluster.members
        place = next((i for i, member in enumerate(members) if leads(i, member.record_id)), 0)
        return replace(cluster, members=(members[place], *members[:place], *members[place + 1 :])) if place else cluster

    return tuple(led(cluster) for cluster in window)


def _validity(traits: Mapping[RecordId, EvidenceTraits], record_id: RecordId) -> Validity | None:
    own = traits.get(record_id)
    return None if own is None else own.validity


def passed_over(
    ranked: Iterable[Ranked], outside: Mapping[RecordId, RecordRef], exclude: Collection[RecordRef], places: int
) -> tuple[RecordRef, ...]:
    """The records of `outside` that stand before the place after which `places` others have been met, in order."""
    passed: list[RecordRef] = []
    met = 0
    for one in ranked:
        if met >= places:
            break
        ref = outside.get(one.record_id)
        if ref is None:
            met += 1
        elif ref not in exclude:
            passed.append(ref)
    return tuple(passed)


def join_left_out(*parts: LeftOut) -> LeftOut:
    """All of `parts`, each ref once."""
    refs = dict.fromkeys(chain.from_iterable(one.refs for one in parts))
    return LeftOut(tuple(refs), sum(one.beyond for one in parts))


def cut_left_out(left_out: LeftOut) -> LeftOut:
    """The first 50; what is beyond is counted."""
    beyond = max(len(left_out.refs) - MAX_EXCLUDED_BY_VALIDITY, 0)
    return LeftOut(left_out.refs[:MAX_EXCLUDED_BY_VALIDITY], beyond + left_out.beyond)
