"""Builds as messages."""

from datetime import timedelta

from google.protobuf.duration_pb2 import Duration

from rensou.v1 import builds_pb2 as pb
from rensou_recall.convert.fields import bound, encode_time, require_list, require_name
from rensou_recall.convert.listing import decode_page
from rensou_recall.convert.records import encode_lowered
from rensou_recall.types.builds import (
    BuildListing,
    BuildPage,
    BuildState,
    BuildSummary,
    ListedBuild,
    Reach,
    Retried,
    RetriedBuild,
    Retry,
    RetryOutcome,
)
from rensou_recall.types.call import ANY_AGENT, Principal
from rensou_shared.domain import MAX_RETRIED, MAX_RETRIED_REFS, MAX_SCOPE_NAME_BYTES
from rensou_shared.errors import InvalidField
from rensou_shared.ids import AgentId, BuildId, format_build_ref, parse_build_ref

DEFAULT_RETRIED = 100

_STATES = {
    BuildState.PENDING: pb.BUILD_STATE_PENDING,
    BuildState.QUARANTINED: pb.BUILD_STATE_QUARANTINED,
    BuildState.RUNNING: pb.BUILD_STATE_RUNNING,
    BuildState.DEAD: pb.BUILD_STATE_DEAD,
}
_STATE_OF = {number: state for state, number in _STATES.items()}
_OUTCOMES = {
    RetryOutcome.QUEUED: pb.RETRY_OUTCOME_QUEUED,
    RetryOutcome.NOT_FOUND: pb.RETRY_OUTCOME_NOT_FOUND,
    RetryOutcome.NOT_DEAD: pb.RETRY_OUTCOME_NOT_DEAD,
    RetryOutcome.SUPERSEDED: pb.RETRY_OUTCOME_SUPERSEDED,
}


def decode_list_builds(request: pb.ListBuildsRequest, principal: Principal) -> BuildListing:
    """What is asked.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    reach = _decode_reach(request.agent_id, principal)
    state = None
    if request.state != pb.BUILD_STATE_UNSPECIFIED:
        state = _STATE_OF.get(request.state)
        if state is None:
            raise InvalidField("state", f"is no state of a build (it is {request.state})")
    return BuildListing(reach, state, decode_page(request.page_size, request.page_token), request.with_summary)


def decode_retry(request: pb.RetryBuildsRequest, principal: Principal) -> Retry:
    """Which builds are meant.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    reach = _decode_reach(request.agent_id, principal)
    limit, lowered = bound(request, "limit", default=DEFAULT_RETRIED, maximum=MAX_RETRIED, minimum=1)
    if request.all:
        if request.refs:
            raise InvalidField("refs", "must be empty when all is set")
        return Retry(reach, None, limit, tuple(lowered))
    require_list("refs", request.refs, MAX_RETRIED_REFS)
    if not request.refs:
        raise InvalidField("refs", "is required unless all is set")
    ids = tuple(_decode_ref(f"refs[{index}]", ref) for index, ref in enumerate(request.refs))
    return Retry(reach, ids, MAX_RETRIED_REFS)


def _decode_ref(field: str, ref: str) -> BuildId:
    build_id = parse_build_ref(ref)
    if build_id is None:
        raise InvalidField(field, 'must be a build ref "build:N"')
    return build_id


def _decode_reach(agent_id: str, principal: Principal) -> Reach:
    """The agent that is named, or all that the credential reaches."""
    require_name("agent_id", agent_id, MAX_SCOPE_NAME_BYTES)
    if agent_id:
        return Reach((principal.agent(agent_id),))
    if ANY_AGENT in principal.agents:
        return Reach(None)
    return Reach(tuple(AgentId(name) for name in sorted(principal.agents)))


def encode_builds(page: BuildPage) -> pb.ListBuildsResponse:
    """The page as a message."""
    return pb.ListBuildsResponse(
        builds=[_encode_build(one) for one in page.builds],
        next_page_token=page.next_token,
        lowered=[encode_lowered(one) for one in page.lowered],
        summary=None if page.summary is None else _encode_summary(page.summary),
    )


def _encode_build(one: ListedBuild) -> pb.Build:
    return pb.Build(
        ref=format_build_ref(one.id),
        agent_id=one.agent_id,
        record_ref=str(one.record),
        state=_STATES[one.state],
        errors=one.errors,
        crashes=one.crashes,
        next_time=encode_time(one.next_at),
        lease_until_time=encode_time(one.lease_until),
        create_time=encode_time(one.created_at),
        age=_encode_seconds(one.age_s),
        last_error=one.last_error or "",
        model_fingerprint=one.fingerprint or "",
        rebuild=one.rebuild,
        outdated=one.outdated,
    )


def _encode_summary(summary: BuildSummary) -> pb.BuildSummary:
    return pb.BuildSummary(
        pending=summary.pending,
        quarantined=summary.quarantined,
        rebuilds=summary.rebuilds,
        running=summary.running,
        dead=summary.dead,
        oldest_pending_age=_encode_seconds(summary.oldest_s),
        ended_last_minute=summary.ended,
    )


def _encode_seconds(seconds: float) -> Duration:
    """The time as a Duration; a clock that was set back makes nothing younger than now."""
    duration = Duration()
    duration.FromTimedelta(timedelta(seconds=max(seconds, 0.0)))
    return duration


def encode_retried(retried: Retried) -> pb.RetryBuildsResponse:
    """What became of each, as a message."""
    return pb.RetryBuildsResponse(
        results=[_encode_one(one) for one in retried.builds],
        queued=len({one.id for one in retried.builds if one.outcome is RetryOutcome.QUEUED}),
        remaining=retried.remaining,
        lowered=[encode_lowered(one) for one in retried.lowered],
    )


def _encode_one(one: RetriedBuild) -> pb.RetriedBuild:
    return pb.RetriedBuild(
        ref=format_build_ref(one.id),
        outcome=_OUTCOMES[one.outcome],
        agent_id=one.agent_id or "",
        record_ref="" if one.record is None else str(one.record),
    )
