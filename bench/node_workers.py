"""Workers of a benchmark's own on a running stack's database, and what they have done."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import psycopg

from rensou_embedded.child import mortal_command
from rensou_embedded.errors import StackError
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack

_START_S = 60.0
_LOOK_S = 0.05

_BEGIN_AGAIN = b"""
UPDATE rensou.node_builds b
SET state = 'pending', next_at = clock_timestamp(), errors = 0, crashes = 0, finished_at = NULL, lease_token = NULL,
    lease_until = NULL
WHERE b.id = ANY (%(builds)s)
"""
_DROP_NODES = b"DELETE FROM rensou.record_nodes"
_ANALYZE = b"VACUUM ANALYZE rensou.node_builds, rensou.record_nodes"
_DONE = b"SELECT count(*) FROM rensou.node_builds b WHERE b.state = 'done'"


def queued_builds(admin_dsn: str) -> list[int]:
    """The numbers of all builds that wait."""
    with psycopg.connect(admin_dsn) as connection:
        return [int(row[0]) for row in connection.execute(b"SELECT b.id FROM rensou.node_builds b ORDER BY b.id")]


def begin_again(admin_dsn: str, builds: list[int]) -> None:
    """Forgets all nodes, and makes the builds wait as if nobody had looked at them."""
    with psycopg.connect(admin_dsn, autocommit=True) as connection:
        connection.execute(_DROP_NODES)
        connection.execute(_BEGIN_AGAIN, {"builds": builds})
        connection.execute(_ANALYZE)


def count_done(admin_dsn: str) -> int:
    """How many builds are done."""
    with psycopg.connect(admin_dsn) as connection:
        ((done,),) = connection.execute(_DONE)
        return int(done)


@asynccontextmanager
async def workers(stack: EmbeddedStack, count: int, max_jobs: int) -> AsyncGenerator[None]:
    """`count` worker processes of `max_jobs` builds at once, without hints: the queue is full while they run."""
    environ = {
        **clean_environ(os.environ),
        "RENSOU_DATABASE_URL": stack.worker_dsn,
        "RENSOU_EMBEDDING_URL": stack.embedding_url,
        "RENSOU_EMBEDDING_TOKEN": stack.embedding_token,
        "RENSOU_MAX_JOBS": str(max_jobs),
        "RENSOU_LOG_LEVEL": "WARNING",
        "NO_PROXY": "127.0.0.1,localhost",
    }
    command = mortal_command((sys.executable, "-P", "-m", "rensou_nodeworker"), signal.SIGTERM, None)
    running = [await asyncio.create_subprocess_exec(*command, env=environ) for _ in range(count)]
    try:
        yield
    finally:
        for one in running:
            if one.returncode is None:
                one.terminate()
        await asyncio.gather(*(one.wait() for one in running))


async def until_done(admin_dsn: str, builds: int, timeout_s: float = _START_S) -> float:
    """When (monotonic) that many builds were done.

    Raises:
        StackError: Not within the time.
    """
    return await asyncio.to_thread(_look_until_done, admin_dsn, builds, timeout_s)


def _look_until_done(admin_dsn: str, builds: int, timeout_s: float) -> float:
    deadline = time.monotonic() + timeout_s
    # One connection for all looks: to open one each time takes a good part of a core from what is measured.
    with psycopg.connect(admin_dsn, autocommit=True) as connection:
        while connection.execute(_DONE).fetchall()[0][0] < builds:
            if time.monotonic() > deadline:
                raise StackError(f"{builds} records were not built in {timeout_s:.0f} s")
            time.sleep(_LOOK_S)
    return time.monotonic()


async def builds_per_s(stack: EmbeddedStack, count: int, max_jobs: int, warm: int, seconds: float) -> float:
    """Builds a second of `count` workers, over `seconds` that begin when `warm` builds are done.

    Raises:
        StackError: They do not get that far.
    """
    dsn = stack.admin_dsn
    async with workers(stack, count, max_jobs):
        began = await until_done(dsn, warm)
        before = await asyncio.to_thread(count_done, dsn)
        await asyncio.sleep(seconds)
        done, took = await asyncio.to_thread(count_done, dsn) - before, time.monotonic() - began
    return done / took
