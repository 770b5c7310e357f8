"""When records and relations are true."""

from collections.abc import Sequence

from rensou.v1 import validity_pb2 as rpc
from rensou_recall.convert.associations import DROP_REASONS
from rensou_recall.convert.fields import decode_time, encode_time, require_list
from rensou_recall.convert.scopes import decode_agent
from rensou_recall.types.call import Principal
from rensou_recall.types.graph import DropReason
from rensou_recall.types.interval import ValidityState
from rensou_recall.types.validity import (
    Asserted,
    Assertion,
    AssertionAnswer,
    Claimed,
    LeftOut,
    RelationTimeline,
    TimelineEntry,
    Validity,
    ValidityTarget,
)
from rensou_shared.domain import MAX_ASSERTIONS
from rensou_shared.errors import InvalidField
from rensou_shared.ids import (
    AgentId,
    RecordRef,
    format_entity_ref,
    format_relation_ref,
    parse_record_ref,
    parse_relation_ref,
)

_STATES = {
    ValidityState.VALID: rpc.VALIDITY_STATE_VALID,
    ValidityState.PAST: rpc.VALIDITY_STATE_PAST,
    ValidityState.FUTURE: rpc.VALIDITY_STATE_FUTURE,
}


def decode_assert(
    request: rpc.AssertValidityRequest, principal: Principal
) -> tuple[AgentId, list[Assertion | DropReason]]:
    """Whose, and each assertion; in the place of one that cannot be made, why.

    Raises:
        InvalidField, TooLarge, PermissionDenied: As their names say.
    """
    agent_id = decode_agent("agent_id", request.agent_id, principal)
    require_list("assertions", request.assertions, MAX_ASSERTIONS, minimum=1)
    named: set[ValidityTarget] = set()
    decoded: list[Assertion | DropReason] = []
    for position, one in enumerate(request.assertions):
        target = parse_record_ref(one.target) or parse_relation_ref(one.target)
        claimed = _decode_claimed(f"assertions[{position}]", one)
        if target is None or target in named:
            decoded.append(DropReason.INVALID_REF)
        else:
            decoded.append(Assertion(target, claimed))
            named.add(target)
    return agent_id, decoded


def _decode_claimed(path: str, assertion: rpc.ValidityAssertion) -> Claimed:
    valid_from = decode_time(f"{path}.valid_from", assertion, "valid_from")
    valid_to = decode_time(f"{path}.valid_to", assertion, "valid_to")
    if assertion.without_from and valid_from is not None:
        raise InvalidField(f"{path}.without_from", "is not together with valid_from")
    if assertion.without_to and valid_to is not None:
        raise InvalidField(f"{path}.without_to", "is not together with valid_to")
    return Claimed(valid_from, valid_to, assertion.without_from, assertion.without_to)


def encode_asserted(
    request: rpc.AssertValidityRequest, answers: Sequence[AssertionAnswer]
) -> rpc.AssertValidityResponse:
    """What became of each assertion."""
    return rpc.AssertValidityResponse(
        results=[
            rpc.AssertValidityResult(target=asked.target, asserted=_encode_standing(answer))
            if isinstance(answer, Asserted)
            else rpc.AssertValidityResult(target=asked.target, dropped=DROP_REASONS[answer])
            for asked, answer in zip(request.assertions, answers, strict=True)
        ]
    )


def _encode_standing(asserted: Asserted) -> rpc.StandingValidity:
    return rpc.StandingValidity(
        valid_from=encode_time(asserted.interval.valid_from),
        valid_to=encode_time(asserted.interval.valid_to),
        changed=asserted.changed,
    )


def encode_validity(validity: Validity | None) -> rpc.AssertedValidity | None:
    """What stands asserted; None stays None."""
    if validity is None:
        return None
    return rpc.AssertedValidity(
        valid_from=encode_time(validity.interval.valid_from),
        valid_to=encode_time(validity.interval.valid_to),
        state=_STATES[validity.state],
    )


def encode_left_out(left_out: LeftOut) -> list[str]:
    """The refs of what valid_at left out."""
    return [format_target(ref) for ref in left_out.refs]


def format_target(target: ValidityTarget) -> str:
    """ "mem:N", "ep:N" or "rel:N"."""
    return str(target) if isinstance(target, RecordRef) else format_relation_ref(target)


def encode_entry(entry: TimelineEntry) -> rpc.TimelineEntry:
    """One entry of a timeline."""
    validity = entry.validity
    if validity is None:
        return rpc.TimelineEntry(ref=format_target(entry.ref))
    return rpc.TimelineEntry(
        ref=format_target(entry.ref),
        valid_from=encode_time(validity.interval.valid_from),
        valid_to=encode_time(validity.interval.valid_to),
        record_time=encode_time(validity.recorded_at),
        state=_STATES[validity.state],
    )


def encode_relation_timeline(told: RelationTimeline) -> rpc.RelationTimeline:
    """What is said of one subject by one predicate."""
    return rpc.RelationTimeline(
        subject=format_entity_ref(told.subject),
        predicate=told.predicate,
        entries=[encode_entry(entry) for entry in told.timeline.entries],
        entries_omitted=told.timeline.omitted,
    )
