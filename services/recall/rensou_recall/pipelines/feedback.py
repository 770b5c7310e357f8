"""The log of recalls that asked for it, reports on them, and what the reports say."""

import secrets
from collections.abc import Sequence

from prometheus_client import Counter

from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.standing import load_standings, starts_of
from rensou_recall.stages.feedback import judge_use
from rensou_recall.store.feedback import count_uses, hold_recall, load_worst, save_recall, save_reports
from rensou_recall.store.records import load_records
from rensou_recall.types.call import Call
from rensou_recall.types.feedback import Diagnostics, FailureCode, LoggedRecall, StageRefs, UseDrop, UseReport, Verdict
from rensou_recall.types.records import LoweredBound, StoredRecord
from rensou_recall.types.retrieved import Retrieved
from rensou_shared.db.pool import Connection
from rensou_shared.errors import RensouError
from rensou_shared.ids import AgentId, RecordId
from rensou_shared.scope import ReadScope

UNLOGGED = Counter("rensou_recalls_unlogged", "Recalls that asked for a report and could not be put on record.")
_LONGEST_WRITE_S = 1.0
_WRITE_SHARE = 0.5
"""Of what is left of a call: the answer itself has to go out."""

Asked = Sequence[UseReport | UseDrop]
Judged = Sequence[FailureCode | UseDrop]


def logged_recall(found: Retrieved, returned: tuple[RecordId, ...]) -> LoggedRecall:
    """What retrieval found and the answer returned."""
    return LoggedRecall(found.degradation is not None, found.stages or StageRefs((), (), (), ()), returned)


async def log_recall(deps: Deps, call: Call, scope: ReadScope, method: str, logged: LoggedRecall) -> str:
    """Puts a recall on record and returns its id; '' when that did not work, which costs the answer nothing else."""
    recall_id = secrets.token_hex(16)
    time_s = min(call.remaining_s() * _WRITE_SHARE, _LONGEST_WRITE_S)
    try:
        async with deps.database.transaction(scope.agent_id, time_s) as connection:
            await save_recall(connection, scope, recall_id, method, logged)
    except RensouError:
        UNLOGGED.inc()
        return ""
    return recall_id


async def report_use(deps: Deps, call: Call, agent_id: AgentId, recall_id: str, items: Asked) -> Judged:
    """What became of each verdict, in order: kept with what went wrong, or dropped.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: As their names say; nothing was kept.
    """

    async def work(connection: Connection) -> Judged:
        logged = await hold_recall(connection, agent_id, recall_id)
        if logged is None:
            return [one if isinstance(one, UseDrop) else UseDrop.UNKNOWN_RECALL for one in items]
        reports = [one for one in items if isinstance(one, UseReport)]
        scope = ReadScope(agent_id)
        records = await load_records(connection, scope, [one.ref.id for one in reports])
        known = {one.ref: one.verdict for one in reports if _is_known(one, records)}
        wrong = [records[ref.id] for ref, verdict in known.items() if verdict is Verdict.WRONG]
        stale = await _find_stale(connection, scope, wrong) if wrong else set[RecordId]()
        judged = {ref.id: (verdict, judge_use(logged, ref.id, verdict, stale)) for ref, verdict in known.items()}
        codes = await save_reports(connection, agent_id, recall_id, judged) if judged else {}
        return [_result(one, codes) for one in items]

    return await deps.database.write(agent_id, call.remaining_s(), work)


async def _find_stale(connection: Connection, scope: ReadScope, records: Sequence[StoredRecord]) -> set[RecordId]:
    """Those of `records` that do not hold any more: another has replaced them."""
    standings = await load_standings(connection, scope, starts_of(records))
    return {number for number, standing in standings.items() if standing.is_replaced}


def _is_known(report: UseReport, records: dict[RecordId, StoredRecord]) -> bool:
    return report.ref.id in records and records[report.ref.id].ref == report.ref


def _result(item: UseReport | UseDrop, codes: dict[RecordId, FailureCode]) -> FailureCode | UseDrop:
    return item if isinstance(item, UseDrop) else codes.get(item.ref.id, UseDrop.UNKNOWN_RECORD)


async def diagnose(
    deps: Deps, call: Call, agent_id: AgentId, project_id: str | None, months: int, lowered: Sequence[LoweredBound]
) -> Diagnostics:
    """What the agent's reports say.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    async with deps.database.transaction(agent_id, call.remaining_s()) as connection:
        counts, omitted = await count_uses(connection, agent_id, project_id, months)
        worst = await load_worst(connection, agent_id, project_id, months)
    return Diagnostics(tuple(counts), omitted, tuple(worst), tuple(lowered))
