"""What the tests through the public door share: requests, answers, failures, and processes of a test's own."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc.aio
import psycopg
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status
from psycopg.pq import ExecStatus

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.ports import LOOPBACK

TIMEOUT_S = 60.0
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
# Port 1 is nobody's: whoever connects is refused at once.
NOBODY = f"{LOOPBACK}:1"

_IS_DONE = "SELECT count(*) FROM node_builds WHERE agent_id = %s AND state IN ('pending', 'running')"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed call: its code, the ErrorInfo that it carries ('' without one), and the fields that BadRequest names."""

    code: grpc.StatusCode
    message: str
    reason: str
    domain: str
    fields: tuple[str, ...]


def read_failure(error: grpc.aio.AioRpcError) -> Failure:
    """The failure with its details."""
    info, fields = error_details_pb2.ErrorInfo(), list[str]()
    status = rpc_status.from_call(error)
    for detail in () if status is None else status.details:
        detail.Unpack(info)
        bad = error_details_pb2.BadRequest()
        if detail.Unpack(bad):
            fields += [violation.field for violation in bad.field_violations]
    return Failure(error.code(), error.details() or "", info.reason, info.domain, tuple(fields))


async def failure_of(call: Awaitable[Any]) -> Failure:
    """How the call fails; it must."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return read_failure(caught.value)


async def send_bytes(address: str, method: str, data: bytes) -> bytes:
    """The answer to a request given as bytes, which need be no message. `method` is "Service/Method"."""
    async with grpc.aio.insecure_channel(address) as channel:
        call = channel.unary_unary(f"/rensou.v1.{method}", lambda sent: sent, lambda received: received)
        return await call(data, timeout=TIMEOUT_S)


def memory(agent: str, content: str, **fields: Any) -> rpc.StoreRequest:
    """A memory to store; `fields` are further ones of StoreRequest, `scope` among them."""
    scope = fields.pop("scope", pb.WriteScope(agent_id=agent))
    return rpc.StoreRequest(scope=scope, memory=rpc.MemoryContent(content=content), **fields)


async def store(client: RensouClient, agent: str, content: str, **fields: Any) -> rpc.StoreResponse:
    """What Store says to a memory."""
    return await client.recall.Store(memory(agent, content, **fields), timeout=TIMEOUT_S)


async def store_many(client: RensouClient, agent: str, contents: list[str], **fields: Any) -> list[str]:
    """The refs of memories, in order."""
    request = rpc.BatchStoreRequest(requests=[memory(agent, content, **fields) for content in contents])
    answer = await client.recall.BatchStore(request, timeout=TIMEOUT_S)
    assert all(result.HasField("response") for result in answer.results), answer
    return [result.response.ref for result in answer.results]


async def recall(client: RensouClient, agent: str, query: str, **fields: Any) -> rpc.RecallResponse:
    """What Recall says to a question; `fields` are further ones of RecallRequest, `scope` among them."""
    scope = fields.pop("scope", pb.ReadScope(agent_id=agent))
    return await client.recall.Recall(rpc.RecallRequest(scope=scope, query=query, **fields), timeout=TIMEOUT_S)


async def found(client: RensouClient, agent: str, query: str, **fields: Any) -> list[str]:
    """The refs that Recall finds, best first."""
    return [hit.record.ref for hit in (await recall(client, agent, query, **fields)).hits]


async def get_contents(client: RensouClient, agent: str, *refs: str) -> rpc.GetContentsResponse:
    """The whole texts of the refs."""
    selectors = [rpc.ContentSelector(ref=ref) for ref in refs]
    request = rpc.GetContentsRequest(scope=pb.ReadScope(agent_id=agent), selectors=selectors)
    return await client.recall.GetContents(request, timeout=TIMEOUT_S)


async def rows(admin_dsn: str, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """The rows of a statement, run by the superuser, whom no policy binds."""
    connection = await psycopg.AsyncConnection.connect(
        admin_dsn, options="-c search_path=rensou,public", autocommit=True
    )
    async with connection:
        cursor = await connection.execute(statement.encode(), parameters or None)
        # A result without columns has rows, too, and no description.
        return await cursor.fetchall() if cursor.pgresult and cursor.pgresult.status == ExecStatus.TUPLES_OK else []


async def eventually(reached: Callable[[], Awaitable[bool]], message: str, timeout_s: float = TIMEOUT_S) -> None:
    """Returns when `reached` says so."""
    deadline = asyncio.get_running_loop().time() + timeout_s
    while not await reached():
        assert asyncio.get_running_loop().time() < deadline, message
        await asyncio.sleep(0.1)


async def builds_settle(admin_dsn: str, agent: str, timeout_s: float = TIMEOUT_S) -> None:
    """Returns when no build of the agent waits or runs."""

    async def settled() -> bool:
        return (await rows(admin_dsn, _IS_DONE, agent)) == [(0,)]

    await eventually(settled, f"builds of {agent} are left", timeout_s)


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def health_of(address: str, service: str) -> int:
    """The state of a health name; 0 while the process does not answer or does not know the name."""
    async with grpc.aio.insecure_channel(address) as channel:
        try:
            request = health_pb2.HealthCheckRequest(service=service)
            return (await health_pb2_grpc.HealthStub(channel).Check(request, timeout=2)).status
        except grpc.aio.AioRpcError:
            return 0


def service_environ(python_path: Sequence[Path] = (), **settings: str) -> dict[str, str]:
    """The environment of a service: ours, without anything that a shell set for Rensou, and RENSOU_<settings>.

    Packages of `python_path` are imported before all others.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "RENSOU_"))}
    inherited |= {"NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK}
    if python_path:
        paths = (*map(str, python_path), *filter(None, [inherited.get("PYTHONPATH")]))
        inherited["PYTHONPATH"] = os.pathsep.join(paths)
    return inherited | {f"RENSOU_{name.upper()}": value for name, value in settings.items()}


@dataclass(frozen=True, slots=True)
class Service:
    """A process that a test started, and the file that it writes to."""

    process: asyncio.subprocess.Process
    log_path: Path

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ends the process; its exit code."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), 60)


@asynccontextmanager
async def service(log_path: Path, *arguments: str, environ: Mapping[str, str]) -> AsyncIterator[Service]:
    """`python -m ARGUMENTS` as a process of its own, ended by its id."""
    with log_path.open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", *arguments, env=dict(environ), stdout=log, stderr=log, cwd="/"
        )
    running = Service(process, log_path)
    try:
        yield running
    finally:
        await running.stop(signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class OwnRecall:
    """A recall service of a test's own."""

    service: Service
    address: str

    async def serves(self, name: str = "liveness") -> bool:
        """Whether the health name is SERVING."""
        assert self.service.process.returncode is None, self.service.log_path.read_text()
        return await health_of(self.address, name) == SERVING


@asynccontextmanager
async def own_recall(folder: Path, *, python_path: Sequence[Path] = (), **settings: str) -> AsyncIterator[OwnRecall]:
    """A recall service with these settings on a port of its own, once it lives.

    Without `embedding_url` it has no embedding server; packages of `python_path` are imported before all others.
    """
    address = f"{LOOPBACK}:{free_port()}"
    defaults = {"listen": address, "drain_s": "0.2", "redis_url": f"redis://{NOBODY}/0"}
    defaults |= {"embedding_url": f"http://{NOBODY}/embed"}
    log_path = folder / f"recall-{address.rpartition(':')[2]}.log"
    environ = service_environ(python_path, **(defaults | settings))
    async with service(log_path, "rensou_recall", environ=environ) as process:
        one = OwnRecall(process, address)
        await eventually(one.serves, f"recall did not come up: {log_path}")
        yield one
