"""Policies of retention on the wire."""

from datetime import UTC, datetime
from typing import Any

import pytest

from rensou.v1 import lifecycle_service_pb2 as rpc
from rensou.v1 import reach_pb2, types_pb2
from rensou.v1 import retention_pb2 as pb
from rensou_recall.convert.lifecycle import decode_forget, decode_restore
from rensou_recall.convert.reach import decode_reach
from rensou_recall.convert.retention import decode_apply, decode_list, decode_put, encode_policy
from rensou_recall.stages.retention import judge, policy_digest
from rensou_recall.types.call import Principal
from rensou_recall.types.lifecycle import ForgetMode
from rensou_recall.types.reach import Reach
from rensou_recall.types.retention import Policy, PolicyKey, RetentionFacts, RetentionTest, RetentionTests
from rensou_shared.errors import InvalidField, InvalidText, TooLarge
from rensou_shared.ids import AgentId, RecordId, RecordRef
from rensou_shared.scope import WriteScope

ANN = Principal("test", frozenset({"ann"}), operator=False)
PLACE = types_pb2.WriteScope(agent_id="ann", project_id="P", channel="C")
KEY = pb.PolicyKey(scope=PLACE, name="old")
NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)


def put(**tests: Any) -> tuple[PolicyKey, RetentionTests]:
    policy = pb.RetentionPolicy(key=KEY, tests=pb.RetentionTests(**tests))
    return decode_put(pb.PutRetentionPolicyRequest(policy=policy), ANN)


def test_a_policy_is_taken_as_given_and_given_back() -> None:
    key, tests = put(older_than_days=30, source_type="", channel="x", state_replaced=True)
    assert key == PolicyKey(WriteScope(AgentId("ann"), "P", "C"), "old")
    assert tests == RetentionTests(older_than_days=30, state_replaced=True, source_type="", channel="x")
    told = encode_policy(Policy(key, tests, "agent", NOW))
    assert told.key == KEY and told.tests == pb.RetentionTests(
        older_than_days=30, source_type="", channel="x", state_replaced=True
    )
    assert told.digest == policy_digest(key, tests) and told.put_time.ToDatetime(tzinfo=UTC) == NOW


@pytest.mark.parametrize(
    ("tests", "kind", "field"),
    [
        ({}, InvalidField, "policy.tests"),
        ({"state_replaced": False}, InvalidField, "policy.tests"),
        ({"older_than_days": 0}, InvalidField, "policy.tests.older_than_days"),
        ({"older_than_days": 36_501}, InvalidField, "policy.tests.older_than_days"),
        ({"source_type": "x" * 129}, TooLarge, "policy.tests.source_type"),
        ({"channel": "\0"}, InvalidText, "policy.tests.channel"),
        ({"channel": " "}, InvalidField, "policy.tests.channel"),
    ],
)
def test_a_policy_without_a_test_or_with_a_bad_one_is_refused(
    tests: dict[str, Any], kind: type[InvalidField], field: str
) -> None:
    with pytest.raises(InvalidField) as refused:
        put(**tests)
    assert (type(refused.value), refused.value.field) == (kind, field)


@pytest.mark.parametrize(
    ("key", "field"),
    [
        (pb.PolicyKey(scope=types_pb2.WriteScope(agent_id="ann")), "key.name"),
        (
            pb.PolicyKey(scope=types_pb2.WriteScope(agent_id="ann", project_id="x" * 129), name="n"),
            "key.scope.project_id",
        ),
        (pb.PolicyKey(scope=types_pb2.WriteScope(agent_id="ann", channel="\0"), name="n"), "key.scope.channel"),
    ],
)
def test_a_policy_is_named_by_its_place_and_name(key: pb.PolicyKey, field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        decode_list(pb.ListRetentionRequest(key=key), ANN)
    assert refused.value.field == field


def test_a_page_is_50_and_at_most_500() -> None:
    sizes = {size: decode_list(pb.ListRetentionRequest(key=KEY, page_size=size), ANN)[1] for size in (0, 500, 501)}
    assert [page.size for page in sizes.values()] == [50, 500, 500]
    assert [len(page.lowered) for page in sizes.values()] == [0, 0, 1]
    with pytest.raises(InvalidField):
        decode_list(pb.ListRetentionRequest(key=KEY, page_size=-1), ANN)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"refs": []}, "refs"),
        ({"refs": ["mem:1"] * 501}, "refs"),
        ({"refs": ["mem:1", "ent:1"]}, "refs[1]"),
        ({"refs": ["mem:1", "mem:1"]}, "refs[1]"),
        ({"digest": ""}, "digest"),
        ({"reason": "x" * 257}, "reason"),
    ],
)
def test_a_bad_application_is_refused_by_its_field(fields: dict[str, Any], field: str) -> None:
    good = {"key": KEY, "refs": ["mem:1"], "digest": "d"}
    with pytest.raises(InvalidField) as refused:
        decode_apply(pb.ApplyRetentionRequest(**(good | fields)), ANN)
    assert refused.value.field == field


def test_a_reason_is_for_retiring_alone() -> None:
    asked = {"refs": ["mem:7"], "reason": "no use"}
    retire = rpc.ForgetRequest(mode=rpc.FORGET_MODE_RETIRE, **asked)
    assert decode_forget(retire, ANN)[2:] == (ForgetMode.RETIRE, "no use")
    for reason, mode in (("no use", rpc.FORGET_MODE_HARD), ("x" * 257, rpc.FORGET_MODE_RETIRE)):
        with pytest.raises(InvalidField) as refused:
            decode_forget(rpc.ForgetRequest(refs=["mem:7"], reason=reason, mode=mode), ANN)
        assert refused.value.field == "reason"


def test_what_is_to_be_restored_is_read_as_what_is_to_be_forgotten() -> None:
    _, refs = decode_restore(pb.RestoreRequest(refs=["mem:7", "x"]), ANN)
    assert refs[0] == RecordRef("mem", RecordId(7)) and isinstance(refs[1], InvalidField)


def test_the_default_reach_is_near() -> None:
    assert decode_reach(reach_pb2.REACH_UNSPECIFIED) is Reach.NEAR
    assert decode_reach(reach_pb2.REACH_WIDE) is Reach.WIDE
    with pytest.raises(InvalidField):
        decode_reach(99)  # type: ignore[arg-type]


def _facts(**said: Any) -> RetentionFacts:
    known = {"created_at": datetime(2026, 3, 1, 12, tzinfo=UTC), "source_type": "User", "channel": "c"}
    states = {"locked": False, "retired": False, "now": NOW}
    return RetentionFacts(RecordRef("mem", RecordId(1)), **(known | states | said))


def test_a_record_of_exactly_so_many_days_is_not_older() -> None:
    assert judge(RetentionTests(older_than_days=30), _facts(), {}) is None
    (ground,) = judge(RetentionTests(older_than_days=29), _facts(), {}) or ()
    assert (ground.test, ground.found) == (RetentionTest.OLDER_THAN_DAYS, "30")


@pytest.mark.parametrize("said", [{"locked": True}, {"retired": True}, {"channel": "d"}])
def test_a_locked_or_retired_record_or_one_that_misses_a_test_matches_no_policy(said: dict[str, Any]) -> None:
    tests = RetentionTests(older_than_days=1, source_type="User", channel="c")
    assert judge(tests, _facts(), {}) is not None
    assert judge(tests, _facts(**said), {}) is None


def test_a_test_that_nothing_was_found_for_is_not_met_and_no_test_matches_nothing() -> None:
    assert judge(RetentionTests(state_replaced=True), _facts(), {}) is None
    assert judge(RetentionTests(), _facts(), {}) is None


def test_a_digest_is_of_place_name_and_tests() -> None:
    key, tests = PolicyKey(WriteScope(AgentId("ann"), "P", ""), "n"), RetentionTests(older_than_days=1)
    others = [
        (PolicyKey(WriteScope(AgentId("ann"), "", "P"), "n"), tests),
        (PolicyKey(WriteScope(AgentId("ann"), "P", ""), "m"), tests),
        (key, RetentionTests(older_than_days=2)),
        (key, RetentionTests(older_than_days=1, channel="")),
    ]
    assert len({policy_digest(key, tests), *(policy_digest(*other) for other in others)}) == 5
