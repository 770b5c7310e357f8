"""RecallService."""

from typing import Any

import grpc.aio

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import recall_service_pb2_grpc as stubs
from rensou_recall import status
from rensou_recall.convert.contents import decode_contents, encode_contents
from rensou_recall.convert.reconstruct import decode_reconstruct, encode_reconstruct
from rensou_recall.convert.retrieval import decode_recall, encode_recall
from rensou_recall.convert.storing import decode_batch, decode_store, encode_batch, encode_stored
from rensou_recall.convert.traverse import decode_traverse, encode_neighbourhood
from rensou_recall.pipelines.contents import get_contents
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.recall import recall
from rensou_recall.pipelines.reconstruct import reconstruct
from rensou_recall.pipelines.store import store, store_batch
from rensou_recall.pipelines.traverse import traverse
from rensou_recall.types.call import current_call
from rensou_recall.types.storing import StoreItem
from rensou_shared.errors import RensouError

Context = grpc.aio.ServicerContext[Any, Any]


class RecallHandler(stubs.RecallServiceServicer):
    """Stores what an agent learned and gives it back."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps

    async def Store(self, request: rpc.StoreRequest, context: Context) -> rpc.StoreResponse:
        """One record."""
        call = current_call()
        item = decode_store(request, call.principal, self._deps.limits.content_chars)
        return encode_stored(await store(self._deps, call, item))

    async def BatchStore(self, request: rpc.BatchStoreRequest, context: Context) -> rpc.BatchStoreResponse:
        """Up to a hundred records, each with a result of its own."""
        call = current_call()
        decoded = decode_batch(request, call.principal, self._deps.limits.content_chars)
        stored = iter(await store_batch(self._deps, call, [one for one in decoded if isinstance(one, StoreItem)]))
        answers = [one if isinstance(one, RensouError) else next(stored) for one in decoded]
        return encode_batch(answers, status.item_error)

    async def Recall(self, request: rpc.RecallRequest, context: Context) -> rpc.RecallResponse:
        """Ranked records."""
        call = current_call()
        scope, question = decode_recall(request, call.principal)
        return encode_recall(await recall(self._deps, call, scope, question))

    async def Reconstruct(self, request: rpc.ReconstructRequest, context: Context) -> rpc.ReconstructResponse:
        """Items assembled from quoted evidence."""
        call = current_call()
        scope, question = decode_reconstruct(request, call.principal)
        return encode_reconstruct(await reconstruct(self._deps, call, scope, question))

    async def Traverse(self, request: rpc.TraverseRequest, context: Context) -> rpc.TraverseResponse:
        """What is declared around an entity."""
        call = current_call()
        return encode_neighbourhood(await traverse(self._deps, call, decode_traverse(request, call.principal)))

    async def GetContents(self, request: rpc.GetContentsRequest, context: Context) -> rpc.GetContentsResponse:
        """Texts by ref, node or span."""
        call = current_call()
        scope, selectors = decode_contents(request, call.principal)
        return encode_contents(await get_contents(self._deps, call, scope, selectors))
