from rensou.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MentionRef(_message.Message):
    __slots__ = ("entity", "ref")
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    entity: str
    ref: str
    def __init__(self, entity: _Optional[str] = ..., ref: _Optional[str] = ...) -> None: ...

class Retraction(_message.Message):
    __slots__ = ("relations", "mentions")
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    relations: _containers.RepeatedScalarFieldContainer[str]
    mentions: _containers.RepeatedCompositeFieldContainer[MentionRef]
    def __init__(self, relations: _Optional[_Iterable[str]] = ..., mentions: _Optional[_Iterable[_Union[MentionRef, _Mapping]]] = ...) -> None: ...

class DeclareAssociationsRequest(_message.Message):
    __slots__ = ("scope", "associations", "anchor_ref", "retract")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    ASSOCIATIONS_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_REF_FIELD_NUMBER: _ClassVar[int]
    RETRACT_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.WriteScope
    associations: _types_pb2.Associations
    anchor_ref: str
    retract: Retraction
    def __init__(self, scope: _Optional[_Union[_types_pb2.WriteScope, _Mapping]] = ..., associations: _Optional[_Union[_types_pb2.Associations, _Mapping]] = ..., anchor_ref: _Optional[str] = ..., retract: _Optional[_Union[Retraction, _Mapping]] = ...) -> None: ...

class RetractionReport(_message.Message):
    __slots__ = ("relations", "mentions")
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    relations: int
    mentions: int
    def __init__(self, relations: _Optional[int] = ..., mentions: _Optional[int] = ...) -> None: ...

class DeclareAssociationsResponse(_message.Message):
    __slots__ = ("report", "retracted")
    REPORT_FIELD_NUMBER: _ClassVar[int]
    RETRACTED_FIELD_NUMBER: _ClassVar[int]
    report: _types_pb2.AssociationReport
    retracted: RetractionReport
    def __init__(self, report: _Optional[_Union[_types_pb2.AssociationReport, _Mapping]] = ..., retracted: _Optional[_Union[RetractionReport, _Mapping]] = ...) -> None: ...
