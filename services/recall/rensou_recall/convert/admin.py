"""Health and capabilities."""

from rensou.v1 import admin_service_pb2 as rpc
from rensou_recall.convert.fields import encode_time
from rensou_recall.convert.lifecycle import SUPPORTED_MODES
from rensou_recall.convert.profile import encode_profiles
from rensou_recall.convert.retrieval import SUPPORTED_FUSIONS, SUPPORTED_GATES, SUPPORTED_STEPS
from rensou_recall.convert.scopes import decode_agent
from rensou_recall.convert.standing import SUPPORTED_RESOLUTIONS
from rensou_recall.pipelines.capabilities import Capabilities
from rensou_recall.types.call import Principal
from rensou_recall.types.health import DependencyState, Finding, HealthAnswer, Severity
from rensou_shared.ids import AgentId

_SEVERITIES = {
    Severity.INFO: rpc.SEVERITY_INFO,
    Severity.WARNING: rpc.SEVERITY_WARNING,
    Severity.CRITICAL: rpc.SEVERITY_CRITICAL,
}


def decode_health(request: rpc.CheckHealthRequest, principal: Principal) -> AgentId:
    """Whose data is checked.

    Raises:
        InvalidField, PermissionDenied: As their names say.
    """
    return decode_agent("agent_id", request.agent_id, principal)


def encode_health(answer: HealthAnswer) -> rpc.CheckHealthResponse:
    """The findings as a message."""
    return rpc.CheckHealthResponse(
        status=_status(answer),
        issues=[_encode_finding(finding) for finding in answer.findings],
        dependencies=[_encode_dependency(one) for one in answer.dependencies],
        checks=answer.checks,
        records=answer.records,
    )


def _status(answer: HealthAnswer) -> rpc.HealthStatus:
    worst = max((finding.severity for finding in answer.findings), default=Severity.INFO)
    if worst is Severity.CRITICAL:
        return rpc.HEALTH_STATUS_UNHEALTHY
    if worst is Severity.WARNING or not all(one.healthy for one in answer.dependencies):
        return rpc.HEALTH_STATUS_DEGRADED
    return rpc.HEALTH_STATUS_HEALTHY


def _encode_finding(finding: Finding) -> rpc.HealthIssue:
    return rpc.HealthIssue(
        check=finding.check,
        severity=_SEVERITIES[finding.severity],
        count=finding.count,
        repairable=finding.repairable,
        queued=finding.queued,
        message=finding.message,
        refs=finding.refs,
        unknown=finding.unknown,
        waiting=finding.waiting,
        remaining=finding.remaining,
        episodes=finding.episodes,
    )


def _encode_dependency(one: DependencyState) -> rpc.Dependency:
    return rpc.Dependency(name=one.name, healthy=one.healthy, reason=one.reason, since_time=encode_time(one.since))


def encode_capabilities(capabilities: Capabilities) -> rpc.GetCapabilitiesResponse:
    """What the deployment can do, as a message."""
    model = capabilities.model
    return rpc.GetCapabilitiesResponse(
        version=capabilities.version,
        schema_version=capabilities.schema_version,
        forget_modes=SUPPORTED_MODES,
        fusions=SUPPORTED_FUSIONS,
        steps=SUPPORTED_STEPS,
        gates=SUPPORTED_GATES,
        profiles=encode_profiles(capabilities.profiles),
        resolutions=SUPPORTED_RESOLUTIONS,
        stemmed_languages=capabilities.stemmed_languages,
        embedding=None
        if model is None
        else rpc.EmbeddingCapability(
            model=model.name,
            fingerprint=model.fingerprint,
            dimensions=model.dimensions,
            window_tokens=model.token_window or 0,
            token_counting=model.token_window is not None,
        ),
        limits=[rpc.Limit(name=name, value=value) for name, value in sorted(capabilities.limits.items())],
    )
