"""AdminService."""

from typing import Any

import grpc.aio

from rensou.v1 import admin_service_pb2 as rpc
from rensou.v1 import admin_service_pb2_grpc as stubs
from rensou.v1 import builds_pb2
from rensou_recall.convert.admin import decode_health, encode_capabilities, encode_health
from rensou_recall.convert.builds import decode_list_builds, decode_retry, encode_builds, encode_retried
from rensou_recall.convert.models import decode_activation, encode_activation, encode_models
from rensou_recall.pipelines.builds import list_agents_builds, retry_agents_builds
from rensou_recall.pipelines.capabilities import get_capabilities
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.health import check_health
from rensou_recall.pipelines.models import activate_embedding_model, list_embedding_models
from rensou_recall.types.call import current_call

Context = grpc.aio.ServicerContext[Any, Any]


class AdminHandler(stubs.AdminServiceServicer):
    """Says how the service is and what it can do."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps

    async def CheckHealth(self, request: rpc.CheckHealthRequest, context: Context) -> rpc.CheckHealthResponse:
        """Findings about an agent's data."""
        call = current_call()
        agent_id = decode_health(request, call.principal)
        return encode_health(await check_health(self._deps, call, agent_id, repair=request.repair))

    async def GetCapabilities(
        self, request: rpc.GetCapabilitiesRequest, context: Context
    ) -> rpc.GetCapabilitiesResponse:
        """What works here."""
        return encode_capabilities(await get_capabilities(self._deps, current_call()))

    async def ListEmbeddingModels(
        self, request: rpc.ListEmbeddingModelsRequest, context: Context
    ) -> rpc.ListEmbeddingModelsResponse:
        """The models and how far each is built."""
        return encode_models(await list_embedding_models(self._deps, current_call()))

    async def ActivateEmbeddingModel(
        self, request: rpc.ActivateEmbeddingModelRequest, context: Context
    ) -> rpc.ActivateEmbeddingModelResponse:
        """Another model for every question from here on."""
        fingerprint = decode_activation(request)
        allow = request.allow_incomplete
        return encode_activation(
            await activate_embedding_model(self._deps, current_call(), fingerprint, allow_incomplete=allow)
        )

    async def ListBuilds(
        self, request: builds_pb2.ListBuildsRequest, context: Context
    ) -> builds_pb2.ListBuildsResponse:
        """Work that has not ended well."""
        call = current_call()
        listing = decode_list_builds(request, call.principal)
        return encode_builds(await list_agents_builds(self._deps, call, listing))

    async def RetryBuilds(
        self, request: builds_pb2.RetryBuildsRequest, context: Context
    ) -> builds_pb2.RetryBuildsResponse:
        """Dead builds, asked for again."""
        call = current_call()
        retry = decode_retry(request, call.principal)
        return encode_retried(await retry_agents_builds(self._deps, call, retry))
