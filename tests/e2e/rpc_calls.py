"""A good call of every RPC."""

from collections.abc import Awaitable, Callable
from typing import Any

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import builds_pb2 as builds
from rensou.v1 import feedback_service_pb2 as feedback
from rensou.v1 import history_pb2, validity_pb2
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import retention_pb2 as ret
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import memory

Send = Callable[..., Awaitable[Any]]


def calls(client: RensouClient, agent: str) -> dict[str, tuple[Send, Any]]:
    """A good call of every RPC that a token of another agent does not open."""
    write, read = pb.WriteScope(agent_id=agent), pb.ReadScope(agent_id=agent)
    names = pb.Associations(entities=[pb.EntityDeclaration(name="Ann")])
    declared = assoc.DeclareAssociationsRequest(scope=write, associations=names)
    selectors = [rpc.ContentSelector(ref="mem:1")]
    hard = life.FORGET_MODE_HARD
    key = ret.PolicyKey(scope=write, name="old")
    policy = ret.RetentionPolicy(key=key, tests=ret.RetentionTests(older_than_days=1))
    activation = admin.ActivateEmbeddingModelRequest(fingerprint="1:abc")
    recall, associations, lifecycle = client.recall, client.associations, client.lifecycle
    return {
        "Store": (recall.Store, memory(agent, "a text")),
        "BatchStore": (recall.BatchStore, rpc.BatchStoreRequest(requests=[memory(agent, "a text")])),
        "Recall": (recall.Recall, rpc.RecallRequest(scope=read)),
        "Reconstruct": (recall.Reconstruct, rpc.ReconstructRequest(scope=read)),
        "Traverse": (recall.Traverse, rpc.TraverseRequest(scope=read, entity="Ann")),
        "GetContents": (recall.GetContents, rpc.GetContentsRequest(scope=read, selectors=selectors)),
        "DeclareAssociations": (associations.DeclareAssociations, declared),
        "ListRelations": (associations.ListRelations, assoc.ListRelationsRequest(scope=read)),
        "ListEntities": (associations.ListEntities, assoc.ListEntitiesRequest(scope=read)),
        "DeleteEntity": (associations.DeleteEntity, assoc.DeleteEntityRequest(agent_id=agent, ref="ent:1")),
        "ListContradictionCandidates": (
            associations.ListContradictionCandidates,
            assoc.ListContradictionCandidatesRequest(scope=read),
        ),
        "ReviseRecord": (
            lifecycle.ReviseRecord,
            life.ReviseRecordRequest(agent_id=agent, ref="mem:1", content="x"),
        ),
        "LockRecord": (lifecycle.LockRecord, life.LockRecordRequest(agent_id=agent, ref="mem:1")),
        "UnlockRecord": (lifecycle.UnlockRecord, life.UnlockRecordRequest(agent_id=agent, ref="mem:1")),
        "AssertValidity": (
            lifecycle.AssertValidity,
            validity_pb2.AssertValidityRequest(
                agent_id=agent, assertions=[validity_pb2.ValidityAssertion(target="mem:1")]
            ),
        ),
        "GetHistory": (lifecycle.GetHistory, history_pb2.GetHistoryRequest(scope=read, ref="mem:1")),
        "Restore": (lifecycle.Restore, ret.RestoreRequest(agent_id=agent, refs=["mem:1"])),
        "PutRetentionPolicy": (lifecycle.PutRetentionPolicy, ret.PutRetentionPolicyRequest(policy=policy)),
        "DeleteRetentionPolicy": (lifecycle.DeleteRetentionPolicy, ret.DeleteRetentionPolicyRequest(key=key)),
        "ListRetentionPolicies": (lifecycle.ListRetentionPolicies, ret.ListRetentionPoliciesRequest(scope=write)),
        "ListRetention": (lifecycle.ListRetention, ret.ListRetentionRequest(key=key)),
        "ApplyRetention": (
            lifecycle.ApplyRetention,
            ret.ApplyRetentionRequest(key=key, refs=["mem:1"], digest="0" * 64),
        ),
        "ReportUse": (
            client.feedback.ReportUse,
            feedback.ReportUseRequest(agent_id=agent, recall_id="0" * 32, items=[feedback.UseReport(ref="mem:1")]),
        ),
        "GetDiagnostics": (client.feedback.GetDiagnostics, feedback.GetDiagnosticsRequest(agent_id=agent)),
        "Forget": (lifecycle.Forget, life.ForgetRequest(agent_id=agent, refs=["mem:1"], mode=hard)),
        "CheckHealth": (client.admin.CheckHealth, admin.CheckHealthRequest(agent_id=agent)),
        # For operators, whatever the agent.
        "ListEmbeddingModels": (client.admin.ListEmbeddingModels, admin.ListEmbeddingModelsRequest()),
        "ActivateEmbeddingModel": (client.admin.ActivateEmbeddingModel, activation),
        "ListBuilds": (client.admin.ListBuilds, builds.ListBuildsRequest(agent_id=agent)),
        "RetryBuilds": (client.admin.RetryBuilds, builds.RetryBuildsRequest(agent_id=agent, all=True)),
    }
