"""AssociationService."""

from typing import Any

import grpc.aio

from rensou.v1 import association_service_pb2 as rpc
from rensou.v1 import association_service_pb2_grpc as stubs
from rensou_recall.convert.associations import decode_declare, encode_declared
from rensou_recall.convert.listing import (
    decode_delete_entity,
    decode_list_candidates,
    decode_list_entities,
    decode_list_relations,
    encode_candidates,
    encode_deleted,
    encode_entities,
    encode_relations,
)
from rensou_recall.pipelines.declare import declare
from rensou_recall.pipelines.delete_entity import delete_entity
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.listing import list_contradiction_candidates, list_entities, list_relations
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

    async def ListRelations(self, request: rpc.ListRelationsRequest, context: Context) -> rpc.ListRelationsResponse:
        """A page of relations."""
        call = current_call()
        listing = decode_list_relations(request, call.principal)
        return encode_relations(await list_relations(self._deps, call, listing))

    async def ListEntities(self, request: rpc.ListEntitiesRequest, context: Context) -> rpc.ListEntitiesResponse:
        """A page of entities."""
        call = current_call()
        listing = decode_list_entities(request, call.principal)
        return encode_entities(await list_entities(self._deps, call, listing))

    async def DeleteEntity(self, request: rpc.DeleteEntityRequest, context: Context) -> rpc.DeleteEntityResponse:
        """Removes an entity and what names it."""
        call = current_call()
        agent_id, entity_id = decode_delete_entity(request, call.principal)
        return encode_deleted(await delete_entity(self._deps, call, agent_id, entity_id))

    async def ListContradictionCandidates(
        self, request: rpc.ListContradictionCandidatesRequest, context: Context
    ) -> rpc.ListContradictionCandidatesResponse:
        """A page of pairs of relations."""
        call = current_call()
        listing = decode_list_candidates(request, call.principal)
        return encode_candidates(await list_contradiction_candidates(self._deps, call, listing))
