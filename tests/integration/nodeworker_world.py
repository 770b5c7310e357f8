"""A database, an embedding server that obeys the test, and workers in this process or in their own."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.pq import ExecStatus

from rensou_nodeworker.pipelines.attempt import Attempts
from rensou_nodeworker.pipelines.build import Builder
from rensou_nodeworker.pipelines.models import EmbeddingServer, EmbeddingServers
from rensou_nodeworker.pipelines.rebuild import Rebuild
from rensou_nodeworker.pipelines.runner import BuildRunner
from rensou_nodeworker.pipelines.sweep import Sweep
from rensou_nodeworker.pipelines.upkeep import Upkeep
from rensou_nodeworker.stages.verdict import RetryRule
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.cembedding import CEmbedding
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.retry import Backoff
from rensou_shared.jobs.caps import DEFAULT_CAPS, QueueCaps
from rensou_shared.jobs.hints import HintSender, NoHints
from tests.conftest import DatabaseDsns
from tests.unit.lying_embedding_server import LyingServer

LONG = "The tea pot is on the shelf. The key is under the mat. 明日は京都で会議がある。"
SHORT = "The pot."

_INSERT = "INSERT INTO records (agent_id, kind, content, source_id) VALUES (%s, 'mem', %s, 'chat') RETURNING id"
_ENQUEUE = """
INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version)
SELECT agent_id, id, content_sha256, 1 FROM records WHERE id = %s
"""


@dataclass(frozen=True, slots=True)
class World:
    """One database and one embedding server."""

    dsns: DatabaseDsns
    server: LyingServer
    database: Database

    async def run(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement, run by the superuser."""
        connection = await psycopg.AsyncConnection.connect(
            self.dsns.admin, options="-c search_path=rensou,public", autocommit=True
        )
        async with connection:
            cursor = await connection.execute(statement.encode(), parameters or None)
            # A result without columns has rows, too, and no description.
            return await cursor.fetchall() if cursor.pgresult and cursor.pgresult.status == ExecStatus.TUPLES_OK else []

    async def record(self, content: str, agent_id: str = "ann", *, build: bool = True) -> int:
        """A record as Store leaves it while the embedding server is away: no vector, and a build in the outbox."""
        ((record_id,),) = await self.run(_INSERT, agent_id, content)
        if build:
            await self.run(_ENQUEUE, record_id)
        return record_id

    async def build(self, record_id: int) -> tuple[Any, ...]:
        """state, errors, crashes, last_error of the record's newest build."""
        rows = await self.run(
            "SELECT state, errors, crashes, last_error FROM node_builds WHERE record_id = %s ORDER BY id DESC LIMIT 1",
            record_id,
        )
        return rows[0] if rows else ("", 0, 0, None)

    async def nodes(self, record_id: int) -> list[tuple[int, int]]:
        """The spans of the record's nodes, in order."""
        return await self.run(
            "SELECT start_char, end_char FROM record_nodes WHERE record_id = %s ORDER BY node_index", record_id
        )

    async def vectors(self, record_id: int) -> list[tuple[Any, ...]]:
        """token_count and source_id of the record's vectors."""
        return await self.run("SELECT token_count, source_id FROM record_vectors WHERE record_id = %s", record_id)

    async def becomes(self, record_id: int, state: str) -> tuple[Any, ...]:
        """The record's build, once it is in `state`."""

        async def reached() -> bool:
            return (await self.build(record_id))[0] == state

        await eventually(reached, f"the build of {record_id} is not {state}")
        return await self.build(record_id)

    async def failed(self, record_id: int) -> str:
        """Why the record's build failed, once it has."""

        async def reached() -> bool:
            return (await self.build(record_id))[3] is not None

        await eventually(reached, f"the build of {record_id} has not failed")
        return (await self.build(record_id))[3]

    async def settled(self) -> None:
        """Returns when no build waits or runs."""

        async def reached() -> bool:
            return not await self.run("SELECT 1 FROM node_builds WHERE state IN ('pending', 'running')")

        await eventually(reached, "builds are left")

    def rebuild(self, now: Callable[[], float] = time.monotonic, pause_s: float = 0.0) -> Rebuild:
        """A reconciler's passes for the model that is built."""
        return Rebuild(self.database, now, pause_s)

    def upkeep(self, hints: HintSender | None = None) -> Upkeep:
        """A reconciler's passes."""
        return Upkeep(self.database, hints or NoHints())

    def sweep(self, sweep_s: float = 60.0, caps: QueueCaps = DEFAULT_CAPS) -> Sweep:
        """A reconciler's look for records that lack something."""
        return Sweep(self.database, sweep_s, caps)

    @asynccontextmanager
    async def worker(
        self, *, lease_s: float = 30.0, max_jobs: int = 2, following: LyingServer | None = None
    ) -> AsyncIterator[BuildRunner]:
        """A worker in this process, stopped at the end; `following` serves the model that is built beside."""
        now = asyncio.get_running_loop().time
        async with AsyncExitStack() as clients:
            made: list[EmbeddingServer] = []
            for server in [self.server] if following is None else [self.server, following]:
                client = CEmbedding(CEmbeddingConfig(server.url), backoff=Backoff(attempts=1))
                port = await clients.enter_async_context(client)
                made.append(EmbeddingServer(port, CircuitBreaker(now, cool_down_s=0.1), 5.0, now))
            servers = EmbeddingServers(self.database, *made)
            builder = Builder(self.database, servers, 5.0)
            attempts = Attempts(self.database, builder, RetryRule(base_s=0.05, cap_s=0.2), lease_s)
            runner = BuildRunner(self.database, attempts, servers, max_jobs=max_jobs, lease_s=lease_s, poll_s=0.05)
            running = asyncio.create_task(runner.run())
            watching = asyncio.create_task(servers.watch())
            try:
                yield runner
            finally:
                runner.stop()
                watching.cancel()
                await asyncio.wait_for(running, 20)

    def environ(self, **more: str) -> dict[str, str]:
        """What a worker's process reads."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "RENSOU_"))}
        settings = {
            "RENSOU_DATABASE_URL": self.dsns.worker,
            "RENSOU_EMBEDDING_URL": self.server.url,
            "RENSOU_LEASE_S": "3",
        }
        return inherited | settings | more

    @asynccontextmanager
    async def process(self, *arguments: str, **more: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """`python -m rensou_nodeworker` as a process of its own; killed at the end if it still runs."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "rensou_nodeworker", *arguments, env=self.environ(**more)
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGKILL)
            await process.wait()


@asynccontextmanager
async def open_world(dsns: DatabaseDsns, server: LyingServer) -> AsyncIterator[World]:
    """A world whose database is open as the worker."""
    database = Database(dsns.worker, PoolSize(1, 8))
    await database.open(20)
    try:
        yield World(dsns, server, database)
    finally:
        await database.close()


async def eventually(reached: Callable[[], Awaitable[bool]], message: str, timeout_s: float = 30.0) -> None:
    """Returns when `reached` says so."""
    deadline = asyncio.get_running_loop().time() + timeout_s
    while not await reached():
        assert asyncio.get_running_loop().time() < deadline, message
        await asyncio.sleep(0.05)


def whole(spans: list[tuple[int, int]], text: str) -> bool:
    """Whether the spans cover the text from start to end, without gap or overlap."""
    ends = [0, *(end for _, end in spans)]
    return bool(spans) and [start for start, _ in spans] == ends[:-1] and ends[-1] == len(text)
