import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TimeConfidence(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TIME_CONFIDENCE_UNSPECIFIED: _ClassVar[TimeConfidence]
    TIME_CONFIDENCE_SURE: _ClassVar[TimeConfidence]
    TIME_CONFIDENCE_LIKELY: _ClassVar[TimeConfidence]
    TIME_CONFIDENCE_VAGUE: _ClassVar[TimeConfidence]

class TimeUnit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TIME_UNIT_UNSPECIFIED: _ClassVar[TimeUnit]
    TIME_UNIT_DAYS: _ClassVar[TimeUnit]
    TIME_UNIT_WEEKS: _ClassVar[TimeUnit]
    TIME_UNIT_MONTHS: _ClassVar[TimeUnit]

class TimeCueIgnored(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TIME_CUE_IGNORED_UNSPECIFIED: _ClassVar[TimeCueIgnored]
    TIME_CUE_IGNORED_RECENT_ONLY: _ClassVar[TimeCueIgnored]
TIME_CONFIDENCE_UNSPECIFIED: TimeConfidence
TIME_CONFIDENCE_SURE: TimeConfidence
TIME_CONFIDENCE_LIKELY: TimeConfidence
TIME_CONFIDENCE_VAGUE: TimeConfidence
TIME_UNIT_UNSPECIFIED: TimeUnit
TIME_UNIT_DAYS: TimeUnit
TIME_UNIT_WEEKS: TimeUnit
TIME_UNIT_MONTHS: TimeUnit
TIME_CUE_IGNORED_UNSPECIFIED: TimeCueIgnored
TIME_CUE_IGNORED_RECENT_ONLY: TimeCueIgnored

class TimePeriod(_message.Message):
    __slots__ = ("after_time", "before_time")
    AFTER_TIME_FIELD_NUMBER: _ClassVar[int]
    BEFORE_TIME_FIELD_NUMBER: _ClassVar[int]
    after_time: _timestamp_pb2.Timestamp
    before_time: _timestamp_pb2.Timestamp
    def __init__(self, after_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., before_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TimeAgo(_message.Message):
    __slots__ = ("unit", "value")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    unit: TimeUnit
    value: int
    def __init__(self, unit: _Optional[_Union[TimeUnit, str]] = ..., value: _Optional[int] = ...) -> None: ...

class LongAgo(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TimeCue(_message.Message):
    __slots__ = ("confidence", "period", "ago", "long_ago")
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    PERIOD_FIELD_NUMBER: _ClassVar[int]
    AGO_FIELD_NUMBER: _ClassVar[int]
    LONG_AGO_FIELD_NUMBER: _ClassVar[int]
    confidence: TimeConfidence
    period: TimePeriod
    ago: TimeAgo
    long_ago: LongAgo
    def __init__(self, confidence: _Optional[_Union[TimeConfidence, str]] = ..., period: _Optional[_Union[TimePeriod, _Mapping]] = ..., ago: _Optional[_Union[TimeAgo, _Mapping]] = ..., long_ago: _Optional[_Union[LongAgo, _Mapping]] = ...) -> None: ...

class TimeCueOutcome(_message.Message):
    __slots__ = ("policy", "start_time", "end_time", "confidence", "revised", "moved", "seated", "ignored", "cut", "records")
    POLICY_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    REVISED_FIELD_NUMBER: _ClassVar[int]
    MOVED_FIELD_NUMBER: _ClassVar[int]
    SEATED_FIELD_NUMBER: _ClassVar[int]
    IGNORED_FIELD_NUMBER: _ClassVar[int]
    CUT_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    policy: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    confidence: TimeConfidence
    revised: bool
    moved: int
    seated: int
    ignored: TimeCueIgnored
    cut: bool
    records: int
    def __init__(self, policy: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., confidence: _Optional[_Union[TimeConfidence, str]] = ..., revised: _Optional[bool] = ..., moved: _Optional[int] = ..., seated: _Optional[int] = ..., ignored: _Optional[_Union[TimeCueIgnored, str]] = ..., cut: _Optional[bool] = ..., records: _Optional[int] = ...) -> None: ...
