"""What the stages of a recall found, and what went wrong with it by what was reported."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from rensou_recall.types.feedback import FailureCode, LoggedRecall, StageRefs, Verdict
from rensou_recall.types.retrieval import Arm, Ranked
from rensou_shared.ids import RecordId


def stage_refs(ranked: Sequence[Ranked], admitted: Sequence[Ranked]) -> StageRefs:
    """The candidates by the arms that found them, and those that the gate refused; each in the ranking's order."""
    passed = {one.record_id for one in admitted}
    by_arm = {arm: tuple(one.record_id for one in ranked if _found_by(one, arm)) for arm in (Arm.VECTOR, Arm.LEXICAL)}
    found = {number for numbers in by_arm.values() for number in numbers}
    return StageRefs(
        vector=by_arm[Arm.VECTOR],
        lexical=by_arm[Arm.LEXICAL],
        other=tuple(one.record_id for one in ranked if one.record_id not in found),
        refused=tuple(one.record_id for one in ranked if one.record_id not in passed),
    )


def _found_by(one: Ranked, arm: Arm) -> bool:
    return any(vote.arm is arm and vote.rank is not None for vote in one.votes)


def judge_use(logged: LoggedRecall, record_id: RecordId, verdict: Verdict, stale: AbstractSet[RecordId]) -> FailureCode:
    """What went wrong with one record; the first rule that fits.

    That all which was reported of a recall is unused is no matter of one report, and judged where all are at hand.
    """
    if logged.degraded:
        return FailureCode.SYSTEM_DEGRADED
    if verdict is Verdict.WRONG:
        return FailureCode.STALE_CONFLICT if record_id in stale else FailureCode.UNATTRIBUTED
    if verdict is Verdict.UNUSED or record_id in logged.returned:
        return FailureCode.NONE
    if record_id not in logged.stages.found:
        return FailureCode.CANDIDATE_MISS
    return FailureCode.FILTER_DROP if record_id in logged.stages.refused else FailureCode.RANKING_MISS
