"""Asking for what the next embedding model lacks. Safe to run beside another reconciler's."""

from collections import defaultdict
from collections.abc import Callable
from typing import Final

from rensou_nodeworker.metrics import BUILDS_ASKED, RECORDS_LACKING_NEXT_MODEL
from rensou_nodeworker.pipelines.sweep import SWEEP_TIMEOUT_S
from rensou_nodeworker.pipelines.upkeep import PASS_TIMEOUT_S
from rensou_nodeworker.store.models import count_lacking, load_building_model
from rensou_nodeworker.store.sweeps import START, count_rebuilds, enqueue_builds, load_to_rebuild, try_lock
from rensou_nodeworker.types.derived import Model
from rensou_shared.db.pool import Connection, Database
from rensou_shared.ids import AgentId, RecordId
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

SERVED_WITHIN_S: Final = 120.0
"""A model whose server no worker has met for so long is not built: its builds would only fail."""

# Few enough that a build which is no longer needed is soon met, many enough that workers never wait for the next look.
_WAITING_ROWS = 500
_ASKED_ROWS = 1_000
# A look at every record takes seconds of each million: it may cost this share of the time.
_REST = 10.0


class Rebuild:
    """Goes through all agents' records, place by place, and begins again after a pause when it has seen the last.

    What is done stands in the database alone: a reconciler that starts anew begins at the first record, and soon is
    where the former one was.
    """

    def __init__(self, database: Database, now: Callable[[], float], pause_s: float) -> None:
        self._database = database
        self._now = now
        self._pause_s = pause_s
        self._place = START
        self._model: Model | None = None
        self._resume_at = 0.0
        self._measure_at = 0.0

    async def ask(self) -> None:
        """Asks for rebuilds while few wait."""
        began_at = self._now()
        async with self._database.transaction(None, SWEEP_TIMEOUT_S) as connection:
            model = await self._model_to_build(connection)
            if model is None:
                return
            records = await load_to_rebuild(connection, model, self._place, _ASKED_ROWS)
        lacking: dict[AgentId, list[RecordId]] = defaultdict(list)
        for agent_id, record_id in records:
            lacking[agent_id].append(record_id)
        for agent_id, record_ids in lacking.items():
            await self._ask_builds(agent_id, record_ids, model)
        if len(records) == _ASKED_ROWS:
            self._place = records[-1]
        else:
            self._place, self._resume_at = START, self._rested(began_at)

    async def _model_to_build(self, connection: Connection) -> Model | None:
        """The model to ask for now, or None: another reconciler is at it, there is none, or enough waits."""
        if not await try_lock(connection, "rensou.rebuild"):
            return None
        model = await load_building_model(connection, SERVED_WITHIN_S)
        if model != self._model:
            self._model, self._place, self._resume_at = model, START, 0.0
        if model is None or self._now() < self._resume_at:
            return None
        return None if await count_rebuilds(connection, _WAITING_ROWS) >= _WAITING_ROWS else model

    async def _ask_builds(self, agent_id: AgentId, record_ids: list[RecordId], model: Model) -> None:
        async def work(connection: Connection) -> int:
            return await enqueue_builds(connection, agent_id, record_ids, model, rebuild=True)

        BUILDS_ASKED.inc(await self._database.write(agent_id, PASS_TIMEOUT_S, work))

    def _rested(self, began_at: float) -> float:
        """When to do again what began then and ends now."""
        ended_at = self._now()
        return ended_at + max(self._pause_s, _REST * (ended_at - began_at))

    async def measure(self) -> None:
        """Sets the gauge of what the model that is built still lacks."""
        began_at = self._now()
        if began_at < self._measure_at:
            return
        async with self._database.transaction(None, SWEEP_TIMEOUT_S) as connection:
            model = await load_building_model(connection, SERVED_WITHIN_S)
            lacking = 0 if model is None else await count_lacking(connection, model)
        self._measure_at = self._rested(began_at)
        RECORDS_LACKING_NEXT_MODEL.set(lacking)
        if lacking and model is not None:
            _log.info("next_embedding_model_lacks", fingerprint=model.fingerprint, records=lacking)
