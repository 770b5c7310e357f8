"""Hints over a real Redis that forgets, restarts, holds rubbish, or was never there."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import redis.asyncio
from redis.exceptions import RedisError

from rensou_embedded.bundled import find_valkey
from rensou_nodeworker.listener import listen_for_hints
from rensou_nodeworker.tasks import BuildTask, parse_hint
from rensou_shared.ids import AgentId, BuildId
from rensou_shared.jobs.arq_hints import HINT_FAILURES, ArqHintSender
from rensou_shared.jobs.hints import QUEUE_NAME, BuildHint
from tests.integration.nodeworker_world import LONG, SHORT, World, eventually, whole

HINT = BuildHint(AgentId("ann"), BuildId(7), 0)


class Redis:
    """A Valkey of the test's own, which can be stopped and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self._port}/0"

    async def start(self) -> None:
        options = {"port": str(self._port), "bind": "127.0.0.1", "save": "", "dir": str(self._folder)}
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        self._process = await asyncio.create_subprocess_exec(
            str(find_valkey()), *arguments, stdout=asyncio.subprocess.DEVNULL
        )
        await eventually(self._answers, "Valkey does not answer")

    async def _answers(self) -> bool:
        try:
            async with self.client() as client:
                return bool(await client.ping())
        except (RedisError, OSError):
            return False

    async def stop(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    def client(self) -> redis.asyncio.Redis:
        return redis.asyncio.Redis.from_url(self.url)

    async def is_heard(self) -> bool:
        """Whether a worker listens: it holds its health key."""
        async with self.client() as client:
            return bool(await client.keys(f"{QUEUE_NAME}:health:*"))

    async def waiting(self) -> int:
        async with self.client() as client:
            return await client.zcard(QUEUE_NAME)


@pytest.fixture
async def valkey(tmp_path: Path) -> AsyncIterator[Redis]:
    redis_server = Redis(tmp_path)
    await redis_server.start()
    yield redis_server
    await redis_server.stop()


@pytest.fixture
async def sender(valkey: Redis) -> AsyncIterator[ArqHintSender]:
    opened = ArqHintSender(valkey.url, timeout_s=1.0, pause_s=0.2)
    yield opened
    await opened.aclose()


class HeardHints:
    """A runner that only remembers what woke it."""

    def __init__(self) -> None:
        self.hints: list[BuildHint] = []

    async def wake(self, hint: BuildHint) -> None:
        self.hints.append(hint)

    async def has_heard(self) -> bool:
        return bool(self.hints)


@asynccontextmanager
async def listening(url: str, heard: HeardHints) -> AsyncIterator[None]:
    task = BuildTask(heard)  # pyright: ignore[reportArgumentType] - it stands for the runner
    running = asyncio.create_task(listen_for_hints(url, task, max_jobs=2, job_timeout_s=5, name="test"))
    try:
        yield
    finally:
        running.cancel()
        await asyncio.wait({running})


async def test_a_hint_reaches_the_worker_and_leaves_the_queue(valkey: Redis, sender: ArqHintSender) -> None:
    heard = HeardHints()
    async with listening(valkey.url, heard):
        assert await sender.send(HINT)
        await eventually(heard.has_heard, "the hint was not heard")

        async def is_empty() -> bool:
            return await valkey.waiting() == 0

        await eventually(is_empty, "the hint stays")
    assert heard.hints == [HINT]


async def test_the_same_hint_waits_once_and_holds_no_pickle(valkey: Redis, sender: ArqHintSender) -> None:
    assert await sender.send(HINT) and await sender.send(HINT)
    assert await valkey.waiting() == 1
    async with valkey.client() as client:
        assert (await client.get(f"arq:job:{HINT.job_id}")).startswith(b"{")
        assert 0 < await client.ttl(f"arq:job:{HINT.job_id}") <= 60


async def test_a_sender_without_redis_answers_soon_and_counts_and_heals(valkey: Redis, sender: ArqHintSender) -> None:
    await valkey.stop()
    before = HINT_FAILURES._value.get()
    assert not await sender.send(HINT)
    started = asyncio.get_running_loop().time()
    assert [await sender.send(HINT) for _ in range(50)] == [False] * 50
    assert asyncio.get_running_loop().time() - started < 0.2
    assert HINT_FAILURES._value.get() == before + 51
    await valkey.start()
    await asyncio.sleep(0.25)
    assert await sender.send(HINT)


async def test_a_sender_gives_up_on_a_redis_that_does_not_answer() -> None:
    silent = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    sender = ArqHintSender(f"redis://127.0.0.1:{port}/0", timeout_s=0.1)
    started = asyncio.get_running_loop().time()
    assert not await sender.send(HINT)
    assert asyncio.get_running_loop().time() - started < 1.0
    await sender.aclose()
    silent.close()


async def test_the_listener_hears_again_after_redis_restarts(valkey: Redis, sender: ArqHintSender) -> None:
    heard = HeardHints()
    async with listening(valkey.url, heard):
        await eventually(valkey.is_heard, "nobody listens")
        await valkey.stop()
        await asyncio.sleep(1.0)
        await valkey.start()
        await eventually(valkey.is_heard, "nobody listens again")
        assert await sender.send(HINT)
        await eventually(heard.has_heard, "the hint was not heard")


async def test_rubbish_in_redis_stops_no_hint(valkey: Redis, sender: ArqHintSender) -> None:
    heard = HeardHints()
    async with valkey.client() as client:
        await client.set("arq:job:pickled", b"\x80\x04K\x01.", px=60_000)
        await client.set("arq:job:list", b"[1, 2]", px=60_000)
        await client.set("arq:job:odd", b'{"t":null,"f":"build","a":["ann",-1,"x"],"k":{},"et":1}', px=60_000)
        await client.set("arq:job:other", b'{"t":null,"f":"shell","a":["rm"],"k":{},"et":1}', px=60_000)
        await client.zadd(QUEUE_NAME, dict.fromkeys(("pickled", "list", "odd", "other", "gone"), 1))
        async with listening(valkey.url, heard):
            assert await sender.send(HINT)
            await eventually(heard.has_heard, "the hint was not heard")
    assert heard.hints == [HINT]


@pytest.mark.parametrize(
    "arguments",
    [(), ("ann",), ("ann", "7", 0), (7, 7, 0), ("ann", 0, 0), ("ann", 2**63, 0), ("ann", 7, -1), ("ann", 7, 0, 0)],
)
def test_what_is_no_hint_is_none(arguments: tuple[object, ...]) -> None:
    assert parse_hint(arguments) is None


async def test_work_of_which_redis_forgot_everything_is_done(
    world: World, valkey: Redis, sender: ArqHintSender
) -> None:
    record = await world.record(LONG)
    assert await sender.send(HINT)
    async with valkey.client() as client:
        await client.flushall()
    async with world.process(RENSOU_REDIS_URL=valkey.url):
        await world.becomes(record, "done")
        await eventually(valkey.is_heard, "nobody listens")
        async with valkey.client() as client:
            await client.flushall()
        again = await world.record(SHORT)
        await world.becomes(again, "done")
    assert whole(await world.nodes(record), LONG)


async def test_a_worker_lives_through_redis_restarts_and_works_meanwhile(world: World, valkey: Redis) -> None:
    async with world.process(RENSOU_REDIS_URL=valkey.url) as process:
        await eventually(valkey.is_heard, "nobody listens")
        await valkey.stop()
        record = await world.record(LONG)
        await world.becomes(record, "done")
        await valkey.start()
        await eventually(valkey.is_heard, "nobody listens again")
        assert process.returncode is None


async def test_a_worker_starts_while_redis_is_away(world: World, valkey: Redis) -> None:
    await valkey.stop()
    record = await world.record(LONG)
    async with world.process(RENSOU_REDIS_URL=valkey.url):
        await world.becomes(record, "done")
