"""The reconciler's passes. Each is safe to run beside another reconciler's."""

import asyncio
from collections import defaultdict

from rensou_nodeworker.metrics import (
    BUILDS_ASKED,
    BUILDS_OF_STATE,
    FOLDED_DELTAS,
    LEASE_EXPIRIES,
    OLDEST_PENDING_SECONDS,
)
from rensou_nodeworker.stages.verdict import MAX_CRASHES
from rensou_nodeworker.store.builds import expire_leases, load_builds_overview, mark_hinted, prune_builds
from rensou_nodeworker.store.models import load_models
from rensou_nodeworker.store.sweeps import (
    START,
    delete_empty_counts,
    delete_empty_frequencies,
    enqueue_builds,
    fold_term_deltas,
    load_agents_to_fold,
    load_lacking,
    try_lock,
)
from rensou_nodeworker.types.derived import Model
from rensou_nodeworker.types.overview import Folded
from rensou_shared.db.pool import Connection, Database
from rensou_shared.ids import AgentId, RecordId
from rensou_shared.jobs.hints import HintSender
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

PASS_TIMEOUT_S = 30.0
SWEEP_TIMEOUT_S = 120.0
KEEP_ENDED_S = 7 * 24 * 3600.0
HINT_QUIET_S = 5.0

# Workers drain what is due once they are awake: a few hints wake all of them.
_HINTS_A_PASS = 50
_EXPIRED_ROWS = 500
# About 10 ms of the database.
_SWEPT_ROWS = 2_000
_FIRST_ROUND = 10.0
_PRUNED_ROWS = 5_000
_FOLDED_AGENTS = 100
_FOLDED_ROWS = 500
_FOLDS_AN_AGENT = 20


class Upkeep:
    """The passes over one database; a sweep ends with the look that is under way after `sweep_s`."""

    def __init__(self, database: Database, hints: HintSender, sweep_s: float = 0.3) -> None:
        self._database = database
        self._hints = hints
        self._sweep_s = sweep_s
        self._place = START
        self._model: Model | None = None
        self._seen_all = False

    async def expire(self) -> None:
        """Takes builds back whose worker is gone."""
        async with self._database.transaction(None, PASS_TIMEOUT_S) as connection:
            expired = await expire_leases(connection, MAX_CRASHES, _EXPIRED_ROWS)
        for build_id, state in expired:
            LEASE_EXPIRIES.inc()
            _log.error("build_lease_expired", build=build_id, state=state.value)

    async def hint(self) -> None:
        """Wakes workers for what is due; while Redis takes nothing, they look by themselves."""
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

    async def sweep(self) -> None:
        """Asks for builds of records that lack something and have none: the outbox did not hold them.

        Goes through all records in rounds, on from where the former sweep ended, and takes no longer for more records.
        The first round under a model takes its time: it may have been activated although records lacked something.
        """
        now = asyncio.get_running_loop().time
        began_at = now()
        while await self._sweep_some():
            if now() - began_at >= self._sweep_s * (1.0 if self._seen_all else _FIRST_ROUND):
                return

    async def _sweep_some(self) -> bool:
        """Whether there may be more to look at: False at the end of a round."""
        lacking: dict[AgentId, list[RecordId]] = defaultdict(list)
        async with self._database.transaction(None, SWEEP_TIMEOUT_S) as connection:
            if not await try_lock(connection, "rensou.sweep"):
                return False
            model = (await load_models(connection)).active
            if model is None:  # no embedding server was ever met; what is stored meanwhile waits in the outbox
                return False
            if model != self._model:
                self._model, self._place, self._seen_all = model, START, False
            records, last = await load_lacking(connection, model, self._place, _SWEPT_ROWS)
        for agent_id, record_id in records:
            lacking[agent_id].append(record_id)
        for agent_id, record_ids in lacking.items():
            await self._ask_builds(agent_id, record_ids, model)
        if last is None:
            self._place, self._seen_all = START, True
            return False
        self._place = last
        return True

    async def _ask_builds(self, agent_id: AgentId, record_ids: list[RecordId], model: Model) -> None:
        async def work(connection: Connection) -> int:
            return await enqueue_builds(connection, agent_id, record_ids, model, rebuild=False)

        asked = await self._database.write(agent_id, PASS_TIMEOUT_S, work)
        BUILDS_ASKED.inc(asked)
        if asked:
            _log.info("builds_asked", agent=agent_id, builds=asked)

    async def prune(self) -> None:
        """Forgets builds that ended well more than a week ago."""
        async with self._database.transaction(None, PASS_TIMEOUT_S) as connection:
            await prune_builds(connection, KEEP_ENDED_S, _PRUNED_ROWS)

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
