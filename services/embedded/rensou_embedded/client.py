"""A client of rensou.v1 for this package's own commands: one channel, every stub."""

from types import TracebackType
from typing import Self

import grpc.aio

from rensou.v1 import (
    admin_service_pb2_grpc,
    association_service_pb2_grpc,
    feedback_service_pb2_grpc,
    lifecycle_service_pb2_grpc,
    recall_service_pb2_grpc,
)
from rensou_embedded.client_types import AdminStub, AssociationStub, FeedbackStub, LifecycleStub, RecallStub


class RensouClient:
    """The services of rensou.v1 at one address, without TLS; close it, or use it as a context manager."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.aio.insecure_channel(address)
        self.recall: RecallStub = recall_service_pb2_grpc.RecallServiceStub(self._channel)
        self.associations: AssociationStub = association_service_pb2_grpc.AssociationServiceStub(self._channel)
        self.lifecycle: LifecycleStub = lifecycle_service_pb2_grpc.LifecycleServiceStub(self._channel)
        self.feedback: FeedbackStub = feedback_service_pb2_grpc.FeedbackServiceStub(self._channel)
        self.admin: AdminStub = admin_service_pb2_grpc.AdminServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._channel.close(None)
