"""A recall service of the test's own, beside the stack's: on a database and an embedding server that the test names."""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from rensou_embedded.ports import LOOPBACK, pick_ports
from rensou_embedded.settings import clean_environ

NOWHERE = 1
"""A port that nothing listens on."""
START_S = 60.0


def service_environ(settings: Mapping[str, str], python_path: Sequence[Path] = ()) -> dict[str, str]:
    """What a service inherits; packages of `python_path` are imported before all others."""
    plain = {name: value for name, value in clean_environ(os.environ).items() if not name.startswith("RENSOU_")}
    inherited = [one for one in (plain.get("PYTHONPATH", ""),) if one]
    paths = {"PYTHONPATH": os.pathsep.join([*map(str, python_path), *inherited])} if python_path else {}
    return {**plain, "NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK, **paths, **settings}


async def _serves(address: str) -> bool:
    async with grpc.aio.insecure_channel(address) as channel:
        try:
            answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=1)
        except grpc.aio.AioRpcError:
            return False
    return answer.status == health_pb2.HealthCheckResponse.SERVING


@asynccontextmanager
async def recall_process(
    database_url: str,
    embedding_url: str = f"http://{LOOPBACK}:{NOWHERE}/embed",
    *,
    python_path: Sequence[Path] = (),
    settings: Mapping[str, str] | None = None,
) -> AsyncIterator[str]:
    """HOST:PORT of a recall service that is ready; without an embedding server unless one is named, without Redis."""
    address = f"{LOOPBACK}:{pick_ports({'recall': None})['recall']}"
    told = {
        "RENSOU_DATABASE_URL": database_url,
        "RENSOU_EMBEDDING_URL": embedding_url,
        "RENSOU_REDIS_URL": f"redis://{LOOPBACK}:{NOWHERE}",
        "RENSOU_LISTEN": address,
        "RENSOU_DRAIN_S": "0.1",
        **(settings or {}),
    }
    with tempfile.TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "rensou_recall", env=service_environ(told, python_path), stdout=log, stderr=log
        )
        try:
            async with asyncio.timeout(START_S):
                while not await _serves(address):
                    if process.returncode is not None:
                        log.seek(0)
                        raise RuntimeError(f"recall ended at its start: {log.read().decode()}")
                    await asyncio.sleep(0.1)
            yield address
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()
