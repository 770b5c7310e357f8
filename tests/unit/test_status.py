"""Faults as statuses."""

import inspect
from typing import cast

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from rensou.v1 import errors_pb2 as pb
from rensou_recall.status import DOMAIN, internal_status, item_error, reason_of, to_status
from rensou_shared import errors

# A process that meets one of these does not start: no call ever sees them.
AT_START = {errors.ConfigurationError, errors.SchemaUnknown}
SAMPLES: dict[type[errors.RensouError], errors.RensouError] = {
    errors.InvalidField: errors.InvalidField("scope.agent_id", "is required"),
    errors.InvalidText: errors.InvalidText("content", "holds a NUL"),
    errors.TooLarge: errors.TooLarge("content", "is too long"),
    errors.InvalidPageToken: errors.InvalidPageToken(),
    errors.RecordNotFound: errors.RecordNotFound("mem:1"),
    errors.EntityNotFound: errors.EntityNotFound("the tower"),
    errors.RelationNotFound: errors.RelationNotFound("rel:1"),
    errors.CallerIdConflict: errors.CallerIdConflict("mem:1"),
    errors.RecordLocked: errors.RecordLocked("mem:1"),
    errors.RecordRetired: errors.RecordRetired("mem:1"),
    errors.RecordNotRetired: errors.RecordNotRetired("mem:1"),
    errors.PolicyNotFound: errors.PolicyNotFound("old"),
    errors.PolicyChanged: errors.PolicyChanged("old", "abc"),
    errors.DuplicateContent: errors.DuplicateContent("mem:1"),
    errors.RevisionMismatch: errors.RevisionMismatch("mem:1", 3),
    errors.UnsupportedMode: errors.UnsupportedMode("FORGET_MODE_RETIRE"),
    errors.EmbeddingModelNotFound: errors.EmbeddingModelNotFound("1:abc"),
    errors.EmbeddingModelNotReady: errors.EmbeddingModelNotReady(7, served=True),
    errors.Unauthenticated: errors.Unauthenticated("no credential"),
    errors.PermissionDenied: errors.PermissionDenied("not that agent"),
    errors.Overloaded: errors.Overloaded("too many calls", 1.2),
    errors.DeadlineExceeded: errors.DeadlineExceeded("the deadline passed"),
    errors.DatabaseUnavailable: errors.DatabaseUnavailable("gone", 0.4),
    errors.WriteConflict: errors.WriteConflict("lost"),
}
ALL = list(SAMPLES.values())


def details(status: status_pb2.Status) -> dict[str, Message]:
    """The details by the name of their type; each stands once."""
    found: dict[str, Message] = {}
    for packed in status.details:
        kind = getattr(error_details_pb2, packed.TypeName().rpartition(".")[2])
        detail = kind()
        assert packed.Unpack(detail) and kind.__name__ not in found
        found[kind.__name__] = detail
    return found


def info(status: status_pb2.Status) -> error_details_pb2.ErrorInfo:
    return cast("error_details_pb2.ErrorInfo", details(status)["ErrorInfo"])


def test_every_fault_that_a_call_can_meet_has_a_sample_here() -> None:
    classes = {kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.RensouError)}
    assert classes - AT_START - {errors.RensouError} == set(SAMPLES)


def test_every_fault_has_a_reason_of_its_own() -> None:
    reasons = [reason_of(error) for error in ALL]
    assert len(set(reasons)) == len(ALL)
    assert pb.ERROR_REASON_INTERNAL not in reasons


def test_every_reason_of_the_contract_is_some_faults_or_internal() -> None:
    used = {reason_of(error) for error in ALL} | {pb.ERROR_REASON_UNSPECIFIED, pb.ERROR_REASON_INTERNAL}
    assert used == set(pb.ErrorReason.values())


@pytest.mark.parametrize("error", ALL, ids=lambda e: type(e).__name__)
def test_the_code_is_the_one_that_the_contract_names(error: errors.RensouError) -> None:
    source = pb.DESCRIPTOR.enum_types_by_name["ErrorReason"].values_by_number[reason_of(error)].name
    code = next(code for code in grpc.StatusCode if code.value[0] == to_status(error).code)
    assert CODES[source.removeprefix("ERROR_REASON_")] is code


CODES = {
    "RECORD_RETIRED": grpc.StatusCode.FAILED_PRECONDITION,
    "RECORD_NOT_RETIRED": grpc.StatusCode.FAILED_PRECONDITION,
    "POLICY_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "POLICY_CHANGED": grpc.StatusCode.ABORTED,
    "INVALID_FIELD": grpc.StatusCode.INVALID_ARGUMENT,
    "INVALID_TEXT": grpc.StatusCode.INVALID_ARGUMENT,
    "TOO_LARGE": grpc.StatusCode.INVALID_ARGUMENT,
    "INVALID_PAGE_TOKEN": grpc.StatusCode.INVALID_ARGUMENT,
    "RECORD_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "ENTITY_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "RELATION_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "CALLER_ID_CONFLICT": grpc.StatusCode.ABORTED,
    "RECORD_LOCKED": grpc.StatusCode.FAILED_PRECONDITION,
    "DUPLICATE_CONTENT": grpc.StatusCode.ALREADY_EXISTS,
    "UNSUPPORTED_MODE": grpc.StatusCode.UNIMPLEMENTED,
    "UNAUTHENTICATED": grpc.StatusCode.UNAUTHENTICATED,
    "PERMISSION_DENIED": grpc.StatusCode.PERMISSION_DENIED,
    "OVERLOADED": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "DEADLINE_EXCEEDED": grpc.StatusCode.DEADLINE_EXCEEDED,
    "DATABASE_UNAVAILABLE": grpc.StatusCode.UNAVAILABLE,
    "WRITE_CONFLICT": grpc.StatusCode.ABORTED,
    "REVISION_MISMATCH": grpc.StatusCode.ABORTED,
    "EMBEDDING_MODEL_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "EMBEDDING_MODEL_NOT_READY": grpc.StatusCode.FAILED_PRECONDITION,
}


@pytest.mark.parametrize("error", ALL, ids=lambda e: type(e).__name__)
def test_every_status_carries_one_error_info_of_the_domain(error: errors.RensouError) -> None:
    status = to_status(error)
    assert info(status).domain == DOMAIN == "rensou.v1"
    assert f"ERROR_REASON_{info(status).reason}" == pb.ErrorReason.Name(reason_of(error))
    assert status.message == str(error) != ""


@pytest.mark.parametrize("error", ALL, ids=lambda e: type(e).__name__)
def test_bad_request_stands_exactly_where_a_field_is_wrong(error: errors.RensouError) -> None:
    found = details(to_status(error)).get("BadRequest")
    assert (found is not None) == isinstance(error, errors.InvalidField)
    if isinstance(error, errors.InvalidField):
        (violation,) = cast("error_details_pb2.BadRequest", found).field_violations
        assert (violation.field, violation.description) == (error.field, error.problem)


@pytest.mark.parametrize("error", ALL, ids=lambda e: type(e).__name__)
def test_retry_info_stands_exactly_where_waiting_helps(error: errors.RensouError) -> None:
    found = details(to_status(error)).get("RetryInfo")
    assert (found is not None) == isinstance(error, errors.Overloaded | errors.DatabaseUnavailable)


@pytest.mark.parametrize(("wait_s", "whole_s"), [(0.4, 1), (1.0, 1), (1.2, 2)])
def test_the_wait_is_rounded_up(wait_s: float, whole_s: int) -> None:
    found = cast("error_details_pb2.RetryInfo", details(to_status(errors.Overloaded("busy", wait_s)))["RetryInfo"])
    assert found.retry_delay.seconds == whole_s


def test_what_is_missing_is_named_as_it_was_asked_for() -> None:
    record = cast("error_details_pb2.ResourceInfo", details(to_status(SAMPLES[errors.RecordNotFound]))["ResourceInfo"])
    entity = cast("error_details_pb2.ResourceInfo", details(to_status(SAMPLES[errors.EntityNotFound]))["ResourceInfo"])
    assert (record.resource_type, record.resource_name) == ("record", "mem:1")
    assert (entity.resource_type, entity.resource_name) == ("entity", "the tower")
    kind = errors.EmbeddingModelNotFound
    model = cast("error_details_pb2.ResourceInfo", details(to_status(SAMPLES[kind]))["ResourceInfo"])
    assert (model.resource_type, model.resource_name) == ("embedding_model", "1:abc")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("ent:5", "no entity ent:5"),
        ("the tower", "no entity of the name or alias 'the tower'"),
        ("塔" * 61, f"no entity of the name or alias '{'塔' * 60}…'"),
    ],
)
def test_the_message_repeats_which_entity_was_asked_for(asked: str, message: str) -> None:
    assert to_status(errors.EntityNotFound(asked)).message == message


def test_the_metadata_says_what_a_program_needs() -> None:
    metadata = {kind: dict(info(to_status(error)).metadata) for kind, error in SAMPLES.items()}
    assert metadata[errors.TooLarge] == {"field": "content"}
    assert metadata[errors.RevisionMismatch] == {"ref": "mem:1", "revision": "3"}
    assert metadata[errors.UnsupportedMode] == {"mode": "FORGET_MODE_RETIRE"}
    assert metadata[errors.CallerIdConflict] == metadata[errors.RecordLocked] == {"ref": "mem:1"}
    assert metadata[errors.EmbeddingModelNotReady] == {"lacking": "7", "served": "true"}
    assert metadata[errors.Unauthenticated] == {}


def test_a_fault_of_ours_shows_its_incident_and_nothing_else() -> None:
    status = internal_status("abc")
    assert status.code == grpc.StatusCode.INTERNAL.value[0]
    assert (info(status).reason, dict(info(status).metadata)) == ("INTERNAL", {"incident_id": "abc"})


def test_a_fault_that_no_call_should_meet_is_internal() -> None:
    for error in (errors.ConfigurationError("x"), errors.SchemaUnknown("x")):
        assert reason_of(error) == pb.ERROR_REASON_INTERNAL


def test_an_items_error_names_its_field_and_reason() -> None:
    error = item_error(SAMPLES[errors.InvalidText])
    assert (error.reason, error.field, error.message) == (pb.ERROR_REASON_INVALID_TEXT, "content", "holds a NUL")
    other = item_error(SAMPLES[errors.CallerIdConflict])
    assert (other.reason, other.field) == (pb.ERROR_REASON_CALLER_ID_CONFLICT, "")
    assert "mem:1" in other.message
