"""A second recall service on a running stack's database: from a script of this folder, or the product's own."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc.aio

from rensou_embedded.child import mortal_command
from rensou_embedded.client import RensouClient
from rensou_embedded.errors import StackError
from rensou_embedded.ports import pick_ports
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack

_READY_S = 60.0


@asynccontextmanager
async def second_recall(
    stack: EmbeddedStack, script: str = "", embedding_url: str = ""
) -> AsyncGenerator[RensouClient]:
    """The client of the service that `script` runs; without one, of the product's, before the embedding server named.

    Raises:
        StackError: It does not serve.
    """
    name = script or "a second recall"
    address = f"127.0.0.1:{pick_ports({name: None})[name]}"
    environ = {
        **clean_environ(os.environ),
        "RENSOU_DATABASE_URL": stack.recall_dsn,
        "RENSOU_REDIS_URL": stack.redis_url,
        "RENSOU_EMBEDDING_URL": embedding_url or stack.embedding_url,
        "RENSOU_EMBEDDING_TOKEN": stack.embedding_token,
        "RENSOU_LISTEN": address,
        "RENSOU_DRAIN_S": "0",
        "NO_PROXY": "127.0.0.1,localhost",
    }
    program = (str(Path(__file__).parent / script),) if script else ("-P", "-m", "rensou_recall")
    command = mortal_command((sys.executable, *program), signal.SIGTERM, None)
    process = await asyncio.create_subprocess_exec(*command, env=environ)
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            try:
                await asyncio.wait_for(channel.channel_ready(), _READY_S)
            except TimeoutError:
                raise StackError(f"{name} does not serve") from None
        async with RensouClient(address) as client:
            yield client
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
