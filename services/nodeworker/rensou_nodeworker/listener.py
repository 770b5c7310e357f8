"""Listening to hints with arq, for as long as the worker lives.

arq ends when Redis is unreachable, and with anything that it does not understand in Redis. Neither is a reason for the
worker to end: it starts arq again, with back-off, and builds what it finds in Postgres meanwhile.
"""

import asyncio
import random
from contextlib import suppress
from typing import Final

from arq.worker import Worker, func
from redis.exceptions import RedisError

from rensou_nodeworker.metrics import REDIS_LOSSES
from rensou_nodeworker.tasks import BuildTask
from rensou_shared.jobs.hints import QUEUE_NAME, TASK_NAME
from rensou_shared.jobs.redis_client import decode_job, encode_job, make_client
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

_REDIS_TIMEOUT_S: Final = 5.0
_CLOSE_TIMEOUT_S: Final = 2.0
_HEALTH_INTERVAL_S: Final = 10
_SHORTEST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 5.0
# More than all workers of a deployment hold at once, or free hints stay unseen behind those that are held.
_QUEUE_READ_LIMIT: Final = 2_000


async def listen_for_hints(redis_url: str, task: BuildTask, *, max_jobs: int, job_timeout_s: float, name: str) -> None:
    """Runs until it is cancelled. `name` tells this worker's health key from others'."""
    clock = asyncio.get_running_loop()
    pause_s = _SHORTEST_PAUSE_S
    while True:
        worker = _make_worker(redis_url, task, max_jobs=max_jobs, job_timeout_s=job_timeout_s, name=name)
        started_at = clock.time()
        error = await _run_worker(worker)
        if clock.time() - started_at > _LONGEST_PAUSE_S:
            pause_s = _SHORTEST_PAUSE_S
        REDIS_LOSSES.inc()
        _log.warning("hints_are_not_heard", error=type(error).__name__, pause_s=pause_s)
        await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))  # noqa: S311 - jitter, not a secret
        pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)


def _make_worker(redis_url: str, task: BuildTask, *, max_jobs: int, job_timeout_s: float, name: str) -> Worker:
    return Worker(
        [func(task.run, name=TASK_NAME)],
        queue_name=QUEUE_NAME,
        redis_pool=make_client(redis_url, _REDIS_TIMEOUT_S),
        handle_signals=False,
        max_jobs=max_jobs,
        job_timeout=job_timeout_s,
        keep_result=0,
        max_tries=1,
        queue_read_limit=_QUEUE_READ_LIMIT,
        health_check_interval=_HEALTH_INTERVAL_S,
        health_check_key=f"{QUEUE_NAME}:health:{name}",
        job_serializer=encode_job,
        job_deserializer=decode_job,
        log_results=False,
    )


async def _run_worker(worker: Worker) -> BaseException | None:
    """What ended the worker."""
    running = asyncio.create_task(worker.async_run())
    try:
        await asyncio.wait({running})
        return None if running.cancelled() else running.exception()
    finally:
        await _close(worker, running)


async def _close(worker: Worker, running: "asyncio.Task[None]") -> None:
    """Ends the worker's tasks and connections; its own close would wait for a Redis that is away."""
    tasks = {running, *worker.tasks.values()}
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=_CLOSE_TIMEOUT_S)
    for task in tasks:
        if task.done() and not task.cancelled():
            task.exception()  # seen, so that the loop does not report it as never retrieved
    with suppress(RedisError, OSError):
        await worker.pool.aclose(close_connection_pool=True)
