import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rensou.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetHistoryRequest(_message.Message):
    __slots__ = ("scope", "ref", "page_size", "page_token", "include_texts")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_TEXTS_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.ReadScope
    ref: str
    page_size: int
    page_token: str
    include_texts: bool
    def __init__(self, scope: _Optional[_Union[_types_pb2.ReadScope, _Mapping]] = ..., ref: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_texts: _Optional[bool] = ...) -> None: ...

class HistoricText(_message.Message):
    __slots__ = ("revision", "current_from_time", "current_to_time", "content_chars", "content")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CURRENT_FROM_TIME_FIELD_NUMBER: _ClassVar[int]
    CURRENT_TO_TIME_FIELD_NUMBER: _ClassVar[int]
    CONTENT_CHARS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    current_from_time: _timestamp_pb2.Timestamp
    current_to_time: _timestamp_pb2.Timestamp
    content_chars: int
    content: str
    def __init__(self, revision: _Optional[int] = ..., current_from_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., current_to_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., content_chars: _Optional[int] = ..., content: _Optional[str] = ...) -> None: ...

class HistoricRelation(_message.Message):
    __slots__ = ("ref", "subject", "predicate", "object", "declared_by", "declare_time", "retract_time")
    REF_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    DECLARED_BY_FIELD_NUMBER: _ClassVar[int]
    DECLARE_TIME_FIELD_NUMBER: _ClassVar[int]
    RETRACT_TIME_FIELD_NUMBER: _ClassVar[int]
    ref: str
    subject: str
    predicate: str
    object: str
    declared_by: str
    declare_time: _timestamp_pb2.Timestamp
    retract_time: _timestamp_pb2.Timestamp
    def __init__(self, ref: _Optional[str] = ..., subject: _Optional[str] = ..., predicate: _Optional[str] = ..., object: _Optional[str] = ..., declared_by: _Optional[str] = ..., declare_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., retract_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class HistoricMention(_message.Message):
    __slots__ = ("entity", "declared_by", "declare_time", "retract_time")
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    DECLARED_BY_FIELD_NUMBER: _ClassVar[int]
    DECLARE_TIME_FIELD_NUMBER: _ClassVar[int]
    RETRACT_TIME_FIELD_NUMBER: _ClassVar[int]
    entity: str
    declared_by: str
    declare_time: _timestamp_pb2.Timestamp
    retract_time: _timestamp_pb2.Timestamp
    def __init__(self, entity: _Optional[str] = ..., declared_by: _Optional[str] = ..., declare_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., retract_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class HistoricValidity(_message.Message):
    __slots__ = ("valid_from", "valid_to", "asserted_by", "record_time", "supersede_time")
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    ASSERTED_BY_FIELD_NUMBER: _ClassVar[int]
    RECORD_TIME_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDE_TIME_FIELD_NUMBER: _ClassVar[int]
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    asserted_by: str
    record_time: _timestamp_pb2.Timestamp
    supersede_time: _timestamp_pb2.Timestamp
    def __init__(self, valid_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., asserted_by: _Optional[str] = ..., record_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., supersede_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class HistoryEntry(_message.Message):
    __slots__ = ("text", "relation", "mention", "validity")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    MENTION_FIELD_NUMBER: _ClassVar[int]
    VALIDITY_FIELD_NUMBER: _ClassVar[int]
    text: HistoricText
    relation: HistoricRelation
    mention: HistoricMention
    validity: HistoricValidity
    def __init__(self, text: _Optional[_Union[HistoricText, _Mapping]] = ..., relation: _Optional[_Union[HistoricRelation, _Mapping]] = ..., mention: _Optional[_Union[HistoricMention, _Mapping]] = ..., validity: _Optional[_Union[HistoricValidity, _Mapping]] = ...) -> None: ...

class GetHistoryResponse(_message.Message):
    __slots__ = ("ref", "locked", "entries", "next_page_token", "lowered", "retire_time")
    REF_FIELD_NUMBER: _ClassVar[int]
    LOCKED_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    RETIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    ref: str
    locked: bool
    entries: _containers.RepeatedCompositeFieldContainer[HistoryEntry]
    next_page_token: str
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    retire_time: _timestamp_pb2.Timestamp
    def __init__(self, ref: _Optional[str] = ..., locked: _Optional[bool] = ..., entries: _Optional[_Iterable[_Union[HistoryEntry, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ..., retire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
