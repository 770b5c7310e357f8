"""A guarded service over a stack of its own with a worker, asked for builds by an operator and through the command."""

import asyncio
import contextlib
import json
import os
import pty
import signal
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from rensou.v1 import builds_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import eventually, own_recall, service_environ, store
from tests.e2e.own_world import OwnWorld, own_world
from tests.unit.lying_embedding_server import Request, honest

ANN, OPS, OTHER_OPS = "ann-" + "x" * 20, "ops-" + "y" * 20, "others-" + "z" * 20
LONG_POISON = "poison is in this long text, and more of it than the window holds."


class Terminal:
    """What a command has written to its terminal so far."""

    def __init__(self, descriptor: int, process: asyncio.subprocess.Process) -> None:
        self._descriptor = descriptor
        self._read = b""
        self.process = process

    async def shows(self, text: str) -> None:
        """Returns when `text` has been written since the last call."""

        async def written() -> bool:
            with contextlib.suppress(BlockingIOError, OSError):
                self._read += os.read(self._descriptor, 1 << 16)
            return text.encode() in self._read

        await eventually(written, f"the terminal does not show {text!r}", 30)
        self._read = self._read.split(text.encode(), 1)[1]


@dataclass(frozen=True, slots=True)
class Guarded:
    """A world of its own with a worker, and a recall service on it that asks for tokens."""

    world: OwnWorld
    client: RensouClient
    address: str
    folder: Path

    async def page(self, token: str = OPS, **asked: Any) -> pb.ListBuildsResponse:
        return await self.client.admin.ListBuilds(pb.ListBuildsRequest(**asked), **bearer(token))

    async def retry(self, *refs: str, token: str = OPS, **asked: Any) -> pb.RetryBuildsResponse:
        return await self.client.admin.RetryBuilds(pb.RetryBuildsRequest(refs=refs, **asked), **bearer(token))

    async def poisoned(self, agent: str, text: str = LONG_POISON) -> tuple[str, pb.Build]:
        """A record whose build is dead, and the build as it is listed."""
        ref = (await store(self.world.client, agent, text)).ref
        listed: list[pb.Build] = []

        async def dead() -> bool:
            page = await self.page(agent_id=agent, state=pb.BUILD_STATE_DEAD)
            listed[:] = [one for one in page.builds if one.record_ref == ref]
            return bool(listed)

        await eventually(dead, "the poison is not dead", 30)
        return ref, listed[0]

    async def command(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of `rensou builds`, with the operator's token."""
        process = await asyncio.create_subprocess_exec(
            *self._builds(*arguments),
            env=service_environ(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, errors = await process.communicate()
        return process.returncode or 0, output.decode(), errors.decode()

    @asynccontextmanager
    async def live_command(self, *arguments: str) -> AsyncIterator[Terminal]:
        """`rensou builds` on a terminal of 100 by 30, looking every second."""
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (30, 100))
        process = await asyncio.create_subprocess_exec(
            *self._builds(*arguments, "--interval", "1"),
            env=service_environ(),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        os.set_blocking(ours, False)
        try:
            yield Terminal(ours, process)
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGINT)
            await process.wait()
            os.close(ours)

    def _builds(self, *arguments: str) -> list[str]:
        token_file = self.folder / "ops.token"
        token_file.write_text(f"{OPS}\n", encoding="ascii")
        where = ("--address", self.address, "--token-file", str(token_file))
        return [sys.executable, "-P", "-m", "rensou_embedded", "builds", *arguments, *where]


def bearer(token: str) -> dict[str, Any]:
    return {"metadata": [("authorization", f"Bearer {token}")], "timeout": 30}


async def refuses_poison(request: Request) -> web.StreamResponse:
    if request.route == "embed" and any("poison" in text for text in request.texts):
        return web.json_response({"error": "I will not"}, status=400)
    return await honest(request)


@asynccontextmanager
async def guarded_world(postgres: str, scratch_folder: Path) -> AsyncIterator[Guarded]:
    """The service knows ann, an operator of all agents, and one of two."""
    entries = [
        {"name": "ann", "token": ANN, "agents": ["ann"]},
        {"name": "ops", "token": OPS, "agents": ["*"], "operator": True},
        {"name": "others", "token": OTHER_OPS, "agents": ["bob", "cy"], "operator": True},
    ]
    path = scratch_folder / "builds-tokens.json"
    path.write_text(json.dumps({"tokens": entries}))
    async with AsyncExitStack() as parts:
        world = await parts.enter_async_context(own_world(postgres, scratch_folder, worker=True))
        settings = {"database_url": world.dsns.recall, "embedding_url": world.server.url, "tokens_file": str(path)}
        one = await parts.enter_async_context(own_recall(scratch_folder, **settings))
        client = await parts.enter_async_context(RensouClient(one.address))
        yield Guarded(world, client, one.address, scratch_folder)
