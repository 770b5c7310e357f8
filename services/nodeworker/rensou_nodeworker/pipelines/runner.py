"""Taking builds and running them, side by side, for as long as the worker lives.

Postgres owns the work. Each of `max_jobs` slots asks it for the next due build, again and again until there is none,
and then waits for a hint or for the next look, whichever comes first. A hint only wakes a slot: which build is next is
for the database to say. So a lost hint, or a Redis that is away, costs at most a look's interval.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from rensou_nodeworker.metrics import LEASE_EXPIRIES
from rensou_nodeworker.pipelines.attempt import Attempts
from rensou_nodeworker.pipelines.lanes import Lanes
from rensou_nodeworker.pipelines.models import DATABASE_TIMEOUT_S, EmbeddingServers
from rensou_nodeworker.stages.verdict import MAX_CRASHES
from rensou_nodeworker.store.builds import claim_build, expire_leases, has_quarantined
from rensou_nodeworker.types.builds import LeasedBuild
from rensou_shared.db.pool import Connection, Database
from rensou_shared.errors import RensouError
from rensou_shared.jobs.hints import BuildHint
from rensou_shared.telemetry import get_logger

T = TypeVar("T")

_log = get_logger(__name__)

_EXPIRED_ROWS = 100


class BuildRunner:
    """The slots of one worker. For one event loop."""

    def __init__(
        self,
        database: Database,
        attempts: Attempts,
        servers: EmbeddingServers,
        *,
        max_jobs: int,
        lease_s: float,
        poll_s: float,
    ) -> None:
        """Makes `max_jobs` slots, which look for work every `poll_s` when they have none.

        A build stays this worker's for `lease_s` without renewal; after a crash it waits that long.
        """
        self._database = database
        self._attempts = attempts
        self._servers = servers
        self._max_jobs = max_jobs
        self._lease_s = lease_s
        self._poll_s = poll_s
        self._lanes = Lanes()
        self._stop = asyncio.Event()
        self._database_answers = True
        # A meeting place: while every slot is busy hints stay with Redis, where an idle worker finds them.
        self._hints: asyncio.Queue[BuildHint] = asyncio.Queue(maxsize=1)

    async def wake(self, hint: BuildHint) -> None:
        """Returns when the hint is the next that a slot will take."""
        await self._hints.put(hint)

    def stop(self) -> None:
        """Takes no more builds and gives those that run back; `run` returns when that is done."""
        self._stop.set()
        self._attempts.stop()

    async def run(self) -> None:
        """Runs builds until `stop`."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._max_jobs):
                group.create_task(self._run_slot())
            group.create_task(self._run_quarantine())

    async def _run_slot(self) -> None:
        while not self._stop.is_set():
            async with self._lanes.shared():
                # A model that answers no question yet waits for everything else.
                found = await self._run_next(quarantined=False, rebuild=False) or await self._run_next(
                    quarantined=False, rebuild=True
                )
            if not found:
                await self._wait_for_hint()

    async def _run_quarantine(self) -> None:
        """Takes builds back from workers that are gone, and runs those that were running then one at a time, alone."""
        while not self._stop.is_set():
            found = False
            for rebuild in await self._quarantines_due():
                if self._servers.breaker(rebuild=rebuild).retry_after_s == 0:
                    async with self._lanes.alone():
                        found = await self._run_next(quarantined=True, rebuild=rebuild) or found
            if not found:  # what waits for a lane had its turn while the database was asked
                await self._wait(self._poll_s, [])

    async def _run_next(self, *, quarantined: bool, rebuild: bool) -> bool:
        """Whether there was a due build; it has ended by now.

        None is taken while the embedding server is left alone: an outage must not spend the builds' patience.
        """
        breaker = self._servers.breaker(rebuild=rebuild)
        if self._stop.is_set() or not breaker.try_enter():
            return False

        async def claim_next(connection: Connection) -> LeasedBuild | None:
            return await claim_build(connection, self._lease_s, quarantined=quarantined, rebuild=rebuild)

        claim = None
        try:
            claim = await self._ask(claim_next)
        finally:
            if claim is None:
                breaker.abandon()
        if claim is None:
            return False
        await self._attempts.run(claim, breaker)
        return True

    async def _quarantines_due(self) -> list[bool]:
        """For which kinds of build (False: of the active model, True: rebuilds) one that took a worker down is due."""

        async def look(connection: Connection) -> list[bool]:
            for build_id, state in await expire_leases(connection, MAX_CRASHES, _EXPIRED_ROWS):
                LEASE_EXPIRIES.inc()
                _log.error("build_lease_expired", build=build_id, state=state.value)
            return [rebuild for rebuild in (False, True) if await has_quarantined(connection, rebuild=rebuild)]

        return await self._ask(look) or []

    async def _ask(self, work: Callable[[Connection], Awaitable[T]]) -> T | None:
        """What `work` returns, or None while the database does not answer, which is said once."""
        try:
            async with self._database.transaction(None, DATABASE_TIMEOUT_S) as connection:
                answer = await work(connection)
        except RensouError as error:
            if self._database_answers:
                _log.error("database_does_not_answer", error=type(error).__name__)
            self._database_answers = False
            return None
        if not self._database_answers:
            _log.info("database_answers_again")
        self._database_answers = True
        return answer

    async def _wait_for_hint(self) -> None:
        await self._wait(self._poll_s, [asyncio.ensure_future(self._hints.get())])

    async def _wait(self, timeout_s: float, wakers: "list[asyncio.Future[BuildHint]]") -> None:
        """Returns when one of `wakers` is done, the worker stops, or the time is over."""
        waited: set[asyncio.Future[Any]] = {asyncio.ensure_future(self._stop.wait()), *wakers}
        try:
            await asyncio.wait(waited, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waited:
                one.cancel()
