"""One claimed build from its start to what becomes of its row."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from rensou_nodeworker.metrics import BUILD_SECONDS, BUILDS
from rensou_nodeworker.pipelines.build import Builder
from rensou_nodeworker.pipelines.lease import keep_lease
from rensou_nodeworker.pipelines.models import DATABASE_TIMEOUT_S
from rensou_nodeworker.stages.verdict import RetryRule, judge_failure
from rensou_nodeworker.store.builds import fail_build, give_back
from rensou_nodeworker.types.builds import BuildEnd, FenceLostError, LeasedBuild, NextState, Verdict
from rensou_shared.db.pool import Connection, Database
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.errors import RensouError
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

_SETTLE_PAUSE_S = 0.5
# A server that has built something so lately is there: what fails on and on is the record's own.
_PROOF_S = 3600.0
_SETTLE_WHILE_STOPPING_S = 5.0


class Attempts:
    """Runs claimed builds. Whatever a build raises becomes a verdict on its row; nothing of it reaches the slots."""

    def __init__(
        self,
        database: Database,
        builder: Builder,
        retry: RetryRule,
        lease_s: float,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._builder = builder
        self._retry = retry
        self._lease_s = lease_s
        self._draw = draw
        self._building: set[asyncio.Task[BuildEnd]] = set()
        self._stopping = False

    def stop(self) -> None:
        """Ends what runs, and what is started from now on at once: each build is given back."""
        self._stopping = True
        for building in self._building:
            building.cancel()

    async def run(self, claim: LeasedBuild, breaker: CircuitBreaker) -> None:
        """Runs the build while its lease holds, and settles its row. Ends the breaker's call."""
        started_at = asyncio.get_running_loop().time()
        building = asyncio.create_task(self._builder.build(claim))
        keeping = asyncio.create_task(keep_lease(self._database, claim, self._lease_s))
        self._building.add(building)
        if self._stopping:
            building.cancel()
        try:
            await asyncio.wait({building, keeping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            is_lost = keeping.done()
            self._building.discard(building)
            building.cancel()
            keeping.cancel()
            await asyncio.wait({building, keeping})
        await self._settle(claim, building, breaker, is_lost=is_lost)
        if not building.cancelled() and building.exception() is None:
            BUILD_SECONDS.observe(asyncio.get_running_loop().time() - started_at)

    async def _settle(
        self, claim: LeasedBuild, building: "asyncio.Task[BuildEnd]", breaker: CircuitBreaker, *, is_lost: bool
    ) -> None:
        if building.cancelled():
            breaker.abandon()
            await self._leave(claim, is_lost=is_lost)
            return
        match building.exception():
            case None:
                # A build of a former text ends without the server's word: it proves nothing about the server.
                if building.result() is BuildEnd.DONE:
                    breaker.succeed()
                else:
                    breaker.abandon()
                BUILDS.labels(building.result().value).inc()
            case FenceLostError():
                breaker.abandon()
                await self._leave(claim, is_lost=True)
            case BaseException() as error:
                await self._fail(claim, breaker, error)

    async def _leave(self, claim: LeasedBuild, *, is_lost: bool) -> None:
        if is_lost:
            BUILDS.labels("fenced").inc()
            _log.warning("build_is_anothers", build=claim.build_id)
            return

        async def give(connection: Connection) -> bool:
            return await give_back(connection, claim)

        BUILDS.labels("given_back").inc()
        await self._write(claim, give)

    async def _fail(self, claim: LeasedBuild, breaker: CircuitBreaker, error: BaseException) -> None:
        server_works = breaker.has_succeeded_within(_PROOF_S)
        verdict = judge_failure(error, claim, self._retry, self._draw(), server_works=server_works)
        if verdict.blames_server:
            breaker.fail(verdict.server_wait_s)
        else:
            breaker.abandon()
        _report(claim, verdict, error)

        async def fail(connection: Connection) -> bool:
            return await fail_build(connection, claim, verdict)

        await self._write(claim, fail)

    async def _write(self, claim: LeasedBuild, work: Callable[[Connection], Awaitable[bool]]) -> None:
        """Settles the row as long as the lease may hold: an unsettled one would count as a crash when it ends."""
        clock = asyncio.get_running_loop()
        deadline = clock.time() + (_SETTLE_WHILE_STOPPING_S if self._stopping else self._lease_s)
        while True:
            try:
                await self._database.write(claim.agent_id, DATABASE_TIMEOUT_S, work)
                return
            except RensouError as error:
                if clock.time() + _SETTLE_PAUSE_S >= deadline:
                    _log.error("build_not_settled", build=claim.build_id, error=type(error).__name__)
                    return
            await asyncio.sleep(_SETTLE_PAUSE_S)


def _report(claim: LeasedBuild, verdict: Verdict, error: BaseException) -> None:
    fields = {"build": claim.build_id, "record": claim.record_id, "reason": verdict.reason}
    if verdict.crashes_added:
        BUILDS.labels("crashed").inc()
        # The trace names what failed; exception messages of libraries may quote stored text, so it goes without.
        _log.error("build_crashed", **fields, state=verdict.state.value, where=_where(error))
    elif verdict.state is NextState.DEAD:
        BUILDS.labels("dead").inc()
        _log.error("build_is_dead", **fields)
    else:
        BUILDS.labels("repeated").inc()
        _log.warning("build_failed", **fields, errors=claim.errors + 1, wait_s=round(verdict.wait_s, 1))


def _where(error: BaseException) -> list[str]:
    """The frames that raised `error`, outermost first, as file:line."""
    frames: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")
        trace = trace.tb_next
    return frames
