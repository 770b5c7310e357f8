import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rensou.v1 import confidence_pb2 as _confidence_pb2
from rensou.v1 import errors_pb2 as _errors_pb2
from rensou.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RetentionTest(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RETENTION_TEST_UNSPECIFIED: _ClassVar[RetentionTest]
    RETENTION_TEST_OLDER_THAN_DAYS: _ClassVar[RetentionTest]
    RETENTION_TEST_NOT_RECALLED_DAYS: _ClassVar[RetentionTest]
    RETENTION_TEST_STATE_REPLACED: _ClassVar[RetentionTest]
    RETENTION_TEST_VALIDITY_PAST: _ClassVar[RetentionTest]
    RETENTION_TEST_CONFIDENCE_AT_MOST: _ClassVar[RetentionTest]
    RETENTION_TEST_WRONG_REPORTS_AT_LEAST: _ClassVar[RetentionTest]
    RETENTION_TEST_UNUSED_REPORTS_AT_LEAST: _ClassVar[RetentionTest]
    RETENTION_TEST_SOURCE_TYPE: _ClassVar[RetentionTest]
    RETENTION_TEST_CHANNEL: _ClassVar[RetentionTest]

class SkipReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SKIP_REASON_UNSPECIFIED: _ClassVar[SkipReason]
    SKIP_REASON_LOCKED: _ClassVar[SkipReason]
    SKIP_REASON_NO_LONGER_MATCHES: _ClassVar[SkipReason]
    SKIP_REASON_ALREADY_RETIRED: _ClassVar[SkipReason]
    SKIP_REASON_NOT_FOUND: _ClassVar[SkipReason]
RETENTION_TEST_UNSPECIFIED: RetentionTest
RETENTION_TEST_OLDER_THAN_DAYS: RetentionTest
RETENTION_TEST_NOT_RECALLED_DAYS: RetentionTest
RETENTION_TEST_STATE_REPLACED: RetentionTest
RETENTION_TEST_VALIDITY_PAST: RetentionTest
RETENTION_TEST_CONFIDENCE_AT_MOST: RetentionTest
RETENTION_TEST_WRONG_REPORTS_AT_LEAST: RetentionTest
RETENTION_TEST_UNUSED_REPORTS_AT_LEAST: RetentionTest
RETENTION_TEST_SOURCE_TYPE: RetentionTest
RETENTION_TEST_CHANNEL: RetentionTest
SKIP_REASON_UNSPECIFIED: SkipReason
SKIP_REASON_LOCKED: SkipReason
SKIP_REASON_NO_LONGER_MATCHES: SkipReason
SKIP_REASON_ALREADY_RETIRED: SkipReason
SKIP_REASON_NOT_FOUND: SkipReason

class RetiredRecord(_message.Message):
    __slots__ = ("retire_time", "caller_ids")
    RETIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    CALLER_IDS_FIELD_NUMBER: _ClassVar[int]
    retire_time: _timestamp_pb2.Timestamp
    caller_ids: int
    def __init__(self, retire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., caller_ids: _Optional[int] = ...) -> None: ...

class RestoreRequest(_message.Message):
    __slots__ = ("agent_id", "refs")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    refs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, agent_id: _Optional[str] = ..., refs: _Optional[_Iterable[str]] = ...) -> None: ...

class RestoredRecord(_message.Message):
    __slots__ = ("caller_ids", "caller_ids_lost")
    CALLER_IDS_FIELD_NUMBER: _ClassVar[int]
    CALLER_IDS_LOST_FIELD_NUMBER: _ClassVar[int]
    caller_ids: int
    caller_ids_lost: int
    def __init__(self, caller_ids: _Optional[int] = ..., caller_ids_lost: _Optional[int] = ...) -> None: ...

class RestoreResult(_message.Message):
    __slots__ = ("ref", "restored", "refused")
    REF_FIELD_NUMBER: _ClassVar[int]
    RESTORED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    restored: RestoredRecord
    refused: _errors_pb2.ErrorReason
    def __init__(self, ref: _Optional[str] = ..., restored: _Optional[_Union[RestoredRecord, _Mapping]] = ..., refused: _Optional[_Union[_errors_pb2.ErrorReason, str]] = ...) -> None: ...

class RestoreResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[RestoreResult]
    def __init__(self, results: _Optional[_Iterable[_Union[RestoreResult, _Mapping]]] = ...) -> None: ...

class RetentionTests(_message.Message):
    __slots__ = ("older_than_days", "not_recalled_days", "state_replaced", "validity_past", "confidence_at_most", "wrong_reports_at_least", "unused_reports_at_least", "source_type", "channel")
    OLDER_THAN_DAYS_FIELD_NUMBER: _ClassVar[int]
    NOT_RECALLED_DAYS_FIELD_NUMBER: _ClassVar[int]
    STATE_REPLACED_FIELD_NUMBER: _ClassVar[int]
    VALIDITY_PAST_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_AT_MOST_FIELD_NUMBER: _ClassVar[int]
    WRONG_REPORTS_AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    UNUSED_REPORTS_AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    SOURCE_TYPE_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    older_than_days: int
    not_recalled_days: int
    state_replaced: bool
    validity_past: bool
    confidence_at_most: _confidence_pb2.ConfidenceLevel
    wrong_reports_at_least: int
    unused_reports_at_least: int
    source_type: str
    channel: str
    def __init__(self, older_than_days: _Optional[int] = ..., not_recalled_days: _Optional[int] = ..., state_replaced: _Optional[bool] = ..., validity_past: _Optional[bool] = ..., confidence_at_most: _Optional[_Union[_confidence_pb2.ConfidenceLevel, str]] = ..., wrong_reports_at_least: _Optional[int] = ..., unused_reports_at_least: _Optional[int] = ..., source_type: _Optional[str] = ..., channel: _Optional[str] = ...) -> None: ...

class RetentionGround(_message.Message):
    __slots__ = ("test", "found", "refs")
    TEST_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    test: RetentionTest
    found: str
    refs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, test: _Optional[_Union[RetentionTest, str]] = ..., found: _Optional[str] = ..., refs: _Optional[_Iterable[str]] = ...) -> None: ...

class PolicyKey(_message.Message):
    __slots__ = ("scope", "name")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.WriteScope
    name: str
    def __init__(self, scope: _Optional[_Union[_types_pb2.WriteScope, _Mapping]] = ..., name: _Optional[str] = ...) -> None: ...

class RetentionPolicy(_message.Message):
    __slots__ = ("key", "tests", "digest", "put_time", "put_by")
    KEY_FIELD_NUMBER: _ClassVar[int]
    TESTS_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    PUT_TIME_FIELD_NUMBER: _ClassVar[int]
    PUT_BY_FIELD_NUMBER: _ClassVar[int]
    key: PolicyKey
    tests: RetentionTests
    digest: str
    put_time: _timestamp_pb2.Timestamp
    put_by: str
    def __init__(self, key: _Optional[_Union[PolicyKey, _Mapping]] = ..., tests: _Optional[_Union[RetentionTests, _Mapping]] = ..., digest: _Optional[str] = ..., put_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., put_by: _Optional[str] = ...) -> None: ...

class PutRetentionPolicyRequest(_message.Message):
    __slots__ = ("policy",)
    POLICY_FIELD_NUMBER: _ClassVar[int]
    policy: RetentionPolicy
    def __init__(self, policy: _Optional[_Union[RetentionPolicy, _Mapping]] = ...) -> None: ...

class PutRetentionPolicyResponse(_message.Message):
    __slots__ = ("policy",)
    POLICY_FIELD_NUMBER: _ClassVar[int]
    policy: RetentionPolicy
    def __init__(self, policy: _Optional[_Union[RetentionPolicy, _Mapping]] = ...) -> None: ...

class DeleteRetentionPolicyRequest(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: PolicyKey
    def __init__(self, key: _Optional[_Union[PolicyKey, _Mapping]] = ...) -> None: ...

class DeleteRetentionPolicyResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListRetentionPoliciesRequest(_message.Message):
    __slots__ = ("scope",)
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.WriteScope
    def __init__(self, scope: _Optional[_Union[_types_pb2.WriteScope, _Mapping]] = ...) -> None: ...

class ListRetentionPoliciesResponse(_message.Message):
    __slots__ = ("policies",)
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    policies: _containers.RepeatedCompositeFieldContainer[RetentionPolicy]
    def __init__(self, policies: _Optional[_Iterable[_Union[RetentionPolicy, _Mapping]]] = ...) -> None: ...

class ListRetentionRequest(_message.Message):
    __slots__ = ("key", "page_size", "page_token")
    KEY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    key: PolicyKey
    page_size: int
    page_token: str
    def __init__(self, key: _Optional[_Union[PolicyKey, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class RetentionMatch(_message.Message):
    __slots__ = ("ref", "create_time", "grounds")
    REF_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    GROUNDS_FIELD_NUMBER: _ClassVar[int]
    ref: str
    create_time: _timestamp_pb2.Timestamp
    grounds: _containers.RepeatedCompositeFieldContainer[RetentionGround]
    def __init__(self, ref: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., grounds: _Optional[_Iterable[_Union[RetentionGround, _Mapping]]] = ...) -> None: ...

class ListRetentionResponse(_message.Message):
    __slots__ = ("matches", "next_page_token", "digest", "lowered")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[RetentionMatch]
    next_page_token: str
    digest: str
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    def __init__(self, matches: _Optional[_Iterable[_Union[RetentionMatch, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., digest: _Optional[str] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ...) -> None: ...

class ApplyRetentionRequest(_message.Message):
    __slots__ = ("key", "refs", "digest", "reason")
    KEY_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    key: PolicyKey
    refs: _containers.RepeatedScalarFieldContainer[str]
    digest: str
    reason: str
    def __init__(self, key: _Optional[_Union[PolicyKey, _Mapping]] = ..., refs: _Optional[_Iterable[str]] = ..., digest: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class SkippedRecord(_message.Message):
    __slots__ = ("ref", "reason")
    REF_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ref: str
    reason: SkipReason
    def __init__(self, ref: _Optional[str] = ..., reason: _Optional[_Union[SkipReason, str]] = ...) -> None: ...

class ApplyRetentionResponse(_message.Message):
    __slots__ = ("retired", "skipped")
    RETIRED_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    retired: _containers.RepeatedScalarFieldContainer[str]
    skipped: _containers.RepeatedCompositeFieldContainer[SkippedRecord]
    def __init__(self, retired: _Optional[_Iterable[str]] = ..., skipped: _Optional[_Iterable[_Union[SkippedRecord, _Mapping]]] = ...) -> None: ...
