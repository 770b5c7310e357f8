"""Who may call what. A method that stands in no row is refused: a test holds the table against the descriptors."""

from enum import Enum, auto

from rensou_shared.errors import PermissionDenied


class Access(Enum):
    """What a method asks of a credential, besides reaching the agent that the request names."""

    AGENT = auto()
    OPERATOR = auto()


POLICY = {
    "/rensou.v1.RecallService/Store": Access.AGENT,
    "/rensou.v1.RecallService/BatchStore": Access.AGENT,
    "/rensou.v1.RecallService/Recall": Access.AGENT,
    "/rensou.v1.RecallService/Reconstruct": Access.AGENT,
    "/rensou.v1.RecallService/Traverse": Access.AGENT,
    "/rensou.v1.RecallService/GetContents": Access.AGENT,
    "/rensou.v1.AssociationService/DeclareAssociations": Access.AGENT,
    "/rensou.v1.AssociationService/ListRelations": Access.AGENT,
    "/rensou.v1.AssociationService/ListEntities": Access.AGENT,
    "/rensou.v1.AssociationService/DeleteEntity": Access.AGENT,
    "/rensou.v1.AssociationService/ListContradictionCandidates": Access.AGENT,
    "/rensou.v1.LifecycleService/ReviseRecord": Access.AGENT,
    "/rensou.v1.LifecycleService/LockRecord": Access.AGENT,
    "/rensou.v1.LifecycleService/UnlockRecord": Access.AGENT,
    "/rensou.v1.LifecycleService/Forget": Access.AGENT,
    "/rensou.v1.LifecycleService/Restore": Access.AGENT,
    "/rensou.v1.LifecycleService/PutRetentionPolicy": Access.AGENT,
    "/rensou.v1.LifecycleService/DeleteRetentionPolicy": Access.AGENT,
    "/rensou.v1.LifecycleService/ListRetentionPolicies": Access.AGENT,
    "/rensou.v1.LifecycleService/ListRetention": Access.AGENT,
    "/rensou.v1.LifecycleService/ApplyRetention": Access.AGENT,
    "/rensou.v1.LifecycleService/GetHistory": Access.AGENT,
    "/rensou.v1.LifecycleService/AssertValidity": Access.AGENT,
    "/rensou.v1.FeedbackService/ReportUse": Access.AGENT,
    "/rensou.v1.FeedbackService/GetDiagnostics": Access.AGENT,
    "/rensou.v1.AdminService/CheckHealth": Access.AGENT,
    "/rensou.v1.AdminService/GetCapabilities": Access.AGENT,
    "/rensou.v1.AdminService/ListEmbeddingModels": Access.OPERATOR,
    "/rensou.v1.AdminService/ActivateEmbeddingModel": Access.OPERATOR,
    "/rensou.v1.AdminService/ListBuilds": Access.OPERATOR,
    "/rensou.v1.AdminService/RetryBuilds": Access.OPERATOR,
}


def requires_operator(method: str) -> bool:
    """Whether the method is for operators alone.

    Raises:
        PermissionDenied: The method stands in no row.
    """
    access = POLICY.get(method)
    if access is None:
        raise PermissionDenied("the method is not open to anybody")
    return access is Access.OPERATOR
