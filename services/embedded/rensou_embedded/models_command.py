"""`rensou models`: which embedding models a deployment has met, and making another one the active one."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import grpc.aio

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


def show_models(address: str, token_file: Path) -> str:
    """A line for each model: its state, how many records it lacks, its fingerprint, name and width.

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
        raise StackError(f"{token_file} must hold an operator's token and nothing else")
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
    return "\n".join(lines)


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
    return StackError(f"{error.code().name}: {error.details()}")
