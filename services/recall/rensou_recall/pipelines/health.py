"""CheckHealth: the checks of one agent's data, and of what the service depends on."""

from dataclasses import dataclass

from rensou_recall.pipelines.consistency import CONSISTENCY_CHECKS, check_associations
from rensou_recall.pipelines.deps import Deps
from rensou_recall.store.feedback import count_old_recalls
from rensou_recall.store.health import count_records, find_lacking, queue_builds
from rensou_recall.types.call import Call
from rensou_recall.types.health import DependencyState, Finding, HealthAnswer, Lacking, Severity
from rensou_shared.db.pool import Connection
from rensou_shared.domain import RECALL_LOG_KEEP_S
from rensou_shared.embedding.health import HealthReport, HealthState
from rensou_shared.ids import AgentId, BuildId
from rensou_shared.jobs.hints import BuildHint

REPAIRED_PER_CALL = 50
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class _Check:
    """A statement that finds records, and what its findings mean."""

    name: str
    statement: str
    severity: Severity
    message: str


_CHECKS = (
    _Check("dead_builds", "find_dead_builds", Severity.WARNING, "the worker has given up on these records"),
    _Check("missing_nodes", "find_missing_nodes", Severity.INFO, "long records are quoted from their start"),
    _Check(
        "missing_vectors",
        "find_missing_vectors",
        Severity.INFO,
        "only the lexical arm finds these records; whether they are long is not known yet",
    ),
)
_UNKNOWN = "of {} records nobody has counted the tokens, so that they may be longer than the window"
_LOGS = "logs_past_age"
_LOG_GRACE_S = 24 * 3600.0
"""What the reconciler may be late with."""

CHECK_NAMES = tuple(sorted((*(check.name for check in _CHECKS), *CONSISTENCY_CHECKS, _LOGS)))


async def check_health(deps: Deps, call: Call, agent_id: AgentId, *, repair: bool) -> HealthAnswer:
    """The findings about the agent's data; with `repair`, up to 50 records a check are queued for the worker.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: As their names say.
    """

    async def work(connection: Connection) -> tuple[list[Finding], int, list[BuildId]]:
        findings: list[Finding] = []
        queued: list[BuildId] = []
        for check in _CHECKS:
            found = await find_lacking(connection, check.statement, agent_id, _SHOWN, REPAIRED_PER_CALL)
            builds: list[BuildId] = []
            if repair and found.ask:
                builds = await queue_builds(connection, agent_id, found.ask)
            queued += builds
            findings += _finding(check, found, len(builds))
        findings += await check_associations(connection, agent_id, _SHOWN)
        findings += await _old_logs(connection, agent_id)
        return findings, await count_records(connection, agent_id), queued

    findings, records, queued = await deps.database.write(agent_id, call.remaining_s(), work)
    for build_id in queued:
        await deps.hints.send(BuildHint(agent_id, build_id, 0))
    findings.sort(key=lambda f: (-f.severity, f.check))
    return HealthAnswer(tuple(findings), await _dependencies(deps), CHECK_NAMES, records)


def _finding(check: _Check, found: Lacking, queued: int) -> list[Finding]:
    if not found.count and not found.unknown:
        return []
    parts = [check.message] if found.count else []
    parts += [_UNKNOWN.format(found.unknown)] if found.unknown else []
    return [
        Finding(
            check=check.name,
            severity=check.severity,
            count=found.count,
            repairable=len(found.ask),
            queued=queued,
            message="; ".join(parts),
            refs=tuple(str(ref) for ref in found.refs),
            unknown=found.unknown,
            waiting=found.waiting,
            remaining=max(found.askable - queued, 0),
            episodes=found.episodes,
        )
    ]


async def _old_logs(connection: Connection, agent_id: AgentId) -> list[Finding]:
    count = await count_old_recalls(connection, agent_id, RECALL_LOG_KEEP_S + _LOG_GRACE_S)
    message = "recalls are on record for more than 90 days: no reconciler takes them off"
    return [Finding(_LOGS, Severity.WARNING, count, 0, 0, message, ())] if count else []


async def _dependencies(deps: Deps) -> tuple[DependencyState, ...]:
    redis_fault = await deps.hints.fault()
    states = [
        _server("embedding", deps.embedder.health),
        # The checks were read from it.
        _seen(deps, "postgres", None),
        _seen(deps, "redis", redis_fault),
    ]
    if deps.reranker is not None:
        states.append(_server("reranker", deps.reranker.server.health.report))
    return tuple(sorted(states, key=lambda state: state.name))


def _seen(deps: Deps, name: str, fault: str | None) -> DependencyState:
    healthy = fault is None
    return DependencyState(name, healthy, fault or "", deps.seen.note(name, healthy=healthy))


def _server(name: str, report: HealthReport) -> DependencyState:
    return DependencyState(name, report.state is not HealthState.FAULT, report.reason, report.since)
