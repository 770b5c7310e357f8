"""`rensou models`: which embedding models a deployment has met, and making another one the active one."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import grpc.aio
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from rensou.v1 import admin_service_pb2 as rpc
from rensou_embedded.client import RensouClient
from rensou_embedded.errors import StackError

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
    return asyncio.run(_show(address, _credential(token_file)))


def activate_model(address: str, token_file: Path, fingerprint: str, *, allow_incomplete: bool) -> str:
    """What the activation came to.

    Raises:
        StackError: The service refuses or does not answer, or the token cannot be read.
    """
    request = rpc.ActivateEmbeddingModelRequest(fingerprint=fingerprint, allow_incomplete=allow_incomplete)
    return asyncio.run(_activate(address, _credential(token_file), request))


def _credential(token_file: Path) -> Sequence[tuple[str, str]]:
    try:
        token = token_file.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise StackError(f"the token of {token_file} cannot be read: {error}") from error
    if not token or not token.isprintable() or " " in token:
        raise StackError(
            f"{token_file} must hold an operator's token and nothing else: what stands as \"token\" in the service's"
            " tokens file, not that file itself"
        )
    return (("authorization", f"Bearer {token}"),)


async def _show(address: str, credential: Sequence[tuple[str, str]]) -> str:
    async with RensouClient(address) as client:
        try:
            answer = await client.admin.ListEmbeddingModels(
                rpc.ListEmbeddingModelsRequest(), metadata=credential, timeout=_TIMEOUT_S
            )
        except grpc.aio.AioRpcError as error:
            raise _refused(error) from error
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
            raise _refused(error) from error
    if done.former_fingerprint == done.fingerprint:
        return f"{done.fingerprint} was active already; it lacks {done.lacking} records"
    return f"{done.fingerprint} is active in the place of {done.former_fingerprint}; it lacks {done.lacking} records"


def _refused(error: grpc.aio.AioRpcError) -> StackError:
    info = error_details_pb2.ErrorInfo()
    status = rpc_status.from_call(error)  # pyright: ignore[reportArgumentType] - it has all that a call is asked for
    for detail in () if status is None else status.details:
        detail.Unpack(info)
    reason = f" ({info.reason})" if info.reason else ""
    return StackError(f"{error.code().name}{reason}: {error.details()}{_hint(info)}")


def _hint(info: error_details_pb2.ErrorInfo) -> str:
    if info.reason != "EMBEDDING_MODEL_NOT_READY":
        return ""
    if info.metadata["served"] != "true":
        return "\nThe service needs a server of that model in its settings, and none of them says that it serves it."
    return (
        "\n--allow-incomplete activates it all the same: those records are found by their words until the worker has"
        " done them."
    )
