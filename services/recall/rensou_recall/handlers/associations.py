"""AssociationService."""

from typing import Any

import grpc.aio

from rensou.v1 import association_service_pb2 as rpc
from rensou.v1 import association_service_pb2_grpc as stubs
from rensou_recall.convert.associations import decode_declare, encode_declared
from rensou_recall.pipelines.declare import declare
from rensou_recall.pipelines.deps import Deps
from rensou_recall.types.call import current_call

Context = grpc.aio.ServicerContext[Any, Any]


class AssociationHandler(stubs.AssociationServiceServicer):
    """Keeps what is declared to be connected."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps

    async def DeclareAssociations(
        self, request: rpc.DeclareAssociationsRequest, context: Context
    ) -> rpc.DeclareAssociationsResponse:
        """Declarations, and what is taken back."""
        call = current_call()
        scope, declaration = decode_declare(request, call.principal)
        return encode_declared(*await declare(self._deps, call, scope, declaration))
