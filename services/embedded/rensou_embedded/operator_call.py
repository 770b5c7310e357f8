"""Calls to a running service with an operator's token: the credential, and why a call was refused."""

from collections.abc import Sequence
from pathlib import Path

import grpc.aio
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from rensou_embedded.errors import StackError


def read_credential(token_file: Path) -> Sequence[tuple[str, str]]:
    """The metadata of a call with the token that the file holds.

    Raises:
        StackError: The file cannot be read, or holds something else.
    """
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


def refused_call(error: grpc.aio.AioRpcError) -> StackError:
    """The failure as the command says it: code, reason, message, and what to do."""
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
