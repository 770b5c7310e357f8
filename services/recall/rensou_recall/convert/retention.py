"""Policies of retention on the wire."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from rensou.v1 import errors_pb2, types_pb2
from rensou.v1 import retention_pb2 as pb
from rensou.v1.confidence_pb2 import ConfidenceLevel
from rensou_recall.convert.fields import encode_time, require_list, require_name, require_record_ref
from rensou_recall.convert.records import encode_lowered
from rensou_recall.convert.scopes import decode_write_scope
from rensou_recall.stages.retention import policy_digest, wanted
from rensou_recall.types.call import Principal
from rensou_recall.types.lifecycle import RestoreAnswer, Restored
from rensou_recall.types.listing import PageRequest
from rensou_recall.types.records import LoweredBound
from rensou_recall.types.retention import (
    Application,
    Applied,
    Ground,
    Match,
    Policy,
    PolicyKey,
    RetentionPage,
    RetentionTest,
    RetentionTests,
    SkipReason,
)
from rensou_shared.domain import MAX_REASON_BYTES, MAX_RETENTION_PAGE, MAX_SCOPE_NAME_BYTES
from rensou_shared.errors import InvalidField, RensouError
from rensou_shared.ids import RecordRef
from rensou_shared.scope import WriteScope

DEFAULT_PAGE_SIZE = 50
MAX_DAYS = 36_500
MAX_UNRECALLED_DAYS = 90
MAX_REPORTS = 10_000

_TESTS = {
    RetentionTest.OLDER_THAN_DAYS: pb.RETENTION_TEST_OLDER_THAN_DAYS,
    RetentionTest.NOT_RECALLED_DAYS: pb.RETENTION_TEST_NOT_RECALLED_DAYS,
    RetentionTest.STATE_REPLACED: pb.RETENTION_TEST_STATE_REPLACED,
    RetentionTest.VALIDITY_PAST: pb.RETENTION_TEST_VALIDITY_PAST,
    RetentionTest.CONFIDENCE_AT_MOST: pb.RETENTION_TEST_CONFIDENCE_AT_MOST,
    RetentionTest.WRONG_REPORTS_AT_LEAST: pb.RETENTION_TEST_WRONG_REPORTS_AT_LEAST,
    RetentionTest.UNUSED_REPORTS_AT_LEAST: pb.RETENTION_TEST_UNUSED_REPORTS_AT_LEAST,
    RetentionTest.SOURCE_TYPE: pb.RETENTION_TEST_SOURCE_TYPE,
    RetentionTest.CHANNEL: pb.RETENTION_TEST_CHANNEL,
}
_SKIPS = {
    SkipReason.LOCKED: pb.SKIP_REASON_LOCKED,
    SkipReason.NO_LONGER_MATCHES: pb.SKIP_REASON_NO_LONGER_MATCHES,
    SkipReason.ALREADY_RETIRED: pb.SKIP_REASON_ALREADY_RETIRED,
    SkipReason.NOT_FOUND: pb.SKIP_REASON_NOT_FOUND,
}


def decode_key(path: str, key: pb.PolicyKey, principal: Principal) -> PolicyKey:
    """Which policy.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_place(f"{path}.scope", key.scope, principal)
    return PolicyKey(scope, require_name(f"{path}.name", key.name, MAX_SCOPE_NAME_BYTES, required=True))


def decode_place(path: str, scope: types_pb2.WriteScope, principal: Principal) -> WriteScope:
    """The place of policies; errors name their field under `path`."""
    try:
        return decode_write_scope(scope, principal)
    except InvalidField as error:
        raise type(error)(error.field.replace("scope", path, 1), error.problem) from error


def decode_put(request: pb.PutRetentionPolicyRequest, principal: Principal) -> tuple[PolicyKey, RetentionTests]:
    """The policy.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    key = decode_key("policy.key", request.policy.key, principal)
    asked, path = request.policy.tests, "policy.tests"
    tests = RetentionTests(
        older_than_days=_number(asked, path, "older_than_days", MAX_DAYS),
        not_recalled_days=_number(asked, path, "not_recalled_days", MAX_UNRECALLED_DAYS),
        state_replaced=asked.state_replaced or None,
        validity_past=asked.validity_past or None,
        confidence_at_most=_level(asked, path),
        wrong_reports_at_least=_number(asked, path, "wrong_reports_at_least", MAX_REPORTS),
        unused_reports_at_least=_number(asked, path, "unused_reports_at_least", MAX_REPORTS),
        source_type=_name(asked, path, "source_type"),
        channel=_name(asked, path, "channel"),
    )
    if not wanted(tests):
        raise InvalidField(path, "needs at least one test: one without any would retire everything")
    return key, tests


def _level(tests: pb.RetentionTests, path: str) -> int | None:
    level = tests.confidence_at_most
    if level not in ConfidenceLevel.values():
        raise InvalidField(f"{path}.confidence_at_most", f"{level} is no level of this version")
    return int(level) or None


def _number(tests: pb.RetentionTests, path: str, field: str, maximum: int) -> int | None:
    if not tests.HasField(field):  # pyright: ignore[reportArgumentType] - the name of an optional field
        return None
    number = int(getattr(tests, field))
    if not 1 <= number <= maximum:
        raise InvalidField(f"{path}.{field}", f"must be 1-{maximum} (it is {number})")
    return number


def _name(tests: pb.RetentionTests, path: str, field: str) -> str | None:
    if not tests.HasField(field):  # pyright: ignore[reportArgumentType] - the name of an optional field
        return None
    return require_name(f"{path}.{field}", getattr(tests, field), MAX_SCOPE_NAME_BYTES)


def encode_policy(policy: Policy) -> pb.RetentionPolicy:
    """The policy as it stands."""
    scope, tests = policy.key.scope, policy.tests
    given = {name: value for name, value in asdict(tests).items() if value is not None}
    return pb.RetentionPolicy(
        key=pb.PolicyKey(
            scope=types_pb2.WriteScope(agent_id=scope.agent_id, project_id=scope.project_id, channel=scope.channel),
            name=policy.key.name,
        ),
        tests=pb.RetentionTests(**given),
        digest=policy_digest(policy.key, tests),
        put_time=encode_time(policy.put_at),
        put_by=policy.put_by,
    )


def decode_list(request: pb.ListRetentionRequest, principal: Principal) -> tuple[PolicyKey, PageRequest]:
    """Which policy, and which page.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    key, size = decode_key("key", request.key, principal), request.page_size
    if size < 0:
        raise InvalidField("page_size", f"must be 0 or more (it is {size})")
    if size > MAX_RETENTION_PAGE:
        lowered = (LoweredBound("page_size", size, MAX_RETENTION_PAGE),)
        return key, PageRequest(MAX_RETENTION_PAGE, request.page_token, lowered)
    return key, PageRequest(size or DEFAULT_PAGE_SIZE, request.page_token)


def encode_matches(page: RetentionPage) -> pb.ListRetentionResponse:
    """The page as a message."""
    return pb.ListRetentionResponse(
        matches=[_encode_match(match) for match in page.matches],
        next_page_token=page.next_token,
        digest=page.digest,
        lowered=[encode_lowered(one) for one in page.lowered],
    )


def _encode_match(match: Match) -> pb.RetentionMatch:
    grounds = [_encode_ground(ground) for ground in match.grounds]
    return pb.RetentionMatch(ref=str(match.ref), create_time=encode_time(match.created_at), grounds=grounds)


def _encode_ground(ground: Ground) -> pb.RetentionGround:
    return pb.RetentionGround(test=_TESTS[ground.test], found=ground.found, refs=[str(ref) for ref in ground.refs])


def decode_apply(request: pb.ApplyRetentionRequest, principal: Principal) -> Application:
    """Which records, by which policy.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    key = decode_key("key", request.key, principal)
    require_list("refs", request.refs, MAX_RETENTION_PAGE, minimum=1)
    refs: dict[RecordRef, int] = {}
    for position, text in enumerate(request.refs):
        ref = require_record_ref(f"refs[{position}]", text)
        if ref in refs:
            raise InvalidField(f"refs[{position}]", f"stands already at refs[{refs[ref]}]")
        refs[ref] = position
    digest = require_name("digest", request.digest, MAX_SCOPE_NAME_BYTES, required=True)
    return Application(key, tuple(refs), digest, require_name("reason", request.reason, MAX_REASON_BYTES))


def encode_applied(applied: Applied) -> pb.ApplyRetentionResponse:
    """What became of each record."""
    return pb.ApplyRetentionResponse(
        retired=[str(ref) for ref in applied.retired],
        skipped=[pb.SkippedRecord(ref=str(ref), reason=_SKIPS[reason]) for ref, reason in applied.skipped],
    )


def encode_restored(
    asked: Sequence[str],
    answers: Sequence[RestoreAnswer],
    reason_of: Callable[[RensouError], errors_pb2.ErrorReason],
) -> pb.RestoreResponse:
    """What became of each ref, as it was asked."""
    results: list[pb.RestoreResult] = []
    for ref, answer in zip(asked, answers, strict=True):
        if isinstance(answer, Restored):
            back = pb.RestoredRecord(caller_ids=answer.caller_ids, caller_ids_lost=answer.caller_ids_lost)
            results.append(pb.RestoreResult(ref=ref, restored=back))
        else:
            results.append(pb.RestoreResult(ref=ref, refused=reason_of(answer)))
    return pb.RestoreResponse(results=results)
