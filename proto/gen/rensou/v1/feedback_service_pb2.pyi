from rensou.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class UseVerdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    USE_VERDICT_UNSPECIFIED: _ClassVar[UseVerdict]
    USE_VERDICT_USED: _ClassVar[UseVerdict]
    USE_VERDICT_UNUSED: _ClassVar[UseVerdict]
    USE_VERDICT_WRONG: _ClassVar[UseVerdict]

class FailureCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAILURE_CODE_UNSPECIFIED: _ClassVar[FailureCode]
    FAILURE_CODE_NONE: _ClassVar[FailureCode]
    FAILURE_CODE_SYSTEM_DEGRADED: _ClassVar[FailureCode]
    FAILURE_CODE_STALE_CONFLICT: _ClassVar[FailureCode]
    FAILURE_CODE_UNATTRIBUTED: _ClassVar[FailureCode]
    FAILURE_CODE_CANDIDATE_MISS: _ClassVar[FailureCode]
    FAILURE_CODE_FILTER_DROP: _ClassVar[FailureCode]
    FAILURE_CODE_RANKING_MISS: _ClassVar[FailureCode]
    FAILURE_CODE_EVIDENCE_NOISE: _ClassVar[FailureCode]

class UseDropReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    USE_DROP_REASON_UNSPECIFIED: _ClassVar[UseDropReason]
    USE_DROP_REASON_UNKNOWN_RECALL: _ClassVar[UseDropReason]
    USE_DROP_REASON_UNKNOWN_RECORD: _ClassVar[UseDropReason]
    USE_DROP_REASON_BAD_VERDICT: _ClassVar[UseDropReason]
    USE_DROP_REASON_INVALID_REF: _ClassVar[UseDropReason]
USE_VERDICT_UNSPECIFIED: UseVerdict
USE_VERDICT_USED: UseVerdict
USE_VERDICT_UNUSED: UseVerdict
USE_VERDICT_WRONG: UseVerdict
FAILURE_CODE_UNSPECIFIED: FailureCode
FAILURE_CODE_NONE: FailureCode
FAILURE_CODE_SYSTEM_DEGRADED: FailureCode
FAILURE_CODE_STALE_CONFLICT: FailureCode
FAILURE_CODE_UNATTRIBUTED: FailureCode
FAILURE_CODE_CANDIDATE_MISS: FailureCode
FAILURE_CODE_FILTER_DROP: FailureCode
FAILURE_CODE_RANKING_MISS: FailureCode
FAILURE_CODE_EVIDENCE_NOISE: FailureCode
USE_DROP_REASON_UNSPECIFIED: UseDropReason
USE_DROP_REASON_UNKNOWN_RECALL: UseDropReason
USE_DROP_REASON_UNKNOWN_RECORD: UseDropReason
USE_DROP_REASON_BAD_VERDICT: UseDropReason
USE_DROP_REASON_INVALID_REF: UseDropReason

class UseReport(_message.Message):
    __slots__ = ("ref", "verdict")
    REF_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    ref: str
    verdict: UseVerdict
    def __init__(self, ref: _Optional[str] = ..., verdict: _Optional[_Union[UseVerdict, str]] = ...) -> None: ...

class ReportUseRequest(_message.Message):
    __slots__ = ("agent_id", "recall_id", "items")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    RECALL_ID_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    recall_id: str
    items: _containers.RepeatedCompositeFieldContainer[UseReport]
    def __init__(self, agent_id: _Optional[str] = ..., recall_id: _Optional[str] = ..., items: _Optional[_Iterable[_Union[UseReport, _Mapping]]] = ...) -> None: ...

class UseResult(_message.Message):
    __slots__ = ("ref", "code", "dropped")
    REF_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    code: FailureCode
    dropped: UseDropReason
    def __init__(self, ref: _Optional[str] = ..., code: _Optional[_Union[FailureCode, str]] = ..., dropped: _Optional[_Union[UseDropReason, str]] = ...) -> None: ...

class ReportUseResponse(_message.Message):
    __slots__ = ("results", "persisted")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    PERSISTED_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[UseResult]
    persisted: bool
    def __init__(self, results: _Optional[_Iterable[_Union[UseResult, _Mapping]]] = ..., persisted: _Optional[bool] = ...) -> None: ...

class GetDiagnosticsRequest(_message.Message):
    __slots__ = ("agent_id", "project_id", "months")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    MONTHS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    project_id: str
    months: int
    def __init__(self, agent_id: _Optional[str] = ..., project_id: _Optional[str] = ..., months: _Optional[int] = ...) -> None: ...

class UseCount(_message.Message):
    __slots__ = ("month", "project_id", "verdict", "code", "reports")
    MONTH_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    month: str
    project_id: str
    verdict: UseVerdict
    code: FailureCode
    reports: int
    def __init__(self, month: _Optional[str] = ..., project_id: _Optional[str] = ..., verdict: _Optional[_Union[UseVerdict, str]] = ..., code: _Optional[_Union[FailureCode, str]] = ..., reports: _Optional[int] = ...) -> None: ...

class RefUse(_message.Message):
    __slots__ = ("ref", "wrong", "unused", "used")
    REF_FIELD_NUMBER: _ClassVar[int]
    WRONG_FIELD_NUMBER: _ClassVar[int]
    UNUSED_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    wrong: int
    unused: int
    used: int
    def __init__(self, ref: _Optional[str] = ..., wrong: _Optional[int] = ..., unused: _Optional[int] = ..., used: _Optional[int] = ...) -> None: ...

class GetDiagnosticsResponse(_message.Message):
    __slots__ = ("counts", "counts_omitted", "refs", "lowered")
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    COUNTS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    counts: _containers.RepeatedCompositeFieldContainer[UseCount]
    counts_omitted: int
    refs: _containers.RepeatedCompositeFieldContainer[RefUse]
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    def __init__(self, counts: _Optional[_Iterable[_Union[UseCount, _Mapping]]] = ..., counts_omitted: _Optional[int] = ..., refs: _Optional[_Iterable[_Union[RefUse, _Mapping]]] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ...) -> None: ...
