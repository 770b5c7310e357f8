import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rensou.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ValidityState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VALIDITY_STATE_UNSPECIFIED: _ClassVar[ValidityState]
    VALIDITY_STATE_VALID: _ClassVar[ValidityState]
    VALIDITY_STATE_PAST: _ClassVar[ValidityState]
    VALIDITY_STATE_FUTURE: _ClassVar[ValidityState]
VALIDITY_STATE_UNSPECIFIED: ValidityState
VALIDITY_STATE_VALID: ValidityState
VALIDITY_STATE_PAST: ValidityState
VALIDITY_STATE_FUTURE: ValidityState

class AssertedValidity(_message.Message):
    __slots__ = ("valid_from", "valid_to", "state")
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    state: ValidityState
    def __init__(self, valid_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[_Union[ValidityState, str]] = ...) -> None: ...

class TimelineEntry(_message.Message):
    __slots__ = ("ref", "valid_from", "valid_to", "record_time", "state")
    REF_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    RECORD_TIME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ref: str
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    record_time: _timestamp_pb2.Timestamp
    state: ValidityState
    def __init__(self, ref: _Optional[str] = ..., valid_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., record_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[_Union[ValidityState, str]] = ...) -> None: ...

class RelationTimeline(_message.Message):
    __slots__ = ("subject", "predicate", "entries", "entries_omitted")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_OMITTED_FIELD_NUMBER: _ClassVar[int]
    subject: str
    predicate: str
    entries: _containers.RepeatedCompositeFieldContainer[TimelineEntry]
    entries_omitted: int
    def __init__(self, subject: _Optional[str] = ..., predicate: _Optional[str] = ..., entries: _Optional[_Iterable[_Union[TimelineEntry, _Mapping]]] = ..., entries_omitted: _Optional[int] = ...) -> None: ...

class ValidityAssertion(_message.Message):
    __slots__ = ("target", "valid_from", "valid_to", "without_from", "without_to")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_FROM_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_TO_FIELD_NUMBER: _ClassVar[int]
    target: str
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    without_from: bool
    without_to: bool
    def __init__(self, target: _Optional[str] = ..., valid_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., without_from: _Optional[bool] = ..., without_to: _Optional[bool] = ...) -> None: ...

class AssertValidityRequest(_message.Message):
    __slots__ = ("agent_id", "assertions")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    ASSERTIONS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    assertions: _containers.RepeatedCompositeFieldContainer[ValidityAssertion]
    def __init__(self, agent_id: _Optional[str] = ..., assertions: _Optional[_Iterable[_Union[ValidityAssertion, _Mapping]]] = ...) -> None: ...

class StandingValidity(_message.Message):
    __slots__ = ("valid_from", "valid_to", "changed")
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    changed: bool
    def __init__(self, valid_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., changed: _Optional[bool] = ...) -> None: ...

class AssertValidityResult(_message.Message):
    __slots__ = ("target", "asserted", "dropped")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    ASSERTED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    target: str
    asserted: StandingValidity
    dropped: _types_pb2.DropReason
    def __init__(self, target: _Optional[str] = ..., asserted: _Optional[_Union[StandingValidity, _Mapping]] = ..., dropped: _Optional[_Union[_types_pb2.DropReason, str]] = ...) -> None: ...

class AssertValidityResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[AssertValidityResult]
    def __init__(self, results: _Optional[_Iterable[_Union[AssertValidityResult, _Mapping]]] = ...) -> None: ...
