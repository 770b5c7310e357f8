"""The stubs of rensou.v1 with their types, which gRPC's generator leaves out."""

from collections.abc import Awaitable, Sequence
from typing import Protocol, TypeVar

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as associations
from rensou.v1 import builds_pb2 as builds
from rensou.v1 import feedback_service_pb2 as feedback
from rensou.v1 import history_pb2 as history
from rensou.v1 import lifecycle_service_pb2 as lifecycle
from rensou.v1 import recall_service_pb2 as recall
from rensou.v1 import retention_pb2 as retention
from rensou.v1 import validity_pb2 as validity

_Asked = TypeVar("_Asked", contravariant=True)
_Answer = TypeVar("_Answer", covariant=True)


class Method(Protocol[_Asked, _Answer]):
    """One unary method."""

    def __call__(
        self, request: _Asked, *, timeout: float | None = None, metadata: Sequence[tuple[str, str]] | None = None
    ) -> Awaitable[_Answer]: ...


class RecallStub(Protocol):
    """RecallService."""

    Store: Method[recall.StoreRequest, recall.StoreResponse]
    BatchStore: Method[recall.BatchStoreRequest, recall.BatchStoreResponse]
    Recall: Method[recall.RecallRequest, recall.RecallResponse]
    Reconstruct: Method[recall.ReconstructRequest, recall.ReconstructResponse]
    Traverse: Method[recall.TraverseRequest, recall.TraverseResponse]
    GetContents: Method[recall.GetContentsRequest, recall.GetContentsResponse]


class AssociationStub(Protocol):
    """AssociationService."""

    DeclareAssociations: Method[associations.DeclareAssociationsRequest, associations.DeclareAssociationsResponse]


class LifecycleStub(Protocol):
    """LifecycleService."""

    ReviseRecord: Method[lifecycle.ReviseRecordRequest, lifecycle.ReviseRecordResponse]
    LockRecord: Method[lifecycle.LockRecordRequest, lifecycle.LockRecordResponse]
    UnlockRecord: Method[lifecycle.UnlockRecordRequest, lifecycle.UnlockRecordResponse]
    Forget: Method[lifecycle.ForgetRequest, lifecycle.ForgetResponse]
    Restore: Method[retention.RestoreRequest, retention.RestoreResponse]
    PutRetentionPolicy: Method[retention.PutRetentionPolicyRequest, retention.PutRetentionPolicyResponse]
    DeleteRetentionPolicy: Method[retention.DeleteRetentionPolicyRequest, retention.DeleteRetentionPolicyResponse]
    ListRetentionPolicies: Method[retention.ListRetentionPoliciesRequest, retention.ListRetentionPoliciesResponse]
    ListRetention: Method[retention.ListRetentionRequest, retention.ListRetentionResponse]
    ApplyRetention: Method[retention.ApplyRetentionRequest, retention.ApplyRetentionResponse]
    GetHistory: Method[history.GetHistoryRequest, history.GetHistoryResponse]
    AssertValidity: Method[validity.AssertValidityRequest, validity.AssertValidityResponse]


class FeedbackStub(Protocol):
    """FeedbackService."""

    ReportUse: Method[feedback.ReportUseRequest, feedback.ReportUseResponse]
    GetDiagnostics: Method[feedback.GetDiagnosticsRequest, feedback.GetDiagnosticsResponse]


class AdminStub(Protocol):
    """AdminService."""

    CheckHealth: Method[admin.CheckHealthRequest, admin.CheckHealthResponse]
    GetCapabilities: Method[admin.GetCapabilitiesRequest, admin.GetCapabilitiesResponse]
    ListEmbeddingModels: Method[admin.ListEmbeddingModelsRequest, admin.ListEmbeddingModelsResponse]
    ActivateEmbeddingModel: Method[admin.ActivateEmbeddingModelRequest, admin.ActivateEmbeddingModelResponse]
    ListBuilds: Method[builds.ListBuildsRequest, builds.ListBuildsResponse]
    RetryBuilds: Method[builds.RetryBuildsRequest, builds.RetryBuildsResponse]
