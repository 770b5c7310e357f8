"""The second look behind the outbox: records that lack something and have no build. Safe beside another reconciler's.

Such are records whose build was deferred because the queue was full, older ones under a model, window or divider that
came later, and whatever a mistake or a hand has lost. The queue is filled to half of its caps, so that what is stored
meanwhile need not be deferred.
"""

import asyncio
from collections import defaultdict

from rensou_nodeworker.metrics import BUILDS_ASKED, RECORDS_HELD_BACK, SWEEP_ROUNDS
from rensou_nodeworker.store.models import load_models
from rensou_nodeworker.store.sweeps import (
    START,
    Place,
    count_waiting,
    count_waiting_of,
    enqueue_builds,
    load_lacking,
    try_lock,
)
from rensou_nodeworker.types.derived import Model
from rensou_shared.db.pool import Connection, Database
from rensou_shared.ids import AgentId, RecordId
from rensou_shared.jobs.caps import DEFAULT_CAPS, QueueCaps
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

SWEEP_TIMEOUT_S = 120.0
_ASK_TIMEOUT_S = 30.0
# About 10 ms of the database.
_SWEPT_ROWS = 2_000
_FIRST_ROUND = 10.0


class Sweep:
    """Goes through all records in rounds, on from where the former sweep ended; its look ends after `sweep_s`.

    It takes no longer for more records. What is done stands in the database alone: a reconciler that starts anew
    begins at the first record.
    """

    def __init__(self, database: Database, sweep_s: float = 0.3, caps: QueueCaps = DEFAULT_CAPS) -> None:
        self._database = database
        self._sweep_s = sweep_s
        self._room = caps.refill
        self._place = START
        self._model: Model | None = None
        self._seen_all = False
        self._asked = 0
        self._held_back = 0

    async def sweep(self) -> None:
        """Asks for builds of records that lack something, while the queue has room.

        The first round under a model takes its time: it may have been activated although records lacked something.
        """
        now = asyncio.get_running_loop().time
        began_at = now()
        while await self._look():
            if now() - began_at >= self._sweep_s * (1.0 if self._seen_all else _FIRST_ROUND):
                return

    async def _look(self) -> bool:
        """Whether there may be more to look at: False at the end of a round, and while the queue is full."""
        async with self._database.transaction(None, SWEEP_TIMEOUT_S) as connection:
            # Held until what is found is asked for: two reconcilers would both fill the room that they both saw.
            if not await try_lock(connection, "rensou.sweep"):
                return False
            model = (await load_models(connection)).active
            if model is None:  # no embedding server was ever met; what is stored meanwhile waits in the outbox
                return False
            if model != self._model:
                self._begin(model)
                self._seen_all = False
            room = self._room.in_all - await count_waiting(connection, self._room.in_all)
            if room <= 0:
                return False
            records, last = await load_lacking(connection, model, self._place, _SWEPT_ROWS)
            full_at = await self._ask(records, model, room)
        if full_at is not None:
            self._place = full_at
            return False
        if last is None:
            self._end_round(model)
            return False
        self._place = last
        return True

    def _begin(self, model: Model) -> None:
        self._model, self._place, self._asked, self._held_back = model, START, 0, 0

    def _end_round(self, model: Model) -> None:
        SWEEP_ROUNDS.inc()
        RECORDS_HELD_BACK.set(self._held_back)
        if self._asked or self._held_back:
            _log.info("sweep_round_ended", asked=self._asked, held_back=self._held_back)
        self._begin(model)
        self._seen_all = True

    async def _ask(self, records: list[Place], model: Model, room: int) -> Place | None:
        """Asks for the builds, agent by agent; the place from which on there was no room, None when there was."""
        lacking: dict[AgentId, list[RecordId]] = defaultdict(list)
        for agent_id, record_id in records:
            lacking[agent_id].append(record_id)
        for agent_id, record_ids in lacking.items():
            part = record_ids[:room]
            asked = await self._ask_of(agent_id, part, model)
            room -= asked
            self._asked += asked
            if room <= 0:
                _log.info("queue_is_full", asked=self._asked, room=self._room.in_all)
                return agent_id, part[-1]
            self._held_back += len(record_ids) - asked
        return None

    async def _ask_of(self, agent_id: AgentId, record_ids: list[RecordId], model: Model) -> int:
        """How many of the agent's builds are asked for anew: its own room bounds them, and the rest waits a round."""

        async def work(connection: Connection) -> int:
            room = self._room.per_agent - await count_waiting_of(connection, agent_id, self._room.per_agent)
            if room <= 0:
                return 0
            return await enqueue_builds(connection, agent_id, record_ids[:room], model, rebuild=False)

        asked = await self._database.write(agent_id, _ASK_TIMEOUT_S, work)
        BUILDS_ASKED.inc(asked)
        if asked:
            _log.info("builds_asked", agent=agent_id, builds=asked)
        return asked
