import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Resolution(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESOLUTION_UNSPECIFIED: _ClassVar[Resolution]
    RESOLUTION_ANY: _ClassVar[Resolution]
    RESOLUTION_ANNOTATE: _ClassVar[Resolution]
    RESOLUTION_CURRENT: _ClassVar[Resolution]

class RecordState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECORD_STATE_UNSPECIFIED: _ClassVar[RecordState]
    RECORD_STATE_CURRENT: _ClassVar[RecordState]
    RECORD_STATE_REPLACED: _ClassVar[RecordState]
RESOLUTION_UNSPECIFIED: Resolution
RESOLUTION_ANY: Resolution
RESOLUTION_ANNOTATE: Resolution
RESOLUTION_CURRENT: Resolution
RECORD_STATE_UNSPECIFIED: RecordState
RECORD_STATE_CURRENT: RecordState
RECORD_STATE_REPLACED: RecordState

class Successor(_message.Message):
    __slots__ = ("ref", "declare_time")
    REF_FIELD_NUMBER: _ClassVar[int]
    DECLARE_TIME_FIELD_NUMBER: _ClassVar[int]
    ref: str
    declare_time: _timestamp_pb2.Timestamp
    def __init__(self, ref: _Optional[str] = ..., declare_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Replaced(_message.Message):
    __slots__ = ("ref", "by_ref", "declare_time")
    REF_FIELD_NUMBER: _ClassVar[int]
    BY_REF_FIELD_NUMBER: _ClassVar[int]
    DECLARE_TIME_FIELD_NUMBER: _ClassVar[int]
    ref: str
    by_ref: str
    declare_time: _timestamp_pb2.Timestamp
    def __init__(self, ref: _Optional[str] = ..., by_ref: _Optional[str] = ..., declare_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Contradiction(_message.Message):
    __slots__ = ("ref", "relation_ref")
    REF_FIELD_NUMBER: _ClassVar[int]
    RELATION_REF_FIELD_NUMBER: _ClassVar[int]
    ref: str
    relation_ref: str
    def __init__(self, ref: _Optional[str] = ..., relation_ref: _Optional[str] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("state", "successors", "successors_omitted", "replaces", "replaces_omitted", "qualified_by", "qualified_by_omitted", "contradictions", "contradictions_omitted", "chain_cut")
    STATE_FIELD_NUMBER: _ClassVar[int]
    SUCCESSORS_FIELD_NUMBER: _ClassVar[int]
    SUCCESSORS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    REPLACES_FIELD_NUMBER: _ClassVar[int]
    REPLACES_OMITTED_FIELD_NUMBER: _ClassVar[int]
    QUALIFIED_BY_FIELD_NUMBER: _ClassVar[int]
    QUALIFIED_BY_OMITTED_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTIONS_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTIONS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    CHAIN_CUT_FIELD_NUMBER: _ClassVar[int]
    state: RecordState
    successors: _containers.RepeatedCompositeFieldContainer[Successor]
    successors_omitted: int
    replaces: _containers.RepeatedCompositeFieldContainer[Replaced]
    replaces_omitted: int
    qualified_by: _containers.RepeatedScalarFieldContainer[str]
    qualified_by_omitted: int
    contradictions: _containers.RepeatedCompositeFieldContainer[Contradiction]
    contradictions_omitted: int
    chain_cut: bool
    def __init__(self, state: _Optional[_Union[RecordState, str]] = ..., successors: _Optional[_Iterable[_Union[Successor, _Mapping]]] = ..., successors_omitted: _Optional[int] = ..., replaces: _Optional[_Iterable[_Union[Replaced, _Mapping]]] = ..., replaces_omitted: _Optional[int] = ..., qualified_by: _Optional[_Iterable[str]] = ..., qualified_by_omitted: _Optional[int] = ..., contradictions: _Optional[_Iterable[_Union[Contradiction, _Mapping]]] = ..., contradictions_omitted: _Optional[int] = ..., chain_cut: _Optional[bool] = ...) -> None: ...
