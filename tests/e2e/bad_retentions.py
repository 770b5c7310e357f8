"""Bad requests about retired records and policies of retention."""

from typing import Any

from google.protobuf.message import Message

from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import retention_pb2 as ret
from rensou.v1 import types_pb2 as pb

AGENT = "bad-input"
_PLACE = pb.WriteScope(agent_id=AGENT)
_KEY = ret.PolicyKey(scope=_PLACE, name="old")
_TESTS = ret.RetentionTests(older_than_days=1)
_LONG = "x" * 129


def _put(key: ret.PolicyKey = _KEY, **tests: Any) -> Message:
    return ret.PutRetentionPolicyRequest(policy=ret.RetentionPolicy(key=key, tests=ret.RetentionTests(**tests)))


def _apply(**fields: Any) -> Message:
    return ret.ApplyRetentionRequest(**({"key": _KEY, "refs": ["mem:1"], "digest": "d"} | fields))


# Method, request, the field and the reason that the answer names.
BAD_RETENTIONS: list[tuple[str, Message, str, str]] = [
    (f"LifecycleService/{method}", request, field, reason)
    for method, request, field, reason in [
        ("Restore", ret.RestoreRequest(refs=["mem:1"]), "agent_id", "INVALID_FIELD"),
        ("Restore", ret.RestoreRequest(agent_id=AGENT), "refs", "INVALID_FIELD"),
        ("Restore", ret.RestoreRequest(agent_id=AGENT, refs=["mem:1"] * 101), "refs", "TOO_LARGE"),
        ("PutRetentionPolicy", _put(), "policy.tests", "INVALID_FIELD"),
        ("PutRetentionPolicy", _put(state_replaced=False), "policy.tests", "INVALID_FIELD"),
        ("PutRetentionPolicy", _put(older_than_days=0), "policy.tests.older_than_days", "INVALID_FIELD"),
        ("PutRetentionPolicy", _put(older_than_days=36_501), "policy.tests.older_than_days", "INVALID_FIELD"),
        ("PutRetentionPolicy", _put(source_type=_LONG), "policy.tests.source_type", "TOO_LARGE"),
        ("PutRetentionPolicy", _put(channel=_LONG), "policy.tests.channel", "TOO_LARGE"),
        ("PutRetentionPolicy", _put(ret.PolicyKey(scope=_PLACE)), "policy.key.name", "INVALID_FIELD"),
        ("PutRetentionPolicy", _put(ret.PolicyKey(name="old")), "policy.key.scope.agent_id", "INVALID_FIELD"),
        ("DeleteRetentionPolicy", ret.DeleteRetentionPolicyRequest(), "key.scope.agent_id", "INVALID_FIELD"),
        ("ListRetentionPolicies", ret.ListRetentionPoliciesRequest(), "scope.agent_id", "INVALID_FIELD"),
        ("ListRetention", ret.ListRetentionRequest(key=_KEY, page_size=-1), "page_size", "INVALID_FIELD"),
        ("ApplyRetention", _apply(refs=[]), "refs", "INVALID_FIELD"),
        ("ApplyRetention", _apply(refs=["mem:1"] * 501), "refs", "TOO_LARGE"),
        ("ApplyRetention", _apply(refs=["mem:1", "mem:1"]), "refs[1]", "INVALID_FIELD"),
        ("ApplyRetention", _apply(refs=["ent:1"]), "refs[0]", "INVALID_FIELD"),
        ("ApplyRetention", _apply(digest=""), "digest", "INVALID_FIELD"),
        ("ApplyRetention", _apply(reason="x" * 257), "reason", "TOO_LARGE"),
        (
            "Forget",
            life.ForgetRequest(agent_id=AGENT, refs=["mem:1"], mode=life.FORGET_MODE_HARD, reason="why"),
            "reason",
            "INVALID_FIELD",
        ),
        (
            "Forget",
            life.ForgetRequest(agent_id=AGENT, refs=["mem:1"], mode=life.FORGET_MODE_RETIRE, reason="x" * 257),
            "reason",
            "TOO_LARGE",
        ),
    ]
] + [
    ("RecallService/Recall", rpc.RecallRequest(scope=pb.ReadScope(agent_id=AGENT), reach=9), "reach", "INVALID_FIELD"),  # type: ignore[arg-type]
    (
        "RecallService/Reconstruct",
        rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=AGENT), reach=9),  # type: ignore[arg-type]
        "reach",
        "INVALID_FIELD",
    ),
]
