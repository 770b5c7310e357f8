"""`rensou models`: which embedding models a deployment has met, and making another one the active one."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import grpc.aio

from rensou.v1 import admin_service_pb2 as rpc
from rensou_embedded.client import RensouClient
from rensou_embedded.operator_call import read_credential, refused_call

# The service counts the records of all agents: some seconds for each million.
_TIMEOUT_S = 120.0

_STATES = {
    rpc.EMBEDDING_MODEL_STATE_BUILDING: "building",
    rpc.EMBEDDING_MODEL_STATE_ACTIVE: "active",
    rpc.EMBEDDING_MODEL_STATE_RETIRED: "retired",
}


_ROLES = {rpc.EMBEDDING_SERVER_ROLE_MAIN: "main server", rpc.EMBEDDING_SERVER_ROLE_NEXT: "next server"}


def show_models(address: str, token_file: Path) -> str:
    """A line for each model (its state, how many records it lacks, its fingerprint, name and width) and each server.

    Raises:
        StackError: The service refuses or does not answer, or the token cannot be read.
    """
    return asyncio.run(_show(address, read_credential(token_file)))


def activate_model(address: str, token_file: Path, fingerprint: str, *, allow_incomplete: bool) -> str:
    """What the activation came to.

    Raises:
        StackError: The service refuses or does not answer, or the token cannot be read.
    """
    request = rpc.ActivateEmbeddingModelRequest(fingerprint=fingerprint, allow_incomplete=allow_incomplete)
    return asyncio.run(_activate(address, read_credential(token_file), request))


async def _show(address: str, credential: Sequence[tuple[str, str]]) -> str:
    async with RensouClient(address) as client:
        try:
            answer = await client.admin.ListEmbeddingModels(
                rpc.ListEmbeddingModelsRequest(), metadata=credential, timeout=_TIMEOUT_S
            )
        except grpc.aio.AioRpcError as error:
            raise refused_call(error) from error
    lines = [f"{answer.records} records"]
    lines += [
        f"{_STATES.get(one.state, 'unknown'):8}  lacks {one.lacking}  {one.fingerprint}"
        f"  ({one.name}, {one.dimensions} dimensions)"
        for one in answer.models
    ]
    lines += [f"{_ROLES.get(one.role, 'server')}  {_serving(one, answer)}" for one in answer.servers]
    return "\n".join(lines)


def _serving(server: rpc.EmbeddingServer, answer: rpc.ListEmbeddingModelsResponse) -> str:
    if not server.fingerprint:
        return f"does not say what it serves: {server.reason}"
    active = {one.fingerprint for one in answer.models if one.state == rpc.EMBEDDING_MODEL_STATE_ACTIVE}
    served = [one.fingerprint for one in answer.servers]
    is_next = server.role == rpc.EMBEDDING_SERVER_ROLE_NEXT
    if is_next and server.fingerprint in active and served.count(server.fingerprint) > 1:
        return f"serves {server.fingerprint}, the active model, as the main server does: nothing is built"
    return f"serves {server.fingerprint}"


async def _activate(
    address: str, credential: Sequence[tuple[str, str]], request: rpc.ActivateEmbeddingModelRequest
) -> str:
    async with RensouClient(address) as client:
        try:
            done = await client.admin.ActivateEmbeddingModel(request, metadata=credential, timeout=_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            raise refused_call(error) from error
    if done.former_fingerprint == done.fingerprint:
        return f"{done.fingerprint} was active already; it lacks {done.lacking} records"
    return f"{done.fingerprint} is active in the place of {done.former_fingerprint}; it lacks {done.lacking} records"
