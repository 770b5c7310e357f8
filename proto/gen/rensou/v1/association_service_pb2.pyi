import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rensou.v1 import confidence_pb2 as _confidence_pb2
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

class Entity(_message.Message):
    __slots__ = ("ref", "name", "aliases", "aliases_omitted", "project_id", "channel", "declared_by", "create_time")
    REF_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    ALIASES_OMITTED_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    DECLARED_BY_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ref: str
    name: str
    aliases: _containers.RepeatedScalarFieldContainer[str]
    aliases_omitted: int
    project_id: str
    channel: str
    declared_by: str
    create_time: _timestamp_pb2.Timestamp
    def __init__(self, ref: _Optional[str] = ..., name: _Optional[str] = ..., aliases: _Optional[_Iterable[str]] = ..., aliases_omitted: _Optional[int] = ..., project_id: _Optional[str] = ..., channel: _Optional[str] = ..., declared_by: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Relation(_message.Message):
    __slots__ = ("ref", "subject", "predicate", "object", "subject_name", "object_name", "project_id", "channel", "declared_by", "declare_time", "anchor_ref", "certainty")
    REF_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_NAME_FIELD_NUMBER: _ClassVar[int]
    OBJECT_NAME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    DECLARED_BY_FIELD_NUMBER: _ClassVar[int]
    DECLARE_TIME_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_REF_FIELD_NUMBER: _ClassVar[int]
    CERTAINTY_FIELD_NUMBER: _ClassVar[int]
    ref: str
    subject: str
    predicate: str
    object: str
    subject_name: str
    object_name: str
    project_id: str
    channel: str
    declared_by: str
    declare_time: _timestamp_pb2.Timestamp
    anchor_ref: str
    certainty: _confidence_pb2.Certainty
    def __init__(self, ref: _Optional[str] = ..., subject: _Optional[str] = ..., predicate: _Optional[str] = ..., object: _Optional[str] = ..., subject_name: _Optional[str] = ..., object_name: _Optional[str] = ..., project_id: _Optional[str] = ..., channel: _Optional[str] = ..., declared_by: _Optional[str] = ..., declare_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., anchor_ref: _Optional[str] = ..., certainty: _Optional[_Union[_confidence_pb2.Certainty, str]] = ...) -> None: ...

class ListRelationsRequest(_message.Message):
    __slots__ = ("scope", "end_ref", "predicate", "page_size", "page_token")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    END_REF_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.ReadScope
    end_ref: str
    predicate: str
    page_size: int
    page_token: str
    def __init__(self, scope: _Optional[_Union[_types_pb2.ReadScope, _Mapping]] = ..., end_ref: _Optional[str] = ..., predicate: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRelationsResponse(_message.Message):
    __slots__ = ("relations", "next_page_token", "lowered")
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    relations: _containers.RepeatedCompositeFieldContainer[Relation]
    next_page_token: str
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    def __init__(self, relations: _Optional[_Iterable[_Union[Relation, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ...) -> None: ...

class ListEntitiesRequest(_message.Message):
    __slots__ = ("scope", "name", "mentioned_in", "page_size", "page_token")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MENTIONED_IN_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.ReadScope
    name: str
    mentioned_in: str
    page_size: int
    page_token: str
    def __init__(self, scope: _Optional[_Union[_types_pb2.ReadScope, _Mapping]] = ..., name: _Optional[str] = ..., mentioned_in: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEntitiesResponse(_message.Message):
    __slots__ = ("entities", "next_page_token", "lowered")
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    entities: _containers.RepeatedCompositeFieldContainer[Entity]
    next_page_token: str
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    def __init__(self, entities: _Optional[_Iterable[_Union[Entity, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ...) -> None: ...

class DeleteEntityRequest(_message.Message):
    __slots__ = ("agent_id", "ref")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    ref: str
    def __init__(self, agent_id: _Optional[str] = ..., ref: _Optional[str] = ...) -> None: ...

class DeleteEntityResponse(_message.Message):
    __slots__ = ("aliases", "mentions", "relations")
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    aliases: int
    mentions: int
    relations: int
    def __init__(self, aliases: _Optional[int] = ..., mentions: _Optional[int] = ..., relations: _Optional[int] = ...) -> None: ...

class ListContradictionCandidatesRequest(_message.Message):
    __slots__ = ("scope", "page_size", "page_token")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.ReadScope
    page_size: int
    page_token: str
    def __init__(self, scope: _Optional[_Union[_types_pb2.ReadScope, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ContradictionCandidate(_message.Message):
    __slots__ = ("subject", "predicate", "first", "second")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    subject: str
    predicate: str
    first: Relation
    second: Relation
    def __init__(self, subject: _Optional[str] = ..., predicate: _Optional[str] = ..., first: _Optional[_Union[Relation, _Mapping]] = ..., second: _Optional[_Union[Relation, _Mapping]] = ...) -> None: ...

class ListContradictionCandidatesResponse(_message.Message):
    __slots__ = ("candidates", "next_page_token", "lowered")
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    candidates: _containers.RepeatedCompositeFieldContainer[ContradictionCandidate]
    next_page_token: str
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    def __init__(self, candidates: _Optional[_Iterable[_Union[ContradictionCandidate, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ...) -> None: ...
