"""The one place where a fault becomes a gRPC status with its details."""

from dataclasses import dataclass
from math import ceil

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from rensou.v1 import errors_pb2 as pb
from rensou.v1 import recall_service_pb2 as rpc
from rensou_shared import errors

DOMAIN = "rensou.v1"


@dataclass(frozen=True, slots=True)
class _Kind:
    code: grpc.StatusCode
    reason: pb.ErrorReason


_KINDS: dict[type[errors.RensouError], _Kind] = {
    errors.InvalidText: _Kind(grpc.StatusCode.INVALID_ARGUMENT, pb.ERROR_REASON_INVALID_TEXT),
    errors.TooLarge: _Kind(grpc.StatusCode.INVALID_ARGUMENT, pb.ERROR_REASON_TOO_LARGE),
    errors.InvalidPageToken: _Kind(grpc.StatusCode.INVALID_ARGUMENT, pb.ERROR_REASON_INVALID_PAGE_TOKEN),
    errors.InvalidField: _Kind(grpc.StatusCode.INVALID_ARGUMENT, pb.ERROR_REASON_INVALID_FIELD),
    errors.RecordNotFound: _Kind(grpc.StatusCode.NOT_FOUND, pb.ERROR_REASON_RECORD_NOT_FOUND),
    errors.EntityNotFound: _Kind(grpc.StatusCode.NOT_FOUND, pb.ERROR_REASON_ENTITY_NOT_FOUND),
    errors.RelationNotFound: _Kind(grpc.StatusCode.NOT_FOUND, pb.ERROR_REASON_RELATION_NOT_FOUND),
    errors.CallerIdConflict: _Kind(grpc.StatusCode.ABORTED, pb.ERROR_REASON_CALLER_ID_CONFLICT),
    errors.RecordLocked: _Kind(grpc.StatusCode.FAILED_PRECONDITION, pb.ERROR_REASON_RECORD_LOCKED),
    errors.RecordRetired: _Kind(grpc.StatusCode.FAILED_PRECONDITION, pb.ERROR_REASON_RECORD_RETIRED),
    errors.RecordNotRetired: _Kind(grpc.StatusCode.FAILED_PRECONDITION, pb.ERROR_REASON_RECORD_NOT_RETIRED),
    errors.PolicyNotFound: _Kind(grpc.StatusCode.NOT_FOUND, pb.ERROR_REASON_POLICY_NOT_FOUND),
    errors.PolicyChanged: _Kind(grpc.StatusCode.ABORTED, pb.ERROR_REASON_POLICY_CHANGED),
    errors.DuplicateContent: _Kind(grpc.StatusCode.ALREADY_EXISTS, pb.ERROR_REASON_DUPLICATE_CONTENT),
    errors.RevisionMismatch: _Kind(grpc.StatusCode.ABORTED, pb.ERROR_REASON_REVISION_MISMATCH),
    errors.UnsupportedMode: _Kind(grpc.StatusCode.UNIMPLEMENTED, pb.ERROR_REASON_UNSUPPORTED_MODE),
    errors.EmbeddingModelNotFound: _Kind(grpc.StatusCode.NOT_FOUND, pb.ERROR_REASON_EMBEDDING_MODEL_NOT_FOUND),
    errors.EmbeddingModelNotReady: _Kind(
        grpc.StatusCode.FAILED_PRECONDITION, pb.ERROR_REASON_EMBEDDING_MODEL_NOT_READY
    ),
    errors.Unauthenticated: _Kind(grpc.StatusCode.UNAUTHENTICATED, pb.ERROR_REASON_UNAUTHENTICATED),
    errors.PermissionDenied: _Kind(grpc.StatusCode.PERMISSION_DENIED, pb.ERROR_REASON_PERMISSION_DENIED),
    errors.Overloaded: _Kind(grpc.StatusCode.RESOURCE_EXHAUSTED, pb.ERROR_REASON_OVERLOADED),
    errors.DeadlineExceeded: _Kind(grpc.StatusCode.DEADLINE_EXCEEDED, pb.ERROR_REASON_DEADLINE_EXCEEDED),
    errors.DatabaseUnavailable: _Kind(grpc.StatusCode.UNAVAILABLE, pb.ERROR_REASON_DATABASE_UNAVAILABLE),
    errors.WriteConflict: _Kind(grpc.StatusCode.ABORTED, pb.ERROR_REASON_WRITE_CONFLICT),
}
_INTERNAL = _Kind(grpc.StatusCode.INTERNAL, pb.ERROR_REASON_INTERNAL)


def _kind(error: errors.RensouError) -> _Kind:
    for one in type(error).__mro__:
        if one in _KINDS:
            return _KINDS[one]
    return _INTERNAL


def reason_of(error: errors.RensouError) -> pb.ErrorReason:
    """The contract's name for the fault."""
    return _kind(error).reason


def item_error(error: errors.RensouError) -> rpc.ItemError:
    """The fault of one item of a batch."""
    if isinstance(error, errors.InvalidField):
        return rpc.ItemError(reason=reason_of(error), field=error.field, message=error.problem)
    return rpc.ItemError(reason=reason_of(error), message=str(error))


def to_status(error: errors.RensouError) -> status_pb2.Status:
    """The fault as a google.rpc.Status: ErrorInfo always, BadRequest for a field, RetryInfo where waiting helps."""
    kind = _kind(error)
    details: list[Message] = [_info(kind.reason, _metadata(error))]
    if isinstance(error, errors.InvalidField):
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=error.field, description=error.problem, reason=_name(kind.reason)
        )
        details.append(error_details_pb2.BadRequest(field_violations=[violation]))
    if isinstance(error, errors.Overloaded | errors.DatabaseUnavailable):
        delay = Duration(seconds=ceil(error.retry_after_s))
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    if isinstance(error, errors.RecordNotFound):
        details.append(error_details_pb2.ResourceInfo(resource_type="record", resource_name=error.ref))
    if isinstance(error, errors.EntityNotFound):
        details.append(error_details_pb2.ResourceInfo(resource_type="entity", resource_name=error.entity))
    if isinstance(error, errors.PolicyNotFound):
        details.append(error_details_pb2.ResourceInfo(resource_type="retention_policy", resource_name=error.name))
    if isinstance(error, errors.RelationNotFound):
        details.append(error_details_pb2.ResourceInfo(resource_type="relation", resource_name=error.ref))
    if isinstance(error, errors.EmbeddingModelNotFound):
        details.append(error_details_pb2.ResourceInfo(resource_type="embedding_model", resource_name=error.fingerprint))
    return _status(kind.code, str(error), details)


def internal_status(incident_id: str) -> status_pb2.Status:
    """The status of a fault that is ours; the id finds it in the log, nothing of it is shown."""
    info = _info(pb.ERROR_REASON_INTERNAL, {"incident_id": incident_id})
    return _status(grpc.StatusCode.INTERNAL, f"internal error, incident {incident_id}", [info])


def _metadata(error: errors.RensouError) -> dict[str, str]:
    match error:
        case errors.InvalidField():
            return {"field": error.field}
        case errors.CallerIdConflict() | errors.RecordLocked() | errors.DuplicateContent() | errors.RecordNotFound():
            return {"ref": error.ref}
        case errors.RecordRetired() | errors.RecordNotRetired():
            return {"ref": error.ref}
        case errors.PolicyChanged():
            return {"digest": error.digest}
        case errors.RevisionMismatch():
            return {"ref": error.ref, "revision": str(error.revision)}
        case errors.UnsupportedMode():
            return {"mode": error.mode}
        case errors.EmbeddingModelNotReady():
            return {"lacking": str(error.lacking), "served": str(error.served).lower()}
        case _:
            return {}


def _info(reason: pb.ErrorReason, metadata: dict[str, str]) -> error_details_pb2.ErrorInfo:
    return error_details_pb2.ErrorInfo(reason=_name(reason), domain=DOMAIN, metadata=metadata)


def _name(reason: pb.ErrorReason) -> str:
    return pb.ErrorReason.Name(reason).removeprefix("ERROR_REASON_")


def _status(code: grpc.StatusCode, message: str, details: list[Message]) -> status_pb2.Status:
    packed: list[Any] = []
    for detail in details:
        one = Any()
        one.Pack(detail)
        packed.append(one)
    return status_pb2.Status(code=code.value[0], message=message, details=packed)
