"""The reconciler's passes. Each is safe to run beside another reconciler's."""

from rensou_nodeworker.metrics import (
    BUILDS_OF_STATE,
    FOLDED_DELTAS,
    LEASE_EXPIRIES,
    OLDEST_PENDING_SECONDS,
    TRIMMED_RECALLS,
)
from rensou_nodeworker.stages.verdict import MAX_CRASHES
from rensou_nodeworker.store.builds import expire_leases, load_builds_overview, mark_hinted, prune_builds
from rensou_nodeworker.store.sweeps import (
    delete_empty_counts,
    delete_empty_frequencies,
    fold_term_deltas,
    load_agents_to_fold,
    trim_recall_logs,
    try_lock,
)
from rensou_nodeworker.types.overview import Folded
from rensou_shared.db.pool import Connection, Database
from rensou_shared.ids import AgentId
from rensou_shared.jobs.hints import HintSender
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

PASS_TIMEOUT_S = 30.0
KEEP_ENDED_S = 7 * 24 * 3600.0
HINT_QUIET_S = 5.0

# Workers drain what is due once they are awake: a few hints wake all of them, and more only fill Redis.
_HINTS_A_PASS = 50
ENOUGH_HINTS = 200
"""Waiting hints with which a pass adds none."""

_EXPIRED_ROWS = 500
_PRUNED_ROWS = 5_000
_TRIMMED_AGENTS = 100
_TRIMMED_ROWS = 1_000
_FOLDED_AGENTS = 100
_FOLDED_ROWS = 500
_FOLDS_AN_AGENT = 20


class Upkeep:
    """The passes over one database."""

    def __init__(self, database: Database, hints: HintSender) -> None:
        self._database = database
        self._hints = hints
        self._trimmed_to = AgentId("")

    async def expire(self) -> None:
        """Takes builds back whose worker is gone."""
        async with self._database.transaction(None, PASS_TIMEOUT_S) as connection:
            expired = await expire_leases(connection, MAX_CRASHES, _EXPIRED_ROWS)
        for build_id, state in expired:
            LEASE_EXPIRIES.inc()
            _log.error("build_lease_expired", build=build_id, state=state.value)

    async def hint(self) -> None:
        """Wakes workers for what is due, while few hints wait; while Redis takes nothing, they look by themselves."""
        waiting = await self._hints.depth()
        if waiting is None or waiting >= ENOUGH_HINTS:
            return
        async with self._database.transaction(None, PASS_TIMEOUT_S) as connection:
            hints = await mark_hinted(connection, HINT_QUIET_S, _HINTS_A_PASS)
        for hint in hints:
            if not await self._hints.send(hint):
                return

    async def fold(self) -> None:
        """Folds term deltas into document frequencies, agent by agent, until none is left or the bound is reached."""
        async with self._database.transaction(None, PASS_TIMEOUT_S) as connection:
            agents = await load_agents_to_fold(connection, _FOLDED_AGENTS)
        for agent_id in agents:
            await self._fold_agent(agent_id)

    async def _fold_agent(self, agent_id: AgentId) -> None:
        async def work(connection: Connection) -> Folded:
            # Two folds of one agent would lock the same frequencies; the other one is at it already.
            if not await try_lock(connection, f"rensou.fold:{agent_id}"):
                return Folded(0, [], False)
            folded = await fold_term_deltas(connection, agent_id, _FOLDED_ROWS)
            if folded.empty_slots:
                await delete_empty_frequencies(connection, agent_id, folded.empty_slots)
            if folded.any_empty_project:
                await delete_empty_counts(connection, agent_id)
            return folded

        for _ in range(_FOLDS_AN_AGENT):
            folded = await self._database.write(agent_id, PASS_TIMEOUT_S, work)
            FOLDED_DELTAS.inc(folded.deltas)
            if folded.deltas < _FOLDED_ROWS:
                return

    async def prune(self) -> None:
        """Forgets builds that ended well more than a week ago."""
        async with self._database.transaction(None, PASS_TIMEOUT_S) as connection:
            await prune_builds(connection, KEEP_ENDED_S, _PRUNED_ROWS)

    async def trim(self) -> None:
        """Takes old recalls off the record, some agents a pass, all of them in turn."""
        async with self._database.transaction(None, PASS_TIMEOUT_S) as connection:
            last, trimmed = await trim_recall_logs(connection, self._trimmed_to, _TRIMMED_AGENTS, _TRIMMED_ROWS)
        TRIMMED_RECALLS.inc(trimmed)
        self._trimmed_to = AgentId("") if last is None else last

    async def measure(self) -> None:
        """Sets the gauges of builds."""
        async with self._database.transaction(None, PASS_TIMEOUT_S) as connection:
            overview = await load_builds_overview(connection)
        BUILDS_OF_STATE.labels("pending").set(overview.pending)
        BUILDS_OF_STATE.labels("quarantined").set(overview.quarantined)
        BUILDS_OF_STATE.labels("running").set(overview.running)
        BUILDS_OF_STATE.labels("dead").set(overview.dead)
        BUILDS_OF_STATE.labels("rebuild").set(overview.rebuilds)
        OLDEST_PENDING_SECONDS.set(overview.oldest_pending_s)
