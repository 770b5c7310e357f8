"""What a stranger tries with retired records and policies of retention."""

from collections.abc import Callable

import grpc
import grpc.aio
from google.protobuf.message import Message

from rensou.v1 import errors_pb2
from rensou.v1 import retention_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from tests.e2e.walls_world import SECRET, World

Answer = Message | grpc.aio.AioRpcError


def _key(agent: str, name: str = SECRET) -> rpc.PolicyKey:
    return rpc.PolicyKey(scope=pb.WriteScope(agent_id=agent), name=name)


def _put(_: World, agent: str) -> Message:
    tests = rpc.RetentionTests(older_than_days=1)
    return rpc.PutRetentionPolicyRequest(policy=rpc.RetentionPolicy(key=_key(agent, "mine"), tests=tests))


def _is_put(_: World, answer: Answer) -> bool:
    """The owner's place is full; the stranger's is another one."""
    return isinstance(answer, rpc.PutRetentionPolicyResponse) and answer.policy.key.name == "mine"


def _has_ones_own(_: World, answer: Answer) -> bool:
    return isinstance(answer, rpc.ListRetentionPoliciesResponse) and [p.key.name for p in answer.policies] == ["mine"]


def _has_no_policy(_: World, answer: Answer) -> bool:
    return isinstance(answer, grpc.aio.AioRpcError) and answer.code() is grpc.StatusCode.NOT_FOUND


def _restores_nothing(_: World, answer: Answer) -> bool:
    missing = errors_pb2.ERROR_REASON_RECORD_NOT_FOUND
    return isinstance(answer, rpc.RestoreResponse) and {one.refused for one in answer.results} == {missing}


# Method, request, and whether the wall holds; what reads before what writes, but the stranger's policy is put first.
RETENTION: tuple[tuple[str, Callable[[World, str], Message], Callable[[World, Answer], bool]], ...] = (
    ("PutRetentionPolicy", _put, _is_put),
    (
        "ListRetentionPolicies",
        lambda _, agent: rpc.ListRetentionPoliciesRequest(scope=pb.WriteScope(agent_id=agent)),
        _has_ones_own,
    ),
    ("ListRetention", lambda _, agent: rpc.ListRetentionRequest(key=_key(agent)), _has_no_policy),
    (
        "ApplyRetention",
        lambda world, agent: rpc.ApplyRetentionRequest(key=_key(agent), refs=[world.memory], digest="x"),
        _has_no_policy,
    ),
    ("DeleteRetentionPolicy", lambda _, agent: rpc.DeleteRetentionPolicyRequest(key=_key(agent)), _has_no_policy),
    (
        "Restore",
        lambda world, agent: rpc.RestoreRequest(agent_id=agent, refs=[world.retired, world.memory]),
        _restores_nothing,
    ),
)
