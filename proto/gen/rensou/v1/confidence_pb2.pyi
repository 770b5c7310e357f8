from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Certainty(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CERTAINTY_UNSPECIFIED: _ClassVar[Certainty]
    CERTAINTY_SURE: _ClassVar[Certainty]
    CERTAINTY_LIKELY: _ClassVar[Certainty]
    CERTAINTY_VAGUE: _ClassVar[Certainty]

class ConfidenceLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONFIDENCE_LEVEL_UNSPECIFIED: _ClassVar[ConfidenceLevel]
    CONFIDENCE_LEVEL_NONE: _ClassVar[ConfidenceLevel]
    CONFIDENCE_LEVEL_LOW: _ClassVar[ConfidenceLevel]
    CONFIDENCE_LEVEL_MEDIUM: _ClassVar[ConfidenceLevel]
    CONFIDENCE_LEVEL_HIGH: _ClassVar[ConfidenceLevel]
    CONFIDENCE_LEVEL_STRONG: _ClassVar[ConfidenceLevel]

class Ground(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GROUND_UNSPECIFIED: _ClassVar[Ground]
    GROUND_STATED: _ClassVar[Ground]
    GROUND_CORROBORATED: _ClassVar[Ground]
    GROUND_CONTRADICTED: _ClassVar[Ground]
    GROUND_QUALIFIED: _ClassVar[Ground]
    GROUND_ANONYMOUS: _ClassVar[Ground]
    GROUND_REPLACED: _ClassVar[Ground]
    GROUND_NOT_VALID: _ClassVar[Ground]
CERTAINTY_UNSPECIFIED: Certainty
CERTAINTY_SURE: Certainty
CERTAINTY_LIKELY: Certainty
CERTAINTY_VAGUE: Certainty
CONFIDENCE_LEVEL_UNSPECIFIED: ConfidenceLevel
CONFIDENCE_LEVEL_NONE: ConfidenceLevel
CONFIDENCE_LEVEL_LOW: ConfidenceLevel
CONFIDENCE_LEVEL_MEDIUM: ConfidenceLevel
CONFIDENCE_LEVEL_HIGH: ConfidenceLevel
CONFIDENCE_LEVEL_STRONG: ConfidenceLevel
GROUND_UNSPECIFIED: Ground
GROUND_STATED: Ground
GROUND_CORROBORATED: Ground
GROUND_CONTRADICTED: Ground
GROUND_QUALIFIED: Ground
GROUND_ANONYMOUS: Ground
GROUND_REPLACED: Ground
GROUND_NOT_VALID: Ground

class ConfidenceGround(_message.Message):
    __slots__ = ("ground", "value", "points", "refs", "refs_omitted")
    GROUND_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    REFS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    ground: Ground
    value: int
    points: int
    refs: _containers.RepeatedScalarFieldContainer[str]
    refs_omitted: int
    def __init__(self, ground: _Optional[_Union[Ground, str]] = ..., value: _Optional[int] = ..., points: _Optional[int] = ..., refs: _Optional[_Iterable[str]] = ..., refs_omitted: _Optional[int] = ...) -> None: ...

class MemoryConfidence(_message.Message):
    __slots__ = ("level", "points", "grounds", "supports_cut")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    GROUNDS_FIELD_NUMBER: _ClassVar[int]
    SUPPORTS_CUT_FIELD_NUMBER: _ClassVar[int]
    level: ConfidenceLevel
    points: int
    grounds: _containers.RepeatedCompositeFieldContainer[ConfidenceGround]
    supports_cut: bool
    def __init__(self, level: _Optional[_Union[ConfidenceLevel, str]] = ..., points: _Optional[int] = ..., grounds: _Optional[_Iterable[_Union[ConfidenceGround, _Mapping]]] = ..., supports_cut: _Optional[bool] = ...) -> None: ...
