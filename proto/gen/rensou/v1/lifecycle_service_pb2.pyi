from rensou.v1 import errors_pb2 as _errors_pb2
from rensou.v1 import history_pb2 as _history_pb2
from rensou.v1 import retention_pb2 as _retention_pb2
from rensou.v1 import types_pb2 as _types_pb2
from rensou.v1 import validity_pb2 as _validity_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ForgetMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FORGET_MODE_UNSPECIFIED: _ClassVar[ForgetMode]
    FORGET_MODE_RETIRE: _ClassVar[ForgetMode]
    FORGET_MODE_TOMBSTONE: _ClassVar[ForgetMode]
    FORGET_MODE_HARD: _ClassVar[ForgetMode]
FORGET_MODE_UNSPECIFIED: ForgetMode
FORGET_MODE_RETIRE: ForgetMode
FORGET_MODE_TOMBSTONE: ForgetMode
FORGET_MODE_HARD: ForgetMode

class ReviseRecordRequest(_message.Message):
    __slots__ = ("agent_id", "ref", "content", "expected_revision")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_REVISION_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    ref: str
    content: str
    expected_revision: int
    def __init__(self, agent_id: _Optional[str] = ..., ref: _Optional[str] = ..., content: _Optional[str] = ..., expected_revision: _Optional[int] = ...) -> None: ...

class ReviseRecordResponse(_message.Message):
    __slots__ = ("ref", "revision", "embedded", "nodes")
    REF_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    EMBEDDED_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    ref: str
    revision: int
    embedded: bool
    nodes: _types_pb2.NodesStatus
    def __init__(self, ref: _Optional[str] = ..., revision: _Optional[int] = ..., embedded: _Optional[bool] = ..., nodes: _Optional[_Union[_types_pb2.NodesStatus, str]] = ...) -> None: ...

class LockRecordRequest(_message.Message):
    __slots__ = ("agent_id", "ref")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    ref: str
    def __init__(self, agent_id: _Optional[str] = ..., ref: _Optional[str] = ...) -> None: ...

class LockRecordResponse(_message.Message):
    __slots__ = ("changed",)
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    changed: bool
    def __init__(self, changed: _Optional[bool] = ...) -> None: ...

class UnlockRecordRequest(_message.Message):
    __slots__ = ("agent_id", "ref")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    ref: str
    def __init__(self, agent_id: _Optional[str] = ..., ref: _Optional[str] = ...) -> None: ...

class UnlockRecordResponse(_message.Message):
    __slots__ = ("changed",)
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    changed: bool
    def __init__(self, changed: _Optional[bool] = ...) -> None: ...

class ForgetRequest(_message.Message):
    __slots__ = ("agent_id", "refs", "mode", "reason")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    refs: _containers.RepeatedScalarFieldContainer[str]
    mode: ForgetMode
    reason: str
    def __init__(self, agent_id: _Optional[str] = ..., refs: _Optional[_Iterable[str]] = ..., mode: _Optional[_Union[ForgetMode, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class ForgottenArtifacts(_message.Message):
    __slots__ = ("revisions", "vectors", "terms", "nodes", "builds", "mentions", "relations", "caller_ids", "retirements")
    REVISIONS_FIELD_NUMBER: _ClassVar[int]
    VECTORS_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    BUILDS_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    CALLER_IDS_FIELD_NUMBER: _ClassVar[int]
    RETIREMENTS_FIELD_NUMBER: _ClassVar[int]
    revisions: int
    vectors: int
    terms: int
    nodes: int
    builds: int
    mentions: int
    relations: int
    caller_ids: int
    retirements: int
    def __init__(self, revisions: _Optional[int] = ..., vectors: _Optional[int] = ..., terms: _Optional[int] = ..., nodes: _Optional[int] = ..., builds: _Optional[int] = ..., mentions: _Optional[int] = ..., relations: _Optional[int] = ..., caller_ids: _Optional[int] = ..., retirements: _Optional[int] = ...) -> None: ...

class ForgetResult(_message.Message):
    __slots__ = ("ref", "forgotten", "refused", "retired")
    REF_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    RETIRED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    forgotten: ForgottenArtifacts
    refused: _errors_pb2.ErrorReason
    retired: _retention_pb2.RetiredRecord
    def __init__(self, ref: _Optional[str] = ..., forgotten: _Optional[_Union[ForgottenArtifacts, _Mapping]] = ..., refused: _Optional[_Union[_errors_pb2.ErrorReason, str]] = ..., retired: _Optional[_Union[_retention_pb2.RetiredRecord, _Mapping]] = ...) -> None: ...

class ForgetResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ForgetResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ForgetResult, _Mapping]]] = ...) -> None: ...
