"""Faults become statuses here and nowhere else."""

import uuid
from typing import NoReturn

import grpc.aio
from google.protobuf.message import Message
from google.rpc import status_pb2
from grpc_status import rpc_status

from rensou_recall.interceptors.wrapping import Behaviour, Context, UnaryInterceptor
from rensou_recall.status import internal_status, to_status
from rensou_shared.errors import DeadlineExceeded, RensouError
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)


class ErrorInterceptor(UnaryInterceptor):
    """Answers every fault with a google.rpc.Status; one that the contract does not name is logged and hidden."""

    async def around(self, method: str, request: Message, context: Context, proceed: Behaviour) -> Message:
        """See the class."""
        try:
            return await proceed(request, context)
        except RensouError as error:
            await _abort(context, to_status(error))
        except TimeoutError:
            await _abort(context, to_status(DeadlineExceeded("the deadline passed")))
        except grpc.aio.AbortError:
            raise
        except Exception:  # noqa: BLE001 - the last line of defence: logged whole, shown as INTERNAL
            incident_id = uuid.uuid4().hex
            _log.exception("internal_error", method=method, incident_id=incident_id)
            await _abort(context, internal_status(incident_id))


async def _abort(context: Context, status: status_pb2.Status) -> NoReturn:
    """Ends the call with the code, the message and, as trailing metadata, the whole status (as grpc-status does)."""
    wire = rpc_status.to_status(status)
    await context.abort(wire.code, wire.details or "", wire.trailing_metadata or ())
