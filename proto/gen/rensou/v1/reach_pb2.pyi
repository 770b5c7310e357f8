from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Reach(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REACH_UNSPECIFIED: _ClassVar[Reach]
    REACH_NEAR: _ClassVar[Reach]
    REACH_WIDE: _ClassVar[Reach]
REACH_UNSPECIFIED: Reach
REACH_NEAR: Reach
REACH_WIDE: Reach

class FarList(_message.Message):
    __slots__ = ("searched", "beyond", "refused")
    SEARCHED_FIELD_NUMBER: _ClassVar[int]
    BEYOND_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    searched: int
    beyond: int
    refused: int
    def __init__(self, searched: _Optional[int] = ..., beyond: _Optional[int] = ..., refused: _Optional[int] = ...) -> None: ...
