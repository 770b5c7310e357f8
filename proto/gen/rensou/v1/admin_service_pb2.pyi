import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rensou.v1 import builds_pb2 as _builds_pb2
from rensou.v1 import gate_pb2 as _gate_pb2
from rensou.v1 import lifecycle_service_pb2 as _lifecycle_service_pb2
from rensou.v1 import profile_pb2 as _profile_pb2
from rensou.v1 import recall_service_pb2 as _recall_service_pb2
from rensou.v1 import resolution_pb2 as _resolution_pb2
from rensou.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Severity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEVERITY_UNSPECIFIED: _ClassVar[Severity]
    SEVERITY_INFO: _ClassVar[Severity]
    SEVERITY_WARNING: _ClassVar[Severity]
    SEVERITY_CRITICAL: _ClassVar[Severity]

class HealthStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEALTH_STATUS_UNSPECIFIED: _ClassVar[HealthStatus]
    HEALTH_STATUS_HEALTHY: _ClassVar[HealthStatus]
    HEALTH_STATUS_DEGRADED: _ClassVar[HealthStatus]
    HEALTH_STATUS_UNHEALTHY: _ClassVar[HealthStatus]

class EmbeddingModelState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EMBEDDING_MODEL_STATE_UNSPECIFIED: _ClassVar[EmbeddingModelState]
    EMBEDDING_MODEL_STATE_BUILDING: _ClassVar[EmbeddingModelState]
    EMBEDDING_MODEL_STATE_ACTIVE: _ClassVar[EmbeddingModelState]
    EMBEDDING_MODEL_STATE_RETIRED: _ClassVar[EmbeddingModelState]

class EmbeddingServerRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EMBEDDING_SERVER_ROLE_UNSPECIFIED: _ClassVar[EmbeddingServerRole]
    EMBEDDING_SERVER_ROLE_MAIN: _ClassVar[EmbeddingServerRole]
    EMBEDDING_SERVER_ROLE_NEXT: _ClassVar[EmbeddingServerRole]
SEVERITY_UNSPECIFIED: Severity
SEVERITY_INFO: Severity
SEVERITY_WARNING: Severity
SEVERITY_CRITICAL: Severity
HEALTH_STATUS_UNSPECIFIED: HealthStatus
HEALTH_STATUS_HEALTHY: HealthStatus
HEALTH_STATUS_DEGRADED: HealthStatus
HEALTH_STATUS_UNHEALTHY: HealthStatus
EMBEDDING_MODEL_STATE_UNSPECIFIED: EmbeddingModelState
EMBEDDING_MODEL_STATE_BUILDING: EmbeddingModelState
EMBEDDING_MODEL_STATE_ACTIVE: EmbeddingModelState
EMBEDDING_MODEL_STATE_RETIRED: EmbeddingModelState
EMBEDDING_SERVER_ROLE_UNSPECIFIED: EmbeddingServerRole
EMBEDDING_SERVER_ROLE_MAIN: EmbeddingServerRole
EMBEDDING_SERVER_ROLE_NEXT: EmbeddingServerRole

class CheckHealthRequest(_message.Message):
    __slots__ = ("agent_id", "repair")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REPAIR_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    repair: bool
    def __init__(self, agent_id: _Optional[str] = ..., repair: _Optional[bool] = ...) -> None: ...

class HealthIssue(_message.Message):
    __slots__ = ("check", "severity", "count", "repairable", "queued", "message", "refs", "unknown", "waiting", "remaining", "episodes")
    CHECK_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    REPAIRABLE_FIELD_NUMBER: _ClassVar[int]
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    check: str
    severity: Severity
    count: int
    repairable: int
    queued: int
    message: str
    refs: _containers.RepeatedScalarFieldContainer[str]
    unknown: int
    waiting: int
    remaining: int
    episodes: int
    def __init__(self, check: _Optional[str] = ..., severity: _Optional[_Union[Severity, str]] = ..., count: _Optional[int] = ..., repairable: _Optional[int] = ..., queued: _Optional[int] = ..., message: _Optional[str] = ..., refs: _Optional[_Iterable[str]] = ..., unknown: _Optional[int] = ..., waiting: _Optional[int] = ..., remaining: _Optional[int] = ..., episodes: _Optional[int] = ...) -> None: ...

class Dependency(_message.Message):
    __slots__ = ("name", "healthy", "reason", "since_time")
    NAME_FIELD_NUMBER: _ClassVar[int]
    HEALTHY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SINCE_TIME_FIELD_NUMBER: _ClassVar[int]
    name: str
    healthy: bool
    reason: str
    since_time: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., healthy: _Optional[bool] = ..., reason: _Optional[str] = ..., since_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CheckHealthResponse(_message.Message):
    __slots__ = ("status", "issues", "dependencies", "checks", "records")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    ISSUES_FIELD_NUMBER: _ClassVar[int]
    DEPENDENCIES_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    status: HealthStatus
    issues: _containers.RepeatedCompositeFieldContainer[HealthIssue]
    dependencies: _containers.RepeatedCompositeFieldContainer[Dependency]
    checks: _containers.RepeatedScalarFieldContainer[str]
    records: int
    def __init__(self, status: _Optional[_Union[HealthStatus, str]] = ..., issues: _Optional[_Iterable[_Union[HealthIssue, _Mapping]]] = ..., dependencies: _Optional[_Iterable[_Union[Dependency, _Mapping]]] = ..., checks: _Optional[_Iterable[str]] = ..., records: _Optional[int] = ...) -> None: ...

class GetCapabilitiesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class EmbeddingCapability(_message.Message):
    __slots__ = ("model", "fingerprint", "dimensions", "window_tokens", "token_counting")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNTING_FIELD_NUMBER: _ClassVar[int]
    model: str
    fingerprint: str
    dimensions: int
    window_tokens: int
    token_counting: bool
    def __init__(self, model: _Optional[str] = ..., fingerprint: _Optional[str] = ..., dimensions: _Optional[int] = ..., window_tokens: _Optional[int] = ..., token_counting: _Optional[bool] = ...) -> None: ...

class Limit(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: int
    def __init__(self, name: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...

class GetCapabilitiesResponse(_message.Message):
    __slots__ = ("version", "schema_version", "forget_modes", "fusions", "stemmed_languages", "embedding", "limits", "steps", "gates", "profiles", "resolutions")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_VERSION_FIELD_NUMBER: _ClassVar[int]
    FORGET_MODES_FIELD_NUMBER: _ClassVar[int]
    FUSIONS_FIELD_NUMBER: _ClassVar[int]
    STEMMED_LANGUAGES_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    GATES_FIELD_NUMBER: _ClassVar[int]
    PROFILES_FIELD_NUMBER: _ClassVar[int]
    RESOLUTIONS_FIELD_NUMBER: _ClassVar[int]
    version: str
    schema_version: str
    forget_modes: _containers.RepeatedScalarFieldContainer[_lifecycle_service_pb2.ForgetMode]
    fusions: _containers.RepeatedScalarFieldContainer[_types_pb2.Fusion]
    stemmed_languages: _containers.RepeatedScalarFieldContainer[str]
    embedding: EmbeddingCapability
    limits: _containers.RepeatedCompositeFieldContainer[Limit]
    steps: _containers.RepeatedScalarFieldContainer[_recall_service_pb2.Step]
    gates: _containers.RepeatedScalarFieldContainer[_gate_pb2.Gate]
    profiles: _containers.RepeatedScalarFieldContainer[_profile_pb2.Profile]
    resolutions: _containers.RepeatedScalarFieldContainer[_resolution_pb2.Resolution]
    def __init__(self, version: _Optional[str] = ..., schema_version: _Optional[str] = ..., forget_modes: _Optional[_Iterable[_Union[_lifecycle_service_pb2.ForgetMode, str]]] = ..., fusions: _Optional[_Iterable[_Union[_types_pb2.Fusion, str]]] = ..., stemmed_languages: _Optional[_Iterable[str]] = ..., embedding: _Optional[_Union[EmbeddingCapability, _Mapping]] = ..., limits: _Optional[_Iterable[_Union[Limit, _Mapping]]] = ..., steps: _Optional[_Iterable[_Union[_recall_service_pb2.Step, str]]] = ..., gates: _Optional[_Iterable[_Union[_gate_pb2.Gate, str]]] = ..., profiles: _Optional[_Iterable[_Union[_profile_pb2.Profile, str]]] = ..., resolutions: _Optional[_Iterable[_Union[_resolution_pb2.Resolution, str]]] = ...) -> None: ...

class EmbeddingModel(_message.Message):
    __slots__ = ("fingerprint", "name", "dimensions", "window_tokens", "state", "created_time", "lacking")
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOKENS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    CREATED_TIME_FIELD_NUMBER: _ClassVar[int]
    LACKING_FIELD_NUMBER: _ClassVar[int]
    fingerprint: str
    name: str
    dimensions: int
    window_tokens: int
    state: EmbeddingModelState
    created_time: _timestamp_pb2.Timestamp
    lacking: int
    def __init__(self, fingerprint: _Optional[str] = ..., name: _Optional[str] = ..., dimensions: _Optional[int] = ..., window_tokens: _Optional[int] = ..., state: _Optional[_Union[EmbeddingModelState, str]] = ..., created_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., lacking: _Optional[int] = ...) -> None: ...

class ListEmbeddingModelsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class EmbeddingServer(_message.Message):
    __slots__ = ("role", "fingerprint", "reason")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    role: EmbeddingServerRole
    fingerprint: str
    reason: str
    def __init__(self, role: _Optional[_Union[EmbeddingServerRole, str]] = ..., fingerprint: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ListEmbeddingModelsResponse(_message.Message):
    __slots__ = ("models", "records", "servers")
    MODELS_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    SERVERS_FIELD_NUMBER: _ClassVar[int]
    models: _containers.RepeatedCompositeFieldContainer[EmbeddingModel]
    records: int
    servers: _containers.RepeatedCompositeFieldContainer[EmbeddingServer]
    def __init__(self, models: _Optional[_Iterable[_Union[EmbeddingModel, _Mapping]]] = ..., records: _Optional[int] = ..., servers: _Optional[_Iterable[_Union[EmbeddingServer, _Mapping]]] = ...) -> None: ...

class ActivateEmbeddingModelRequest(_message.Message):
    __slots__ = ("fingerprint", "allow_incomplete")
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    ALLOW_INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    fingerprint: str
    allow_incomplete: bool
    def __init__(self, fingerprint: _Optional[str] = ..., allow_incomplete: _Optional[bool] = ...) -> None: ...

class ActivateEmbeddingModelResponse(_message.Message):
    __slots__ = ("former_fingerprint", "fingerprint", "lacking")
    FORMER_FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    LACKING_FIELD_NUMBER: _ClassVar[int]
    former_fingerprint: str
    fingerprint: str
    lacking: int
    def __init__(self, former_fingerprint: _Optional[str] = ..., fingerprint: _Optional[str] = ..., lacking: _Optional[int] = ...) -> None: ...
