import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rensou.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BuildState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BUILD_STATE_UNSPECIFIED: _ClassVar[BuildState]
    BUILD_STATE_PENDING: _ClassVar[BuildState]
    BUILD_STATE_QUARANTINED: _ClassVar[BuildState]
    BUILD_STATE_RUNNING: _ClassVar[BuildState]
    BUILD_STATE_DEAD: _ClassVar[BuildState]

class RetryOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RETRY_OUTCOME_UNSPECIFIED: _ClassVar[RetryOutcome]
    RETRY_OUTCOME_QUEUED: _ClassVar[RetryOutcome]
    RETRY_OUTCOME_NOT_FOUND: _ClassVar[RetryOutcome]
    RETRY_OUTCOME_NOT_DEAD: _ClassVar[RetryOutcome]
    RETRY_OUTCOME_SUPERSEDED: _ClassVar[RetryOutcome]
BUILD_STATE_UNSPECIFIED: BuildState
BUILD_STATE_PENDING: BuildState
BUILD_STATE_QUARANTINED: BuildState
BUILD_STATE_RUNNING: BuildState
BUILD_STATE_DEAD: BuildState
RETRY_OUTCOME_UNSPECIFIED: RetryOutcome
RETRY_OUTCOME_QUEUED: RetryOutcome
RETRY_OUTCOME_NOT_FOUND: RetryOutcome
RETRY_OUTCOME_NOT_DEAD: RetryOutcome
RETRY_OUTCOME_SUPERSEDED: RetryOutcome

class Build(_message.Message):
    __slots__ = ("ref", "agent_id", "record_ref", "state", "errors", "crashes", "next_time", "lease_until_time", "create_time", "age", "last_error", "model_fingerprint", "rebuild", "outdated")
    REF_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    RECORD_REF_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    CRASHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_TIME_FIELD_NUMBER: _ClassVar[int]
    LEASE_UNTIL_TIME_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    LAST_ERROR_FIELD_NUMBER: _ClassVar[int]
    MODEL_FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    REBUILD_FIELD_NUMBER: _ClassVar[int]
    OUTDATED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    agent_id: str
    record_ref: str
    state: BuildState
    errors: int
    crashes: int
    next_time: _timestamp_pb2.Timestamp
    lease_until_time: _timestamp_pb2.Timestamp
    create_time: _timestamp_pb2.Timestamp
    age: _duration_pb2.Duration
    last_error: str
    model_fingerprint: str
    rebuild: bool
    outdated: bool
    def __init__(self, ref: _Optional[str] = ..., agent_id: _Optional[str] = ..., record_ref: _Optional[str] = ..., state: _Optional[_Union[BuildState, str]] = ..., errors: _Optional[int] = ..., crashes: _Optional[int] = ..., next_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., lease_until_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., last_error: _Optional[str] = ..., model_fingerprint: _Optional[str] = ..., rebuild: _Optional[bool] = ..., outdated: _Optional[bool] = ...) -> None: ...

class BuildSummary(_message.Message):
    __slots__ = ("pending", "quarantined", "rebuilds", "running", "dead", "oldest_pending_age", "ended_last_minute")
    PENDING_FIELD_NUMBER: _ClassVar[int]
    QUARANTINED_FIELD_NUMBER: _ClassVar[int]
    REBUILDS_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    DEAD_FIELD_NUMBER: _ClassVar[int]
    OLDEST_PENDING_AGE_FIELD_NUMBER: _ClassVar[int]
    ENDED_LAST_MINUTE_FIELD_NUMBER: _ClassVar[int]
    pending: int
    quarantined: int
    rebuilds: int
    running: int
    dead: int
    oldest_pending_age: _duration_pb2.Duration
    ended_last_minute: int
    def __init__(self, pending: _Optional[int] = ..., quarantined: _Optional[int] = ..., rebuilds: _Optional[int] = ..., running: _Optional[int] = ..., dead: _Optional[int] = ..., oldest_pending_age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., ended_last_minute: _Optional[int] = ...) -> None: ...

class ListBuildsRequest(_message.Message):
    __slots__ = ("agent_id", "state", "page_size", "page_token", "with_summary")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    WITH_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    state: BuildState
    page_size: int
    page_token: str
    with_summary: bool
    def __init__(self, agent_id: _Optional[str] = ..., state: _Optional[_Union[BuildState, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., with_summary: _Optional[bool] = ...) -> None: ...

class ListBuildsResponse(_message.Message):
    __slots__ = ("builds", "next_page_token", "lowered", "summary")
    BUILDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    builds: _containers.RepeatedCompositeFieldContainer[Build]
    next_page_token: str
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    summary: BuildSummary
    def __init__(self, builds: _Optional[_Iterable[_Union[Build, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ..., summary: _Optional[_Union[BuildSummary, _Mapping]] = ...) -> None: ...

class RetryBuildsRequest(_message.Message):
    __slots__ = ("agent_id", "refs", "all", "limit")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    ALL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    refs: _containers.RepeatedScalarFieldContainer[str]
    all: bool
    limit: int
    def __init__(self, agent_id: _Optional[str] = ..., refs: _Optional[_Iterable[str]] = ..., all: _Optional[bool] = ..., limit: _Optional[int] = ...) -> None: ...

class RetriedBuild(_message.Message):
    __slots__ = ("ref", "outcome", "agent_id", "record_ref")
    REF_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    RECORD_REF_FIELD_NUMBER: _ClassVar[int]
    ref: str
    outcome: RetryOutcome
    agent_id: str
    record_ref: str
    def __init__(self, ref: _Optional[str] = ..., outcome: _Optional[_Union[RetryOutcome, str]] = ..., agent_id: _Optional[str] = ..., record_ref: _Optional[str] = ...) -> None: ...

class RetryBuildsResponse(_message.Message):
    __slots__ = ("results", "queued", "remaining", "lowered")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[RetriedBuild]
    queued: int
    remaining: int
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    def __init__(self, results: _Optional[_Iterable[_Union[RetriedBuild, _Mapping]]] = ..., queued: _Optional[int] = ..., remaining: _Optional[int] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ...) -> None: ...
