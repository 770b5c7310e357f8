"""The composition root of the worker and of the reconciler.

How the worker lives through losses: its slots take builds from Postgres (`pipelines.runner`), and a task of its own
listens to hints with arq and is started again whenever arq ends (`listener`). Nothing that runs hangs on Redis, so a
Redis that restarts, forgets everything or is away for a day costs only the delay of a look every two seconds. On
SIGTERM the slots give what they hold back, without a mark on it.
"""

import asyncio
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Final

from rensou_nodeworker.listener import listen_for_hints
from rensou_nodeworker.metrics import FAILED_PASSES
from rensou_nodeworker.pipelines.ann import AnnUpkeep
from rensou_nodeworker.pipelines.attempt import Attempts
from rensou_nodeworker.pipelines.build import Builder
from rensou_nodeworker.pipelines.models import EmbeddingServer, EmbeddingServers
from rensou_nodeworker.pipelines.rebuild import Rebuild
from rensou_nodeworker.pipelines.runner import BuildRunner
from rensou_nodeworker.pipelines.sweep import Sweep
from rensou_nodeworker.pipelines.upkeep import Upkeep
from rensou_nodeworker.settings import Settings
from rensou_nodeworker.stages.verdict import RetryRule
from rensou_nodeworker.tasks import BuildTask
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.deployment import make_ports
from rensou_shared.embedding.port import EmbeddingPort
from rensou_shared.errors import DatabaseUnavailable, RensouError
from rensou_shared.jobs.arq_hints import ArqHintSender
from rensou_shared.jobs.caps import QueueCaps
from rensou_shared.jobs.hints import NoHints
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

POLL_S: Final = 2.0
MEASURE_INTERVAL_S: Final = 5.0
_SWEEP_SHARE: Final = 0.01
"""Of the reconciler's time, what its sweeps take."""

_DATABASE_WAIT_S: Final = 60.0
_CONNECT_TIMEOUT_S: Final = 5.0
_LONGEST_PAUSE_S: Final = 5.0
_DRAIN_S: Final = 15.0


async def run_worker(settings: Settings) -> None:
    """Runs builds until SIGTERM or SIGINT.

    Raises:
        ConfigurationError: A setting is unusable.
        DatabaseUnavailable, SchemaUnknown: The database does not answer in a minute, or has another schema.
    """
    ports = make_ports(settings.embedding)
    # A build writes over one connection while its lease is renewed over another.
    database = await open_database(settings.database_url, PoolSize(1, 2 * settings.max_jobs + 2))
    try:
        async with AsyncExitStack() as clients:
            for port in ports:
                clients.push_async_callback(port.aclose)
            servers = _make_servers(settings, database, ports)
            await _run_until_stopped(_make_runner(settings, database, servers), servers, settings)
    finally:
        await database.close()


async def run_reconciler(settings: Settings) -> None:
    """Makes the reconciler's passes until SIGTERM or SIGINT; any number of reconcilers may run side by side.

    Raises:
        ConfigurationError: A setting is unusable.
        DatabaseUnavailable, SchemaUnknown: The database does not answer in a minute, or has another schema.
    """
    hints = ArqHintSender(settings.redis_url) if settings.redis_url else NoHints()
    database = await open_database(settings.database_url, PoolSize(1, 6))
    upkeep = Upkeep(database, hints)
    caps = QueueCaps(settings.max_pending_builds, settings.max_pending_builds_in_all)
    sweep = Sweep(database, _SWEEP_SHARE * settings.sweep_interval_s, caps)
    rebuild = Rebuild(database, asyncio.get_running_loop().time, settings.sweep_interval_s)
    ann = AnnUpkeep(database, settings.ann_above_rows)
    try:
        async with asyncio.TaskGroup() as group:
            looking = (upkeep.expire, upkeep.hint, upkeep.fold, rebuild.ask)
            sweeping = (sweep.sweep, upkeep.prune, upkeep.trim, rebuild.measure)
            loops = [
                group.create_task(_repeat(settings.reconcile_interval_s, looking)),
                group.create_task(_repeat(settings.sweep_interval_s, sweeping)),
                group.create_task(_repeat(settings.sweep_interval_s, (ann.tend,))),
                group.create_task(_repeat(MEASURE_INTERVAL_S, (upkeep.measure,))),
            ]
            await _stop_signal().wait()
            for loop in loops:
                loop.cancel()
    finally:
        if isinstance(hints, ArqHintSender):
            await hints.aclose()
        await database.close()


async def open_database(dsn: str, size: PoolSize) -> Database:
    """The database, once it answers and has the known schema.

    Raises:
        DatabaseUnavailable: It did not answer within a minute.
        SchemaUnknown: Its schema is another.
    """
    clock = asyncio.get_running_loop()
    deadline, pause_s = clock.time() + _DATABASE_WAIT_S, 0.25
    while True:
        database = Database(dsn, size)  # a pool that could not be opened cannot be opened again
        try:
            await database.open(_CONNECT_TIMEOUT_S)
            version = await database.check_schema()
        except DatabaseUnavailable as error:
            await database.close()
            if clock.time() + pause_s >= deadline:
                raise
            _log.warning("waiting_for_the_database", error=str(error))
        except RensouError:
            await database.close()
            raise
        else:
            _log.info("database_is_open", schema=version)
            return database
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)


def _make_servers(settings: Settings, database: Database, ports: Sequence[EmbeddingPort]) -> EmbeddingServers:
    now, timeout_s = asyncio.get_running_loop().time, settings.build_embedding_timeout_s
    return EmbeddingServers(database, *(EmbeddingServer(port, CircuitBreaker(now), timeout_s, now) for port in ports))


def _make_runner(settings: Settings, database: Database, servers: EmbeddingServers) -> BuildRunner:
    builder = Builder(database, servers, settings.build_embedding_timeout_s)
    attempts = Attempts(database, builder, RetryRule(settings.max_attempts), settings.lease_s)
    return BuildRunner(database, attempts, servers, max_jobs=settings.max_jobs, lease_s=settings.lease_s, poll_s=POLL_S)


async def _run_until_stopped(runner: BuildRunner, servers: EmbeddingServers, settings: Settings) -> None:
    running = asyncio.create_task(runner.run())
    tasks: set[asyncio.Task[None]] = {running}
    if settings.embedding.next.url:
        tasks.add(asyncio.create_task(servers.watch()))
    if settings.redis_url:
        listening = listen_for_hints(
            settings.redis_url,
            BuildTask(runner),
            max_jobs=settings.max_jobs,
            job_timeout_s=settings.lease_s / 2,
            name=f"{socket.gethostname()}:{os.getpid()}",
        )
        tasks.add(asyncio.create_task(listening))
    stopping = asyncio.create_task(_stop_signal().wait())
    _log.info("worker_is_running", max_jobs=settings.max_jobs, hints=bool(settings.redis_url))
    await asyncio.wait({stopping, *tasks}, return_when=asyncio.FIRST_COMPLETED)
    runner.stop()
    await asyncio.wait({running}, timeout=_DRAIN_S)
    failures = [task.exception() for task in tasks if task.done()]
    for task in (stopping, *tasks):
        task.cancel()
    await asyncio.gather(stopping, *tasks, return_exceptions=True)
    _log.info("worker_has_stopped")
    for failure in failures:
        if failure is not None:
            raise failure


async def _repeat(interval_s: float, passes: tuple[Callable[[], Awaitable[None]], ...]) -> None:
    """Makes the passes every `interval_s`; one that the database refuses is counted, and made again next time."""
    while True:
        for one in passes:
            try:
                await one()
            except RensouError as error:
                name = getattr(one, "__name__", "pass")
                FAILED_PASSES.labels(name).inc()
                _log.warning("pass_failed", name=name, error=str(error))
        await asyncio.sleep(interval_s)


def _stop_signal() -> asyncio.Event:
    """Set by SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop
