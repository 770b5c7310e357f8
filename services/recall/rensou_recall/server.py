"""The gRPC server: services, interceptors, health, reflection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from rensou.v1 import (
    admin_service_pb2,
    admin_service_pb2_grpc,
    association_service_pb2,
    association_service_pb2_grpc,
    feedback_service_pb2,
    feedback_service_pb2_grpc,
    lifecycle_service_pb2,
    lifecycle_service_pb2_grpc,
    recall_service_pb2,
    recall_service_pb2_grpc,
)
from rensou_recall.handlers.admin import AdminHandler
from rensou_recall.handlers.associations import AssociationHandler
from rensou_recall.handlers.feedback import FeedbackHandler
from rensou_recall.handlers.lifecycle import LifecycleHandler
from rensou_recall.handlers.recall import RecallHandler
from rensou_recall.interceptors.authentication import AuthenticationInterceptor, TokenBook
from rensou_recall.interceptors.deadlines import CallClock
from rensou_recall.interceptors.decoding import DecodingInterceptor
from rensou_recall.interceptors.errors import ErrorInterceptor
from rensou_recall.interceptors.limits import LimitInterceptor
from rensou_recall.interceptors.telemetry import TelemetryInterceptor
from rensou_recall.pipelines.deps import Deps
from rensou_shared.errors import ConfigurationError

LIVENESS = "liveness"
READINESS = "readiness"
MAX_RECEIVE_BYTES = 8 * 1024 * 1024

SERVICES: Sequence[str] = tuple(
    descriptor.full_name
    for module in (
        recall_service_pb2,
        association_service_pb2,
        lifecycle_service_pb2,
        feedback_service_pb2,
        admin_service_pb2,
    )
    for descriptor in module.DESCRIPTOR.services_by_name.values()
)

_OPTIONS = [
    ("grpc.max_receive_message_length", MAX_RECEIVE_BYTES),
    ("grpc.max_metadata_size", 16 * 1024),
    # A second server on the port is a mistake, and fails.
    ("grpc.so_reuseport", 0),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 20_000),
    # Old connections are asked to come back, so that clients see new pods.
    ("grpc.max_connection_age_ms", 240_000),
    ("grpc.max_connection_age_grace_ms", 150_000),
]

# What gRPC's generator and its stubs leave without types.
_Add = Callable[[object, grpc.aio.Server], None]
_make_server = cast("Callable[..., grpc.aio.Server]", grpc.aio.server)
_add_recall = cast("_Add", recall_service_pb2_grpc.add_RecallServiceServicer_to_server)
_add_associations = cast("_Add", association_service_pb2_grpc.add_AssociationServiceServicer_to_server)
_add_lifecycle = cast("_Add", lifecycle_service_pb2_grpc.add_LifecycleServiceServicer_to_server)
_add_feedback = cast("_Add", feedback_service_pb2_grpc.add_FeedbackServiceServicer_to_server)
_add_admin = cast("_Add", admin_service_pb2_grpc.add_AdminServiceServicer_to_server)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How the server is set up: its address, its tokens (None: open to anybody), and its bounds."""

    listen: str
    tokens: TokenBook | None
    clock: CallClock
    max_concurrent_calls: int
    reflection: bool


class ReadinessBoard:
    """The names under which the service is asked how it is: liveness is apart from readiness."""

    def __init__(self, servicer: Any) -> None:
        self._servicer = servicer

    async def set_alive(self) -> None:
        """The process turns: this never changes while it does."""
        await self._servicer.set(LIVENESS, health_pb2.HealthCheckResponse.SERVING)

    async def set_ready(self, ready: bool) -> None:
        """Whether calls should come here."""
        serving = health_pb2.HealthCheckResponse.SERVING if ready else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in ("", READINESS, *SERVICES):
            await self._servicer.set(name, serving)

    async def drain(self) -> None:
        """Not ready, for good; the process is alive until it ends."""
        await self.set_ready(False)


def build_server(deps: Deps, options: ServerOptions) -> tuple[grpc.aio.Server, ReadinessBoard, int]:
    """The server, its readiness, and the port that it is bound to; not started.

    Raises:
        ConfigurationError: The address cannot be bound.
    """
    server = _make_server(
        interceptors=[
            TelemetryInterceptor(),
            ErrorInterceptor(),
            LimitInterceptor(options.max_concurrent_calls),
            AuthenticationInterceptor(options.tokens, options.clock),
            DecodingInterceptor(),
        ],
        options=_OPTIONS,
    )
    _add_recall(RecallHandler(deps), server)
    _add_associations(AssociationHandler(deps), server)
    _add_lifecycle(LifecycleHandler(deps), server)
    _add_feedback(FeedbackHandler(deps), server)
    _add_admin(AdminHandler(deps), server)
    servicer: Any = cast("Any", health).aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    if options.reflection:
        names = (*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
    try:
        port = server.add_insecure_port(options.listen)
    except RuntimeError as error:
        raise ConfigurationError(f"RENSOU_LISTEN {options.listen} cannot be bound: in use, or no HOST:PORT") from error
    return server, ReadinessBoard(servicer), port
