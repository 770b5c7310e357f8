"""The far list of REACH_WIDE: retired records, ranked among themselves, behind everything else."""

from collections.abc import Mapping

from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.pipelines.gate import Yardstick
from rensou_recall.stages.fuse import fuse
from rensou_recall.stages.gate import gate, open_gate
from rensou_recall.stages.rank import rank
from rensou_recall.store.far import MAX_FAR_RECORDS, FarCandidates, load_retired
from rensou_recall.store.records import load_records
from rensou_recall.types.far import FarList
from rensou_recall.types.gate import Gated
from rensou_recall.types.interval import ValidityState
from rensou_recall.types.reach import Reach
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Admission, GateLevel, Question, Ranked, SampleDigest, VectorQuery
from rensou_shared.db.pool import Connection
from rensou_shared.ids import RecordId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms

MAX_HELD = 2
"""Places held for retired records."""
_UNTRUE = 50
"""How many more are read where some may not be true at the time that is asked for."""


async def search_far(
    connection: Connection,
    scope: ReadScope,
    question: Question,
    nearest: VectorQuery | None,
    sample: SampleDigest,
    measure: tuple[Calibrator, Yardstick],
) -> FarList | None:
    """What is held of the scope's retired records for the question as it was asked; None where none is asked for.

    They are fused among themselves and measured by the live records of `sample`, like every other candidate.
    """
    if question.reach is not Reach.WIDE or question.keep == 0:
        return None
    terms = question_terms(scope.agent_id, question.text)
    found = await load_retired(connection, scope, terms, nearest, question.depth)
    gated = await _gated(connection, scope, question, found, sample, measure)
    most = MAX_HELD + len(question.exclude) + (0 if question.valid_at is None else _UNTRUE)
    best = [one for _, one in zip(range(most), gated.admitted, strict=False)]
    ids = [one.record_id for one in best]
    records = await load_records(connection, scope, ids, question.valid_at) if best else {}
    held = _held(question, best, records)
    searched = min(found.held, MAX_FAR_RECORDS)
    refused = len(found.rows) - len(gated.admitted)
    return FarList(
        held, {one.record_id: records[one.record_id] for one in held}, searched, found.held - searched, refused
    )


async def _gated(
    connection: Connection,
    scope: ReadScope,
    question: Question,
    found: FarCandidates,
    sample: SampleDigest,
    measure: tuple[Calibrator, Yardstick],
) -> Gated:
    ranked = rank(fuse(found.rows, question.fusion))
    if question.gate is GateLevel.OFF or not ranked:
        return open_gate(ranked)
    calibrator, by = measure
    calibration = await calibrator.calibration(connection, scope.agent_id, sample, by.model_id, by.script, by.unrelated)
    return gate(ranked, {one.record_id: one for one in found.rows}, found.shares, calibration, question.gate)


def _held(question: Question, best: list[Ranked], records: Mapping[RecordId, StoredRecord]) -> tuple[Ranked, ...]:
    """The first that are still retired, not excluded, and not asserted to be true at other times alone."""
    there = (
        one
        for one in best
        if one.record_id in records
        and records[one.record_id].retired
        and records[one.record_id].ref not in question.exclude
        and _may_be_true(records[one.record_id], question)
    )
    return tuple(one._replace(admission=Admission.RETIRED) for one, _ in zip(there, range(MAX_HELD), strict=False))


def _may_be_true(record: StoredRecord, question: Question) -> bool:
    is_said = question.valid_at is not None and record.validity is not None
    return not is_said or record.validity is None or record.validity.state is ValidityState.VALID
