"""Text that cannot be stored verbatim is refused by the name of its field, wherever a request holds it."""

from collections.abc import Callable

import pytest
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import feedback_service_pb2 as feedback
from rensou.v1 import history_pb2
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import retention_pb2 as ret
from rensou.v1 import types_pb2 as pb
from rensou.v1 import validity_pb2 as validity
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import failure_of, memory, rows, send_bytes, store

PLAIN = "tea-BAD!-pot"
NUL = PLAIN.encode().replace(b"BAD!", b"\0\0\0\0")
# U+D83D as CESU-8 writes it, and a byte that no UTF-8 holds: as long as what they stand for.
LONE_SURROGATE = PLAIN.encode().replace(b"BAD!", b"\xed\xa0\xbd.")
NO_UTF8 = PLAIN.encode().replace(b"BAD!", b"\xff\xfe\xfd\xfc")

Build = Callable[[str], Message]
Case = tuple[str, Build, str]


def _struct(value: object) -> Struct:
    struct = Struct()
    struct.update({"outer": value})
    return struct


def _key() -> Struct:
    struct = Struct()
    struct.update({PLAIN: "value"})
    return struct


def _write(**names: str) -> pb.WriteScope:
    return pb.WriteScope(**({"agent_id": "bad-text"} | names))


def _read(**names: str) -> pb.ReadScope:
    return pb.ReadScope(**({"agent_id": "bad-text"} | names))


def _policy_key(agent: str, name: str = "old") -> ret.PolicyKey:
    return ret.PolicyKey(scope=_write(agent_id=agent), name=name)


def _policy(agent: str, tests: ret.RetentionTests | None = None, name: str = "old") -> Message:
    asked = tests or ret.RetentionTests(older_than_days=1)
    policy = ret.RetentionPolicy(key=_policy_key(agent, name), tests=asked)
    return ret.PutRetentionPolicyRequest(policy=policy)


def _store(**fields: object) -> Callable[[str], Message]:
    return lambda agent: memory(agent, "a text", **fields)


def _question(kind: Callable[..., Message], **fields: object) -> Build:
    return lambda agent: kind(scope=_read(agent_id=agent), **fields)


_ABOUT_PLAIN = validity.ValidityAssertion(target="mem:1")
EPISODE = rpc.EpisodeContent(summary=PLAIN)
# Method, request for an agent, field.
REFUSED: list[Case] = [
    ("RecallService/Store", lambda agent: memory(agent, PLAIN), "memory.content"),
    ("RecallService/Store", lambda agent: rpc.StoreRequest(scope=_write(), episode=EPISODE), "episode.summary"),
    ("RecallService/Store", _store(caller_id=PLAIN), "caller_id"),
    ("RecallService/Store", _store(session_id=PLAIN), "session_id"),
    ("RecallService/Store", _store(source=pb.Source(type=PLAIN)), "source.type"),
    ("RecallService/Store", _store(source=pb.Source(id=PLAIN)), "source.id"),
    ("RecallService/Store", _store(source=pb.Source(name=PLAIN)), "source.name"),
    ("RecallService/Store", _store(scope=_write(agent_id=PLAIN)), "scope.agent_id"),
    ("RecallService/Store", _store(scope=_write(project_id=PLAIN)), "scope.project_id"),
    ("RecallService/Store", _store(scope=_write(channel=PLAIN)), "scope.channel"),
    ("RecallService/Store", _store(metadata=_struct(PLAIN)), "metadata"),
    ("RecallService/Store", _store(metadata=_struct([1, {"deep": PLAIN}])), "metadata"),
    ("RecallService/Store", _store(metadata=_key()), "metadata"),
    ("RecallService/Recall", _question(rpc.RecallRequest, query=PLAIN), "query"),
    ("RecallService/Recall", lambda _: rpc.RecallRequest(scope=_read(source_id=PLAIN)), "scope.source_id"),
    ("RecallService/Reconstruct", _question(rpc.ReconstructRequest, query=PLAIN), "query"),
    ("RecallService/Traverse", _question(rpc.TraverseRequest, entity=PLAIN), "entity"),
    (
        "RecallService/GetContents",
        lambda _: rpc.GetContentsRequest(scope=_read(project_id=PLAIN), selectors=[rpc.ContentSelector(ref="mem:1")]),
        "scope.project_id",
    ),
    ("AssociationService/ListRelations", _question(assoc.ListRelationsRequest, predicate=PLAIN), "predicate"),
    ("AssociationService/ListEntities", _question(assoc.ListEntitiesRequest, name=PLAIN), "name"),
    (
        "AssociationService/ListContradictionCandidates",
        lambda _: assoc.ListContradictionCandidatesRequest(scope=_read(channel=PLAIN)),
        "scope.channel",
    ),
    (
        "AssociationService/DeleteEntity",
        lambda _: assoc.DeleteEntityRequest(agent_id=PLAIN, ref="ent:1"),
        "agent_id",
    ),
    (
        "LifecycleService/ReviseRecord",
        lambda agent: life.ReviseRecordRequest(agent_id=agent, ref="mem:1", content=PLAIN),
        "content",
    ),
    (
        "LifecycleService/GetHistory",
        lambda _: history_pb2.GetHistoryRequest(scope=_read(channel=PLAIN), ref="mem:1"),
        "scope.channel",
    ),
    ("LifecycleService/LockRecord", lambda _: life.LockRecordRequest(agent_id=PLAIN, ref="mem:1"), "agent_id"),
    ("LifecycleService/UnlockRecord", lambda _: life.UnlockRecordRequest(agent_id=PLAIN, ref="mem:1"), "agent_id"),
    (
        "LifecycleService/Forget",
        lambda _: life.ForgetRequest(agent_id=PLAIN, refs=["mem:1"], mode=life.FORGET_MODE_HARD),
        "agent_id",
    ),
    (
        "LifecycleService/Forget",
        lambda agent: life.ForgetRequest(agent_id=agent, refs=["mem:1"], mode=life.FORGET_MODE_RETIRE, reason=PLAIN),
        "reason",
    ),
    ("LifecycleService/Restore", lambda _: ret.RestoreRequest(agent_id=PLAIN, refs=["mem:1"]), "agent_id"),
    ("LifecycleService/PutRetentionPolicy", lambda agent: _policy(agent, name=PLAIN), "policy.key.name"),
    (
        "LifecycleService/PutRetentionPolicy",
        lambda agent: _policy(agent, ret.RetentionTests(source_type=PLAIN)),
        "policy.tests.source_type",
    ),
    (
        "LifecycleService/PutRetentionPolicy",
        lambda agent: _policy(agent, ret.RetentionTests(channel=PLAIN)),
        "policy.tests.channel",
    ),
    (
        "LifecycleService/DeleteRetentionPolicy",
        lambda agent: ret.DeleteRetentionPolicyRequest(key=_policy_key(agent, PLAIN)),
        "key.name",
    ),
    (
        "LifecycleService/ListRetentionPolicies",
        lambda _: ret.ListRetentionPoliciesRequest(scope=_write(project_id=PLAIN)),
        "scope.project_id",
    ),
    (
        "LifecycleService/ListRetention",
        lambda agent: ret.ListRetentionRequest(key=_policy_key(agent, PLAIN)),
        "key.name",
    ),
    (
        "LifecycleService/ApplyRetention",
        lambda agent: ret.ApplyRetentionRequest(key=_policy_key(agent), refs=["mem:1"], digest="d", reason=PLAIN),
        "reason",
    ),
    ("AdminService/CheckHealth", lambda _: admin.CheckHealthRequest(agent_id=PLAIN), "agent_id"),
    (
        "FeedbackService/ReportUse",
        lambda _: feedback.ReportUseRequest(
            agent_id=PLAIN, recall_id="0" * 32, items=[feedback.UseReport(ref="mem:1")]
        ),
        "agent_id",
    ),
    (
        "FeedbackService/ReportUse",
        lambda agent: feedback.ReportUseRequest(agent_id=agent, recall_id=PLAIN, items=[feedback.UseReport()]),
        "recall_id",
    ),
    ("FeedbackService/GetDiagnostics", lambda _: feedback.GetDiagnosticsRequest(agent_id=PLAIN), "agent_id"),
    (
        "FeedbackService/GetDiagnostics",
        lambda agent: feedback.GetDiagnosticsRequest(agent_id=agent, project_id=PLAIN),
        "project_id",
    ),
    (
        "LifecycleService/AssertValidity",
        lambda _: validity.AssertValidityRequest(agent_id=PLAIN, assertions=[_ABOUT_PLAIN]),
        "agent_id",
    ),
]
_NAMED = pb.Associations(entities=[pb.EntityDeclaration(name=PLAIN)])
_ALIASED = pb.Associations(entities=[pb.EntityDeclaration(name="pot", aliases=["kettle", PLAIN])])
_RELATED = pb.Associations(relations=[pb.RelationDeclaration(subject="pot", predicate=PLAIN, object="tea")])
# A NUL in these is dropped and reported; bytes that are no text cannot even be read.
UNREADABLE: list[Case] = [
    *REFUSED,
    ("RecallService/Store", _store(associations=_NAMED), "associations.entities.name"),
    ("RecallService/Store", _store(associations=_ALIASED), "associations.entities.aliases"),
    ("RecallService/Store", _store(associations=_RELATED), "associations.relations.predicate"),
    (
        "AssociationService/DeclareAssociations",
        lambda agent: assoc.DeclareAssociationsRequest(scope=_write(agent_id=agent), associations=_NAMED),
        "associations.entities.name",
    ),
    ("LifecycleService/Forget", lambda agent: life.ForgetRequest(agent_id=agent, refs=[PLAIN]), "refs"),
    (
        "LifecycleService/AssertValidity",
        lambda agent: validity.AssertValidityRequest(
            agent_id=agent, assertions=[validity.ValidityAssertion(target=PLAIN)]
        ),
        "assertions.target",
    ),
    (
        "RecallService/BatchStore",
        lambda agent: rpc.BatchStoreRequest(requests=[memory(agent, "good"), memory(agent, PLAIN)]),
        "requests.memory.content",
    ),
]


async def _is_refused(stack: EmbeddedStack, agent: str, case: Case, spoilt: bytes) -> None:
    method, build, field = case
    data = build(agent).SerializeToString()
    assert PLAIN.encode() in data
    failure = await failure_of(send_bytes(stack.grpc_address, method, data.replace(PLAIN.encode(), spoilt)))
    assert (failure.code.name, failure.reason, failure.domain) == ("INVALID_ARGUMENT", "INVALID_TEXT", "rensou.v1")
    assert len(failure.fields) == 1 and failure.fields[0].startswith(field), failure
    assert await rows(stack.admin_dsn, "SELECT FROM records WHERE agent_id IN (%s, 'bad-text')", agent) == []


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case[0]}-{case[2]}")
async def test_a_nul_is_refused_by_the_name_of_its_field(stack: EmbeddedStack, agent: str, case: Case) -> None:
    """B01"""
    await _is_refused(stack, agent, case, NUL)


@pytest.mark.parametrize("case", UNREADABLE, ids=lambda case: f"{case[0]}-{case[2]}")
async def test_a_lone_surrogate_on_the_wire_is_refused_by_the_name_of_its_field(
    stack: EmbeddedStack, agent: str, case: Case
) -> None:
    """B02"""
    await _is_refused(stack, agent, case, LONE_SURROGATE)


async def test_bytes_that_are_no_utf8_are_refused_as_a_lone_surrogate_is(stack: EmbeddedStack, agent: str) -> None:
    """B02"""
    await _is_refused(stack, agent, REFUSED[0], NO_UTF8)


async def test_bytes_that_are_no_message_are_an_invalid_argument(stack: EmbeddedStack) -> None:
    """B02"""
    failure = await failure_of(send_bytes(stack.grpc_address, "RecallService/Recall", b"\x0a\xff\xff\xff\xff\xff\x07"))
    assert (failure.code.name, failure.fields) == ("INVALID_ARGUMENT", ("request",))


async def test_a_declared_name_with_a_nul_is_dropped_and_reported_and_the_record_kept(
    client: RensouClient, agent: str
) -> None:
    """B01"""
    names = pb.Associations(
        entities=[
            pb.EntityDeclaration(name="tea\0pot"),
            pb.EntityDeclaration(name="kettle", aliases=["pot", "k\0"]),
        ],
        relations=[pb.RelationDeclaration(subject="kettle", predicate="\0", object="stove")],
    )
    answer = await store(client, agent, "the kettle is on", associations=names)
    dropped = [(one.item, pb.DropReason.Name(one.reason)) for one in answer.associations.dropped]
    assert dropped == [
        ("entities[0]", "DROP_REASON_INVALID_TEXT"),
        ("entities[1].aliases[1]", "DROP_REASON_INVALID_TEXT"),
        ("relations[0]", "DROP_REASON_INVALID_TEXT"),
    ]
    assert answer.ref and [one.name for one in answer.associations.entities] == ["kettle"]


async def test_an_escaped_nul_in_metadata_is_kept_as_the_six_characters_that_it_is(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B01"""
    await store(client, agent, "a text", metadata=_struct(r"\u0000"))
    kept = await rows(stack.admin_dsn, "SELECT metadata->>'outer' FROM records WHERE agent_id = %s", agent)
    assert kept == [(r"\u0000",)]
