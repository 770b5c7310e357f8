import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rensou.v1 import confidence_pb2 as _confidence_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecordKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECORD_KIND_UNSPECIFIED: _ClassVar[RecordKind]
    RECORD_KIND_MEMORY: _ClassVar[RecordKind]
    RECORD_KIND_EPISODE: _ClassVar[RecordKind]

class QuoteBasis(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    QUOTE_BASIS_UNSPECIFIED: _ClassVar[QuoteBasis]
    QUOTE_BASIS_WHOLE: _ClassVar[QuoteBasis]
    QUOTE_BASIS_NODE: _ClassVar[QuoteBasis]
    QUOTE_BASIS_START: _ClassVar[QuoteBasis]
    QUOTE_BASIS_SPAN: _ClassVar[QuoteBasis]
    QUOTE_BASIS_WITHHELD: _ClassVar[QuoteBasis]

class StartReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    START_REASON_UNSPECIFIED: _ClassVar[StartReason]
    START_REASON_NO_NODES: _ClassVar[StartReason]
    START_REASON_NOT_CURRENT: _ClassVar[StartReason]

class Arm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ARM_UNSPECIFIED: _ClassVar[Arm]
    ARM_VECTOR: _ClassVar[Arm]
    ARM_LEXICAL: _ClassVar[Arm]
    ARM_RECENT: _ClassVar[Arm]
    ARM_TRIGRAM: _ClassVar[Arm]

class Fusion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FUSION_UNSPECIFIED: _ClassVar[Fusion]
    FUSION_CONVEX: _ClassVar[Fusion]
    FUSION_RRF: _ClassVar[Fusion]

class DegradationKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEGRADATION_KIND_UNSPECIFIED: _ClassVar[DegradationKind]
    DEGRADATION_KIND_NO_QUERY_VECTOR: _ClassVar[DegradationKind]
    DEGRADATION_KIND_MODEL_MISMATCH: _ClassVar[DegradationKind]
    DEGRADATION_KIND_RERANKER_UNAVAILABLE: _ClassVar[DegradationKind]

class DropReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DROP_REASON_UNSPECIFIED: _ClassVar[DropReason]
    DROP_REASON_EMPTY: _ClassVar[DropReason]
    DROP_REASON_TOO_LONG: _ClassVar[DropReason]
    DROP_REASON_INVALID_TEXT: _ClassVar[DropReason]
    DROP_REASON_BEYOND_BOUND: _ClassVar[DropReason]
    DROP_REASON_ALIAS_TAKEN: _ClassVar[DropReason]
    DROP_REASON_RECORD_NOT_FOUND: _ClassVar[DropReason]
    DROP_REASON_SELF_RELATION: _ClassVar[DropReason]
    DROP_REASON_CROSSES_ISOLATION: _ClassVar[DropReason]
    DROP_REASON_CYCLE: _ClassVar[DropReason]
    DROP_REASON_INVALID_REF: _ClassVar[DropReason]
    DROP_REASON_FAILED: _ClassVar[DropReason]
    DROP_REASON_INVALID_INTERVAL: _ClassVar[DropReason]
    DROP_REASON_RELATION_NOT_FOUND: _ClassVar[DropReason]
    DROP_REASON_INVALID_CERTAINTY: _ClassVar[DropReason]

class WarningReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WARNING_REASON_UNSPECIFIED: _ClassVar[WarningReason]
    WARNING_REASON_CYCLE_NOT_EXCLUDED: _ClassVar[WarningReason]

class NodesStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NODES_STATUS_UNSPECIFIED: _ClassVar[NodesStatus]
    NODES_STATUS_QUEUED: _ClassVar[NodesStatus]
    NODES_STATUS_DEFERRED: _ClassVar[NodesStatus]
RECORD_KIND_UNSPECIFIED: RecordKind
RECORD_KIND_MEMORY: RecordKind
RECORD_KIND_EPISODE: RecordKind
QUOTE_BASIS_UNSPECIFIED: QuoteBasis
QUOTE_BASIS_WHOLE: QuoteBasis
QUOTE_BASIS_NODE: QuoteBasis
QUOTE_BASIS_START: QuoteBasis
QUOTE_BASIS_SPAN: QuoteBasis
QUOTE_BASIS_WITHHELD: QuoteBasis
START_REASON_UNSPECIFIED: StartReason
START_REASON_NO_NODES: StartReason
START_REASON_NOT_CURRENT: StartReason
ARM_UNSPECIFIED: Arm
ARM_VECTOR: Arm
ARM_LEXICAL: Arm
ARM_RECENT: Arm
ARM_TRIGRAM: Arm
FUSION_UNSPECIFIED: Fusion
FUSION_CONVEX: Fusion
FUSION_RRF: Fusion
DEGRADATION_KIND_UNSPECIFIED: DegradationKind
DEGRADATION_KIND_NO_QUERY_VECTOR: DegradationKind
DEGRADATION_KIND_MODEL_MISMATCH: DegradationKind
DEGRADATION_KIND_RERANKER_UNAVAILABLE: DegradationKind
DROP_REASON_UNSPECIFIED: DropReason
DROP_REASON_EMPTY: DropReason
DROP_REASON_TOO_LONG: DropReason
DROP_REASON_INVALID_TEXT: DropReason
DROP_REASON_BEYOND_BOUND: DropReason
DROP_REASON_ALIAS_TAKEN: DropReason
DROP_REASON_RECORD_NOT_FOUND: DropReason
DROP_REASON_SELF_RELATION: DropReason
DROP_REASON_CROSSES_ISOLATION: DropReason
DROP_REASON_CYCLE: DropReason
DROP_REASON_INVALID_REF: DropReason
DROP_REASON_FAILED: DropReason
DROP_REASON_INVALID_INTERVAL: DropReason
DROP_REASON_RELATION_NOT_FOUND: DropReason
DROP_REASON_INVALID_CERTAINTY: DropReason
WARNING_REASON_UNSPECIFIED: WarningReason
WARNING_REASON_CYCLE_NOT_EXCLUDED: WarningReason
NODES_STATUS_UNSPECIFIED: NodesStatus
NODES_STATUS_QUEUED: NodesStatus
NODES_STATUS_DEFERRED: NodesStatus

class WriteScope(_message.Message):
    __slots__ = ("agent_id", "project_id", "channel")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    project_id: str
    channel: str
    def __init__(self, agent_id: _Optional[str] = ..., project_id: _Optional[str] = ..., channel: _Optional[str] = ...) -> None: ...

class ReadScope(_message.Message):
    __slots__ = ("agent_id", "project_id", "channel", "source_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    project_id: str
    channel: str
    source_id: str
    def __init__(self, agent_id: _Optional[str] = ..., project_id: _Optional[str] = ..., channel: _Optional[str] = ..., source_id: _Optional[str] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("type", "id", "name")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    type: str
    id: str
    name: str
    def __init__(self, type: _Optional[str] = ..., id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class Span(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class NodeRef(_message.Message):
    __slots__ = ("index", "of", "span")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    index: int
    of: int
    span: Span
    def __init__(self, index: _Optional[int] = ..., of: _Optional[int] = ..., span: _Optional[_Union[Span, _Mapping]] = ...) -> None: ...

class Quote(_message.Message):
    __slots__ = ("content", "span", "content_length", "basis", "node", "start_reason")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    CONTENT_LENGTH_FIELD_NUMBER: _ClassVar[int]
    BASIS_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    START_REASON_FIELD_NUMBER: _ClassVar[int]
    content: str
    span: Span
    content_length: int
    basis: QuoteBasis
    node: NodeRef
    start_reason: StartReason
    def __init__(self, content: _Optional[str] = ..., span: _Optional[_Union[Span, _Mapping]] = ..., content_length: _Optional[int] = ..., basis: _Optional[_Union[QuoteBasis, str]] = ..., node: _Optional[_Union[NodeRef, _Mapping]] = ..., start_reason: _Optional[_Union[StartReason, str]] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ("ref", "kind", "project_id", "channel", "source", "session_id", "occurred_time", "ended_time", "create_time", "locked", "revision", "retired")
    REF_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_TIME_FIELD_NUMBER: _ClassVar[int]
    ENDED_TIME_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    LOCKED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RETIRED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    kind: RecordKind
    project_id: str
    channel: str
    source: Source
    session_id: str
    occurred_time: _timestamp_pb2.Timestamp
    ended_time: _timestamp_pb2.Timestamp
    create_time: _timestamp_pb2.Timestamp
    locked: bool
    revision: int
    retired: bool
    def __init__(self, ref: _Optional[str] = ..., kind: _Optional[_Union[RecordKind, str]] = ..., project_id: _Optional[str] = ..., channel: _Optional[str] = ..., source: _Optional[_Union[Source, _Mapping]] = ..., session_id: _Optional[str] = ..., occurred_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., locked: _Optional[bool] = ..., revision: _Optional[int] = ..., retired: _Optional[bool] = ...) -> None: ...

class LoweredBound(_message.Message):
    __slots__ = ("field", "requested", "applied")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_FIELD_NUMBER: _ClassVar[int]
    APPLIED_FIELD_NUMBER: _ClassVar[int]
    field: str
    requested: int
    applied: int
    def __init__(self, field: _Optional[str] = ..., requested: _Optional[int] = ..., applied: _Optional[int] = ...) -> None: ...

class Degradation(_message.Message):
    __slots__ = ("kind", "reason", "since_time")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SINCE_TIME_FIELD_NUMBER: _ClassVar[int]
    kind: DegradationKind
    reason: str
    since_time: _timestamp_pb2.Timestamp
    def __init__(self, kind: _Optional[_Union[DegradationKind, str]] = ..., reason: _Optional[str] = ..., since_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class EntityDeclaration(_message.Message):
    __slots__ = ("name", "aliases")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    name: str
    aliases: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., aliases: _Optional[_Iterable[str]] = ...) -> None: ...

class RelationDeclaration(_message.Message):
    __slots__ = ("subject", "predicate", "object", "validity", "certainty")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    VALIDITY_FIELD_NUMBER: _ClassVar[int]
    CERTAINTY_FIELD_NUMBER: _ClassVar[int]
    subject: str
    predicate: str
    object: str
    validity: Validity
    certainty: _confidence_pb2.Certainty
    def __init__(self, subject: _Optional[str] = ..., predicate: _Optional[str] = ..., object: _Optional[str] = ..., validity: _Optional[_Union[Validity, _Mapping]] = ..., certainty: _Optional[_Union[_confidence_pb2.Certainty, str]] = ...) -> None: ...

class Validity(_message.Message):
    __slots__ = ("valid_from", "valid_to")
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    def __init__(self, valid_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Associations(_message.Message):
    __slots__ = ("entities", "relations")
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    entities: _containers.RepeatedCompositeFieldContainer[EntityDeclaration]
    relations: _containers.RepeatedCompositeFieldContainer[RelationDeclaration]
    def __init__(self, entities: _Optional[_Iterable[_Union[EntityDeclaration, _Mapping]]] = ..., relations: _Optional[_Iterable[_Union[RelationDeclaration, _Mapping]]] = ...) -> None: ...

class DeclaredEntity(_message.Message):
    __slots__ = ("ref", "name", "created")
    REF_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    name: str
    created: bool
    def __init__(self, ref: _Optional[str] = ..., name: _Optional[str] = ..., created: _Optional[bool] = ...) -> None: ...

class DeclaredRelation(_message.Message):
    __slots__ = ("ref", "created")
    REF_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    created: bool
    def __init__(self, ref: _Optional[str] = ..., created: _Optional[bool] = ...) -> None: ...

class DroppedItem(_message.Message):
    __slots__ = ("item", "reason")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    item: str
    reason: DropReason
    def __init__(self, item: _Optional[str] = ..., reason: _Optional[_Union[DropReason, str]] = ...) -> None: ...

class DeclarationWarning(_message.Message):
    __slots__ = ("item", "reason")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    item: str
    reason: WarningReason
    def __init__(self, item: _Optional[str] = ..., reason: _Optional[_Union[WarningReason, str]] = ...) -> None: ...

class AssociationReport(_message.Message):
    __slots__ = ("entities", "mentions", "relations", "dropped", "warnings")
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    entities: _containers.RepeatedCompositeFieldContainer[DeclaredEntity]
    mentions: int
    relations: _containers.RepeatedCompositeFieldContainer[DeclaredRelation]
    dropped: _containers.RepeatedCompositeFieldContainer[DroppedItem]
    warnings: _containers.RepeatedCompositeFieldContainer[DeclarationWarning]
    def __init__(self, entities: _Optional[_Iterable[_Union[DeclaredEntity, _Mapping]]] = ..., mentions: _Optional[int] = ..., relations: _Optional[_Iterable[_Union[DeclaredRelation, _Mapping]]] = ..., dropped: _Optional[_Iterable[_Union[DroppedItem, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[DeclarationWarning, _Mapping]]] = ...) -> None: ...
