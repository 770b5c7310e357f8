"""How the stack runs the services that are Python: the model's server, recall, the worker and the reconciler."""

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from rensou_embedded.child import ChildProcess
from rensou_embedded.ports import LOOPBACK

_PROBE_TIMEOUT_S = 2.0
_DRAIN_TIMEOUT_S = 30.0
_DRAIN_S = "0.2"
_HTTP_OK = 200
_NO_PROXY = (("grpc.enable_http_proxy", 0),)

# Neighbours on the loopback interface are never reached through a proxy that the machine may have set.
_PYTHON_ENVIRON = {"PYTHONUNBUFFERED": "1", "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}

Probe = Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where each server of the stack is."""

    recall_dsn: str
    worker_dsn: str
    redis_url: str
    embedding_port: int
    embedding_token: str
    grpc_port: int
    other_embedding_url: str = ""
    """An embedding server that is not the stack's own; its token is the environment's."""

    @property
    def embedding_url(self) -> str:
        return self.other_embedding_url or f"http://{LOOPBACK}:{self.embedding_port}/embed"

    @property
    def grpc_address(self) -> str:
        return f"{LOOPBACK}:{self.grpc_port}"


@dataclass(frozen=True, slots=True)
class ServiceProcesses:
    """Builds the children; `environ` is what they inherit, `log_dir` where they write."""

    environ: Mapping[str, str]
    log_dir: Path
    endpoints: Endpoints

    def embedding(self) -> ChildProcess:
        """The bundled embedding server."""
        port = self.endpoints.embedding_port
        argv = ("rensou_embedded.embedding_server", "--host", LOOPBACK, "--port", str(port))
        plain = {name: value for name, value in self.environ.items() if not name.startswith("RENSOU_")}
        environ = {**plain, "RENSOU_EMBEDDING_TOKEN": self.endpoints.embedding_token}
        return self._python("embedding", argv, environ, is_ready=self._embedding_answers)

    def recall(self) -> ChildProcess:
        """The gRPC server."""
        # No balancer has to notice that it leaves, so that it need not take new calls for seconds more.
        environ = {
            "RENSOU_DRAIN_S": _DRAIN_S,
            **self._service_environ(self.endpoints.recall_dsn),
            "RENSOU_LISTEN": self.endpoints.grpc_address,
        }
        return self._python("recall", ("rensou_recall",), environ, is_ready=self._recall_serves)

    def nodeworker(self) -> ChildProcess:
        """The worker that builds nodes."""
        return self._python("nodeworker", ("rensou_nodeworker",), self._service_environ(self.endpoints.worker_dsn))

    def reconciler(self) -> ChildProcess:
        """The worker's second entry point, which finds what was left undone."""
        environ = self._service_environ(self.endpoints.worker_dsn)
        return self._python("reconciler", ("rensou_nodeworker", "reconciler"), environ)

    def _service_environ(self, dsn: str) -> dict[str, str]:
        own = {} if self.endpoints.other_embedding_url else {"RENSOU_EMBEDDING_TOKEN": self.endpoints.embedding_token}
        return {
            **self.environ,
            "RENSOU_DATABASE_URL": dsn,
            "RENSOU_REDIS_URL": self.endpoints.redis_url,
            "RENSOU_EMBEDDING_URL": self.endpoints.embedding_url,
            "RENSOU_EMBEDDING_KIND": "cembedding",
            **own,
        }

    def _python(
        self,
        name: str,
        module: tuple[str, ...],
        environ: Mapping[str, str],
        is_ready: Probe | None = None,
    ) -> ChildProcess:
        return ChildProcess(
            name=name,
            argv=(sys.executable, "-P", "-m", *module),
            environ={**environ, **_PYTHON_ENVIRON},
            log_path=self.log_dir / f"{name}.log",
            is_ready=is_ready,
            stop_timeout_s=_DRAIN_TIMEOUT_S,
        )

    async def _embedding_answers(self) -> bool:
        """Whether /health says 200: it does once the model is loaded."""
        endpoints = self.endpoints
        timeout = aiohttp.ClientTimeout(total=_PROBE_TIMEOUT_S)
        headers = {"Authorization": f"Bearer {endpoints.embedding_token}"}
        url = f"http://{LOOPBACK}:{endpoints.embedding_port}/health"
        try:
            async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url, headers=headers) as answer:
                return answer.status == _HTTP_OK
        except (aiohttp.ClientError, TimeoutError):
            return False

    async def _recall_serves(self) -> bool:
        """Whether the health service says SERVING for the server as a whole."""
        async with grpc.aio.insecure_channel(self.endpoints.grpc_address, options=_NO_PROXY) as channel:
            try:
                stub = health_pb2_grpc.HealthStub(channel)
                answer = await stub.Check(health_pb2.HealthCheckRequest(service=""), timeout=_PROBE_TIMEOUT_S)
            except grpc.aio.AioRpcError:
                return False
        return answer.status == health_pb2.HealthCheckResponse.SERVING
