import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rensou.v1 import confidence_pb2 as _confidence_pb2
from rensou.v1 import errors_pb2 as _errors_pb2
from rensou.v1 import gate_pb2 as _gate_pb2
from rensou.v1 import profile_pb2 as _profile_pb2
from rensou.v1 import reach_pb2 as _reach_pb2
from rensou.v1 import resolution_pb2 as _resolution_pb2
from rensou.v1 import time_cue_pb2 as _time_cue_pb2
from rensou.v1 import types_pb2 as _types_pb2
from rensou.v1 import validity_pb2 as _validity_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StoreOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STORE_OUTCOME_UNSPECIFIED: _ClassVar[StoreOutcome]
    STORE_OUTCOME_STORED: _ClassVar[StoreOutcome]
    STORE_OUTCOME_SKIPPED_DUPLICATE: _ClassVar[StoreOutcome]

class Step(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STEP_UNSPECIFIED: _ClassVar[Step]
    STEP_CONTEXT: _ClassVar[Step]
    STEP_NAMED_DATES: _ClassVar[Step]
    STEP_TIME_WORDS: _ClassVar[Step]
    STEP_SESSION: _ClassVar[Step]
    STEP_ASKED: _ClassVar[Step]
    STEP_SPEAKER: _ClassVar[Step]
    STEP_ASKS: _ClassVar[Step]

class Admission(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ADMISSION_UNSPECIFIED: _ClassVar[Admission]
    ADMISSION_RANKED: _ClassVar[Admission]
    ADMISSION_TIME_CUE: _ClassVar[Admission]
    ADMISSION_GRAPH: _ClassVar[Admission]
    ADMISSION_RETIRED: _ClassVar[Admission]

class QuestionVector(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    QUESTION_VECTOR_UNSPECIFIED: _ClassVar[QuestionVector]
    QUESTION_VECTOR_KEPT: _ClassVar[QuestionVector]
    QUESTION_VECTOR_EMBEDDED: _ClassVar[QuestionVector]

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_SUPPORTS: _ClassVar[Role]
    ROLE_SUPERSEDES: _ClassVar[Role]
    ROLE_CORRECTS: _ClassVar[Role]
    ROLE_QUALIFIES: _ClassVar[Role]
    ROLE_CONTRADICTS: _ClassVar[Role]
    ROLE_TEMPORAL_PREDECESSOR: _ClassVar[Role]

class ConflictReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONFLICT_REASON_UNSPECIFIED: _ClassVar[ConflictReason]
    CONFLICT_REASON_DECLARED_CONTRADICTION: _ClassVar[ConflictReason]

class Shortfall(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SHORTFALL_UNSPECIFIED: _ClassVar[Shortfall]
    SHORTFALL_COUNT_ZERO: _ClassVar[Shortfall]
    SHORTFALL_NO_RELEVANT_EVIDENCE: _ClassVar[Shortfall]
    SHORTFALL_EXHAUSTED_CANDIDATES: _ClassVar[Shortfall]
    SHORTFALL_BUDGET_EXHAUSTED: _ClassVar[Shortfall]

class Bound(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BOUND_UNSPECIFIED: _ClassVar[Bound]
    BOUND_TOP_K: _ClassVar[Bound]
    BOUND_MAX_HOPS: _ClassVar[Bound]
    BOUND_MAX_EVIDENCE: _ClassVar[Bound]
    BOUND_LIMIT: _ClassVar[Bound]
    BOUND_NEIGHBOURHOOD: _ClassVar[Bound]
    BOUND_MAX_CORRECTIONS: _ClassVar[Bound]

class BoundSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BOUND_SOURCE_UNSPECIFIED: _ClassVar[BoundSource]
    BOUND_SOURCE_REQUEST: _ClassVar[BoundSource]
    BOUND_SOURCE_DEFAULT: _ClassVar[BoundSource]
    BOUND_SOURCE_DEFAULT_RAISED: _ClassVar[BoundSource]
    BOUND_SOURCE_CLAMPED: _ClassVar[BoundSource]

class UnresolvedReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNRESOLVED_REASON_UNSPECIFIED: _ClassVar[UnresolvedReason]
    UNRESOLVED_REASON_NOT_FOUND: _ClassVar[UnresolvedReason]
    UNRESOLVED_REASON_NO_CURRENT_NODES: _ClassVar[UnresolvedReason]
    UNRESOLVED_REASON_NODE_OUT_OF_RANGE: _ClassVar[UnresolvedReason]
    UNRESOLVED_REASON_SPAN_OUT_OF_RANGE: _ClassVar[UnresolvedReason]
    UNRESOLVED_REASON_DEFERRED: _ClassVar[UnresolvedReason]
STORE_OUTCOME_UNSPECIFIED: StoreOutcome
STORE_OUTCOME_STORED: StoreOutcome
STORE_OUTCOME_SKIPPED_DUPLICATE: StoreOutcome
STEP_UNSPECIFIED: Step
STEP_CONTEXT: Step
STEP_NAMED_DATES: Step
STEP_TIME_WORDS: Step
STEP_SESSION: Step
STEP_ASKED: Step
STEP_SPEAKER: Step
STEP_ASKS: Step
ADMISSION_UNSPECIFIED: Admission
ADMISSION_RANKED: Admission
ADMISSION_TIME_CUE: Admission
ADMISSION_GRAPH: Admission
ADMISSION_RETIRED: Admission
QUESTION_VECTOR_UNSPECIFIED: QuestionVector
QUESTION_VECTOR_KEPT: QuestionVector
QUESTION_VECTOR_EMBEDDED: QuestionVector
ROLE_UNSPECIFIED: Role
ROLE_SUPPORTS: Role
ROLE_SUPERSEDES: Role
ROLE_CORRECTS: Role
ROLE_QUALIFIES: Role
ROLE_CONTRADICTS: Role
ROLE_TEMPORAL_PREDECESSOR: Role
CONFLICT_REASON_UNSPECIFIED: ConflictReason
CONFLICT_REASON_DECLARED_CONTRADICTION: ConflictReason
SHORTFALL_UNSPECIFIED: Shortfall
SHORTFALL_COUNT_ZERO: Shortfall
SHORTFALL_NO_RELEVANT_EVIDENCE: Shortfall
SHORTFALL_EXHAUSTED_CANDIDATES: Shortfall
SHORTFALL_BUDGET_EXHAUSTED: Shortfall
BOUND_UNSPECIFIED: Bound
BOUND_TOP_K: Bound
BOUND_MAX_HOPS: Bound
BOUND_MAX_EVIDENCE: Bound
BOUND_LIMIT: Bound
BOUND_NEIGHBOURHOOD: Bound
BOUND_MAX_CORRECTIONS: Bound
BOUND_SOURCE_UNSPECIFIED: BoundSource
BOUND_SOURCE_REQUEST: BoundSource
BOUND_SOURCE_DEFAULT: BoundSource
BOUND_SOURCE_DEFAULT_RAISED: BoundSource
BOUND_SOURCE_CLAMPED: BoundSource
UNRESOLVED_REASON_UNSPECIFIED: UnresolvedReason
UNRESOLVED_REASON_NOT_FOUND: UnresolvedReason
UNRESOLVED_REASON_NO_CURRENT_NODES: UnresolvedReason
UNRESOLVED_REASON_NODE_OUT_OF_RANGE: UnresolvedReason
UNRESOLVED_REASON_SPAN_OUT_OF_RANGE: UnresolvedReason
UNRESOLVED_REASON_DEFERRED: UnresolvedReason

class MemoryContent(_message.Message):
    __slots__ = ("content",)
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    content: str
    def __init__(self, content: _Optional[str] = ...) -> None: ...

class EpisodeContent(_message.Message):
    __slots__ = ("summary", "started_time", "ended_time")
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    STARTED_TIME_FIELD_NUMBER: _ClassVar[int]
    ENDED_TIME_FIELD_NUMBER: _ClassVar[int]
    summary: str
    started_time: _timestamp_pb2.Timestamp
    ended_time: _timestamp_pb2.Timestamp
    def __init__(self, summary: _Optional[str] = ..., started_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class StoreRequest(_message.Message):
    __slots__ = ("scope", "memory", "episode", "caller_id", "occurred_time", "source", "metadata", "session_id", "associations", "validity", "certainty")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    CALLER_ID_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_TIME_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ASSOCIATIONS_FIELD_NUMBER: _ClassVar[int]
    VALIDITY_FIELD_NUMBER: _ClassVar[int]
    CERTAINTY_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.WriteScope
    memory: MemoryContent
    episode: EpisodeContent
    caller_id: str
    occurred_time: _timestamp_pb2.Timestamp
    source: _types_pb2.Source
    metadata: _struct_pb2.Struct
    session_id: str
    associations: _types_pb2.Associations
    validity: _types_pb2.Validity
    certainty: _confidence_pb2.Certainty
    def __init__(self, scope: _Optional[_Union[_types_pb2.WriteScope, _Mapping]] = ..., memory: _Optional[_Union[MemoryContent, _Mapping]] = ..., episode: _Optional[_Union[EpisodeContent, _Mapping]] = ..., caller_id: _Optional[str] = ..., occurred_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., source: _Optional[_Union[_types_pb2.Source, _Mapping]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., session_id: _Optional[str] = ..., associations: _Optional[_Union[_types_pb2.Associations, _Mapping]] = ..., validity: _Optional[_Union[_types_pb2.Validity, _Mapping]] = ..., certainty: _Optional[_Union[_confidence_pb2.Certainty, str]] = ...) -> None: ...

class StoreResponse(_message.Message):
    __slots__ = ("outcome", "ref", "embedded", "nodes", "associations", "dropped")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    EMBEDDED_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    ASSOCIATIONS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    outcome: StoreOutcome
    ref: str
    embedded: bool
    nodes: _types_pb2.NodesStatus
    associations: _types_pb2.AssociationReport
    dropped: _containers.RepeatedCompositeFieldContainer[_types_pb2.DroppedItem]
    def __init__(self, outcome: _Optional[_Union[StoreOutcome, str]] = ..., ref: _Optional[str] = ..., embedded: _Optional[bool] = ..., nodes: _Optional[_Union[_types_pb2.NodesStatus, str]] = ..., associations: _Optional[_Union[_types_pb2.AssociationReport, _Mapping]] = ..., dropped: _Optional[_Iterable[_Union[_types_pb2.DroppedItem, _Mapping]]] = ...) -> None: ...

class BatchStoreRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[StoreRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[StoreRequest, _Mapping]]] = ...) -> None: ...

class ItemError(_message.Message):
    __slots__ = ("reason", "field", "message")
    REASON_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    reason: _errors_pb2.ErrorReason
    field: str
    message: str
    def __init__(self, reason: _Optional[_Union[_errors_pb2.ErrorReason, str]] = ..., field: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class BatchStoreResult(_message.Message):
    __slots__ = ("response", "error")
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    response: StoreResponse
    error: ItemError
    def __init__(self, response: _Optional[_Union[StoreResponse, _Mapping]] = ..., error: _Optional[_Union[ItemError, _Mapping]] = ...) -> None: ...

class BatchStoreResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[BatchStoreResult]
    def __init__(self, results: _Optional[_Iterable[_Union[BatchStoreResult, _Mapping]]] = ...) -> None: ...

class RecallRequest(_message.Message):
    __slots__ = ("scope", "query", "limit", "fusion", "quote_chars", "exclude", "trace", "time_cue", "profile", "resolution", "without", "gate", "report", "include_replaced", "reach", "valid_at", "known_at", "confidence")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    FUSION_FIELD_NUMBER: _ClassVar[int]
    QUOTE_CHARS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    TIME_CUE_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    RESOLUTION_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_REPLACED_FIELD_NUMBER: _ClassVar[int]
    REACH_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_AT_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.ReadScope
    query: str
    limit: int
    fusion: _types_pb2.Fusion
    quote_chars: int
    exclude: _containers.RepeatedScalarFieldContainer[str]
    trace: bool
    time_cue: _time_cue_pb2.TimeCue
    profile: _profile_pb2.Profile
    resolution: _resolution_pb2.Resolution
    without: _containers.RepeatedScalarFieldContainer[Step]
    gate: _gate_pb2.Gate
    report: bool
    include_replaced: bool
    reach: _reach_pb2.Reach
    valid_at: _timestamp_pb2.Timestamp
    known_at: _timestamp_pb2.Timestamp
    confidence: bool
    def __init__(self, scope: _Optional[_Union[_types_pb2.ReadScope, _Mapping]] = ..., query: _Optional[str] = ..., limit: _Optional[int] = ..., fusion: _Optional[_Union[_types_pb2.Fusion, str]] = ..., quote_chars: _Optional[int] = ..., exclude: _Optional[_Iterable[str]] = ..., trace: _Optional[bool] = ..., time_cue: _Optional[_Union[_time_cue_pb2.TimeCue, _Mapping]] = ..., profile: _Optional[_Union[_profile_pb2.Profile, str]] = ..., resolution: _Optional[_Union[_resolution_pb2.Resolution, str]] = ..., without: _Optional[_Iterable[_Union[Step, str]]] = ..., gate: _Optional[_Union[_gate_pb2.Gate, str]] = ..., report: _Optional[bool] = ..., include_replaced: _Optional[bool] = ..., reach: _Optional[_Union[_reach_pb2.Reach, str]] = ..., valid_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., known_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., confidence: _Optional[bool] = ...) -> None: ...

class ArmVote(_message.Message):
    __slots__ = ("arm", "rank", "score", "share")
    ARM_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    arm: _types_pb2.Arm
    rank: int
    score: float
    share: float
    def __init__(self, arm: _Optional[_Union[_types_pb2.Arm, str]] = ..., rank: _Optional[int] = ..., score: _Optional[float] = ..., share: _Optional[float] = ...) -> None: ...

class Prior(_message.Message):
    __slots__ = ("step", "share")
    STEP_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    step: Step
    share: float
    def __init__(self, step: _Optional[_Union[Step, str]] = ..., share: _Optional[float] = ...) -> None: ...

class Explanation(_message.Message):
    __slots__ = ("fusion", "score", "votes", "priors", "admission", "relevance", "profile", "relevance_signal", "in_place_of")
    FUSION_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    VOTES_FIELD_NUMBER: _ClassVar[int]
    PRIORS_FIELD_NUMBER: _ClassVar[int]
    ADMISSION_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_SIGNAL_FIELD_NUMBER: _ClassVar[int]
    IN_PLACE_OF_FIELD_NUMBER: _ClassVar[int]
    fusion: _types_pb2.Fusion
    score: float
    votes: _containers.RepeatedCompositeFieldContainer[ArmVote]
    priors: _containers.RepeatedCompositeFieldContainer[Prior]
    admission: Admission
    relevance: float
    profile: _profile_pb2.ProfileEffect
    relevance_signal: _gate_pb2.RelevanceSignal
    in_place_of: str
    def __init__(self, fusion: _Optional[_Union[_types_pb2.Fusion, str]] = ..., score: _Optional[float] = ..., votes: _Optional[_Iterable[_Union[ArmVote, _Mapping]]] = ..., priors: _Optional[_Iterable[_Union[Prior, _Mapping]]] = ..., admission: _Optional[_Union[Admission, str]] = ..., relevance: _Optional[float] = ..., profile: _Optional[_Union[_profile_pb2.ProfileEffect, _Mapping]] = ..., relevance_signal: _Optional[_Union[_gate_pb2.RelevanceSignal, str]] = ..., in_place_of: _Optional[str] = ...) -> None: ...

class Hit(_message.Message):
    __slots__ = ("record", "quote", "explanation", "standing", "validity", "confidence")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    VALIDITY_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    record: _types_pb2.Record
    quote: _types_pb2.Quote
    explanation: Explanation
    standing: _resolution_pb2.Standing
    validity: _validity_pb2.AssertedValidity
    confidence: _confidence_pb2.MemoryConfidence
    def __init__(self, record: _Optional[_Union[_types_pb2.Record, _Mapping]] = ..., quote: _Optional[_Union[_types_pb2.Quote, _Mapping]] = ..., explanation: _Optional[_Union[Explanation, _Mapping]] = ..., standing: _Optional[_Union[_resolution_pb2.Standing, _Mapping]] = ..., validity: _Optional[_Union[_validity_pb2.AssertedValidity, _Mapping]] = ..., confidence: _Optional[_Union[_confidence_pb2.MemoryConfidence, _Mapping]] = ...) -> None: ...

class RecallResponse(_message.Message):
    __slots__ = ("hits", "candidates", "degradation", "lowered", "refused", "time_cue", "profile", "trace", "far", "excluded_by_validity", "excluded_by_validity_omitted", "recall_id")
    HITS_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    DEGRADATION_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    TIME_CUE_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    FAR_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_BY_VALIDITY_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_BY_VALIDITY_OMITTED_FIELD_NUMBER: _ClassVar[int]
    RECALL_ID_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[Hit]
    candidates: int
    degradation: _types_pb2.Degradation
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    refused: int
    time_cue: _time_cue_pb2.TimeCueOutcome
    profile: _profile_pb2.ProfileOutcome
    trace: Trace
    far: _reach_pb2.FarList
    excluded_by_validity: _containers.RepeatedScalarFieldContainer[str]
    excluded_by_validity_omitted: int
    recall_id: str
    def __init__(self, hits: _Optional[_Iterable[_Union[Hit, _Mapping]]] = ..., candidates: _Optional[int] = ..., degradation: _Optional[_Union[_types_pb2.Degradation, _Mapping]] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ..., refused: _Optional[int] = ..., time_cue: _Optional[_Union[_time_cue_pb2.TimeCueOutcome, _Mapping]] = ..., profile: _Optional[_Union[_profile_pb2.ProfileOutcome, _Mapping]] = ..., trace: _Optional[_Union[Trace, _Mapping]] = ..., far: _Optional[_Union[_reach_pb2.FarList, _Mapping]] = ..., excluded_by_validity: _Optional[_Iterable[str]] = ..., excluded_by_validity_omitted: _Optional[int] = ..., recall_id: _Optional[str] = ...) -> None: ...

class TracedBounds(_message.Message):
    __slots__ = ("limit", "depth", "fusion", "steps", "exclude", "gate")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    FUSION_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    limit: int
    depth: int
    fusion: _types_pb2.Fusion
    steps: _containers.RepeatedScalarFieldContainer[Step]
    exclude: int
    gate: _gate_pb2.Gate
    def __init__(self, limit: _Optional[int] = ..., depth: _Optional[int] = ..., fusion: _Optional[_Union[_types_pb2.Fusion, str]] = ..., steps: _Optional[_Iterable[_Union[Step, str]]] = ..., exclude: _Optional[int] = ..., gate: _Optional[_Union[_gate_pb2.Gate, str]] = ...) -> None: ...

class TracedPlan(_message.Message):
    __slots__ = ("name", "readable_records")
    NAME_FIELD_NUMBER: _ClassVar[int]
    READABLE_RECORDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    readable_records: int
    def __init__(self, name: _Optional[str] = ..., readable_records: _Optional[int] = ...) -> None: ...

class TracedRow(_message.Message):
    __slots__ = ("ref", "rank", "raw")
    REF_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    ref: str
    rank: int
    raw: float
    def __init__(self, ref: _Optional[str] = ..., rank: _Optional[int] = ..., raw: _Optional[float] = ...) -> None: ...

class TracedArm(_message.Message):
    __slots__ = ("arm", "rows", "depth_met")
    ARM_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    DEPTH_MET_FIELD_NUMBER: _ClassVar[int]
    arm: _types_pb2.Arm
    rows: _containers.RepeatedCompositeFieldContainer[TracedRow]
    depth_met: bool
    def __init__(self, arm: _Optional[_Union[_types_pb2.Arm, str]] = ..., rows: _Optional[_Iterable[_Union[TracedRow, _Mapping]]] = ..., depth_met: _Optional[bool] = ...) -> None: ...

class TracedCandidate(_message.Message):
    __slots__ = ("ref", "score", "votes", "priors")
    REF_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    VOTES_FIELD_NUMBER: _ClassVar[int]
    PRIORS_FIELD_NUMBER: _ClassVar[int]
    ref: str
    score: float
    votes: _containers.RepeatedCompositeFieldContainer[ArmVote]
    priors: _containers.RepeatedCompositeFieldContainer[Prior]
    def __init__(self, ref: _Optional[str] = ..., score: _Optional[float] = ..., votes: _Optional[_Iterable[_Union[ArmVote, _Mapping]]] = ..., priors: _Optional[_Iterable[_Union[Prior, _Mapping]]] = ...) -> None: ...

class TracedDecision(_message.Message):
    __slots__ = ("ref", "signal", "score", "threshold", "passed", "reason")
    REF_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ref: str
    signal: str
    score: float
    threshold: float
    passed: bool
    reason: str
    def __init__(self, ref: _Optional[str] = ..., signal: _Optional[str] = ..., score: _Optional[float] = ..., threshold: _Optional[float] = ..., passed: _Optional[bool] = ..., reason: _Optional[str] = ...) -> None: ...

class TracedGate(_message.Message):
    __slots__ = ("origin", "sample", "decisions")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    origin: str
    sample: int
    decisions: _containers.RepeatedCompositeFieldContainer[TracedDecision]
    def __init__(self, origin: _Optional[str] = ..., sample: _Optional[int] = ..., decisions: _Optional[_Iterable[_Union[TracedDecision, _Mapping]]] = ...) -> None: ...

class TracedCueRow(_message.Message):
    __slots__ = ("ref", "cosine", "vector_rank", "bm25", "lexical_rank")
    REF_FIELD_NUMBER: _ClassVar[int]
    COSINE_FIELD_NUMBER: _ClassVar[int]
    VECTOR_RANK_FIELD_NUMBER: _ClassVar[int]
    BM25_FIELD_NUMBER: _ClassVar[int]
    LEXICAL_RANK_FIELD_NUMBER: _ClassVar[int]
    ref: str
    cosine: float
    vector_rank: int
    bm25: float
    lexical_rank: int
    def __init__(self, ref: _Optional[str] = ..., cosine: _Optional[float] = ..., vector_rank: _Optional[int] = ..., bm25: _Optional[float] = ..., lexical_rank: _Optional[int] = ...) -> None: ...

class TracedMove(_message.Message):
    __slots__ = ("ref", "from_place", "to_place")
    REF_FIELD_NUMBER: _ClassVar[int]
    FROM_PLACE_FIELD_NUMBER: _ClassVar[int]
    TO_PLACE_FIELD_NUMBER: _ClassVar[int]
    ref: str
    from_place: int
    to_place: int
    def __init__(self, ref: _Optional[str] = ..., from_place: _Optional[int] = ..., to_place: _Optional[int] = ...) -> None: ...

class TracedCue(_message.Message):
    __slots__ = ("rows", "moves", "seats")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[TracedCueRow]
    moves: _containers.RepeatedCompositeFieldContainer[TracedMove]
    seats: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, rows: _Optional[_Iterable[_Union[TracedCueRow, _Mapping]]] = ..., moves: _Optional[_Iterable[_Union[TracedMove, _Mapping]]] = ..., seats: _Optional[_Iterable[str]] = ...) -> None: ...

class TracedCuts(_message.Message):
    __slots__ = ("candidates", "refused", "excluded", "gone", "beyond_limit", "excluded_by_validity")
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_FIELD_NUMBER: _ClassVar[int]
    GONE_FIELD_NUMBER: _ClassVar[int]
    BEYOND_LIMIT_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_BY_VALIDITY_FIELD_NUMBER: _ClassVar[int]
    candidates: int
    refused: int
    excluded: int
    gone: int
    beyond_limit: int
    excluded_by_validity: int
    def __init__(self, candidates: _Optional[int] = ..., refused: _Optional[int] = ..., excluded: _Optional[int] = ..., gone: _Optional[int] = ..., beyond_limit: _Optional[int] = ..., excluded_by_validity: _Optional[int] = ...) -> None: ...

class TracedPart(_message.Message):
    __slots__ = ("span", "refs")
    SPAN_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    span: _types_pb2.Span
    refs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, span: _Optional[_Union[_types_pb2.Span, _Mapping]] = ..., refs: _Optional[_Iterable[str]] = ...) -> None: ...

class TracedCoverage(_message.Message):
    __slots__ = ("parts", "parts_omitted", "chars_a_hit")
    PARTS_FIELD_NUMBER: _ClassVar[int]
    PARTS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    CHARS_A_HIT_FIELD_NUMBER: _ClassVar[int]
    parts: _containers.RepeatedCompositeFieldContainer[TracedPart]
    parts_omitted: int
    chars_a_hit: int
    def __init__(self, parts: _Optional[_Iterable[_Union[TracedPart, _Mapping]]] = ..., parts_omitted: _Optional[int] = ..., chars_a_hit: _Optional[int] = ...) -> None: ...

class TracedTimings(_message.Message):
    __slots__ = ("embed_ms", "database_ms", "stages_ms", "trace_ms", "total_ms", "gate_ms", "rerank_ms")
    EMBED_MS_FIELD_NUMBER: _ClassVar[int]
    DATABASE_MS_FIELD_NUMBER: _ClassVar[int]
    STAGES_MS_FIELD_NUMBER: _ClassVar[int]
    TRACE_MS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
    GATE_MS_FIELD_NUMBER: _ClassVar[int]
    RERANK_MS_FIELD_NUMBER: _ClassVar[int]
    embed_ms: float
    database_ms: float
    stages_ms: float
    trace_ms: float
    total_ms: float
    gate_ms: float
    rerank_ms: float
    def __init__(self, embed_ms: _Optional[float] = ..., database_ms: _Optional[float] = ..., stages_ms: _Optional[float] = ..., trace_ms: _Optional[float] = ..., total_ms: _Optional[float] = ..., gate_ms: _Optional[float] = ..., rerank_ms: _Optional[float] = ...) -> None: ...

class Trace(_message.Message):
    __slots__ = ("trace_version", "server_version", "policies", "scope", "bounds", "plan", "arms", "candidates", "gate", "time_cue", "cuts", "coverage", "question_vector", "timings")
    TRACE_VERSION_FIELD_NUMBER: _ClassVar[int]
    SERVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    BOUNDS_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    ARMS_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    TIME_CUE_FIELD_NUMBER: _ClassVar[int]
    CUTS_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_FIELD_NUMBER: _ClassVar[int]
    QUESTION_VECTOR_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    trace_version: int
    server_version: str
    policies: _containers.RepeatedScalarFieldContainer[str]
    scope: _types_pb2.ReadScope
    bounds: TracedBounds
    plan: TracedPlan
    arms: _containers.RepeatedCompositeFieldContainer[TracedArm]
    candidates: _containers.RepeatedCompositeFieldContainer[TracedCandidate]
    gate: TracedGate
    time_cue: TracedCue
    cuts: TracedCuts
    coverage: TracedCoverage
    question_vector: QuestionVector
    timings: TracedTimings
    def __init__(self, trace_version: _Optional[int] = ..., server_version: _Optional[str] = ..., policies: _Optional[_Iterable[str]] = ..., scope: _Optional[_Union[_types_pb2.ReadScope, _Mapping]] = ..., bounds: _Optional[_Union[TracedBounds, _Mapping]] = ..., plan: _Optional[_Union[TracedPlan, _Mapping]] = ..., arms: _Optional[_Iterable[_Union[TracedArm, _Mapping]]] = ..., candidates: _Optional[_Iterable[_Union[TracedCandidate, _Mapping]]] = ..., gate: _Optional[_Union[TracedGate, _Mapping]] = ..., time_cue: _Optional[_Union[TracedCue, _Mapping]] = ..., cuts: _Optional[_Union[TracedCuts, _Mapping]] = ..., coverage: _Optional[_Union[TracedCoverage, _Mapping]] = ..., question_vector: _Optional[_Union[QuestionVector, str]] = ..., timings: _Optional[_Union[TracedTimings, _Mapping]] = ...) -> None: ...

class ReconstructRequest(_message.Message):
    __slots__ = ("scope", "query", "count", "top_k", "max_hops", "max_evidence", "budget_chars", "fusion", "without", "gate", "resolution", "include_replaced", "reach", "valid_at", "known_at", "trace", "report")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    MAX_HOPS_FIELD_NUMBER: _ClassVar[int]
    MAX_EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    BUDGET_CHARS_FIELD_NUMBER: _ClassVar[int]
    FUSION_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    RESOLUTION_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_REPLACED_FIELD_NUMBER: _ClassVar[int]
    REACH_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_AT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.ReadScope
    query: str
    count: int
    top_k: int
    max_hops: int
    max_evidence: int
    budget_chars: int
    fusion: _types_pb2.Fusion
    without: _containers.RepeatedScalarFieldContainer[Step]
    gate: _gate_pb2.Gate
    resolution: _resolution_pb2.Resolution
    include_replaced: bool
    reach: _reach_pb2.Reach
    valid_at: _timestamp_pb2.Timestamp
    known_at: _timestamp_pb2.Timestamp
    trace: bool
    report: bool
    def __init__(self, scope: _Optional[_Union[_types_pb2.ReadScope, _Mapping]] = ..., query: _Optional[str] = ..., count: _Optional[int] = ..., top_k: _Optional[int] = ..., max_hops: _Optional[int] = ..., max_evidence: _Optional[int] = ..., budget_chars: _Optional[int] = ..., fusion: _Optional[_Union[_types_pb2.Fusion, str]] = ..., without: _Optional[_Iterable[_Union[Step, str]]] = ..., gate: _Optional[_Union[_gate_pb2.Gate, str]] = ..., resolution: _Optional[_Union[_resolution_pb2.Resolution, str]] = ..., include_replaced: _Optional[bool] = ..., reach: _Optional[_Union[_reach_pb2.Reach, str]] = ..., valid_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., known_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., trace: _Optional[bool] = ..., report: _Optional[bool] = ...) -> None: ...

class ClaimRole(_message.Message):
    __slots__ = ("role", "ref")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    role: Role
    ref: str
    def __init__(self, role: _Optional[_Union[Role, str]] = ..., ref: _Optional[str] = ...) -> None: ...

class Claim(_message.Message):
    __slots__ = ("ref", "as_of_time", "why", "hops", "roles", "quote", "standing", "validity", "confidence")
    REF_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TIME_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    HOPS_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    VALIDITY_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    ref: str
    as_of_time: _timestamp_pb2.Timestamp
    why: str
    hops: int
    roles: _containers.RepeatedCompositeFieldContainer[ClaimRole]
    quote: _types_pb2.Quote
    standing: _resolution_pb2.Standing
    validity: _validity_pb2.AssertedValidity
    confidence: _confidence_pb2.MemoryConfidence
    def __init__(self, ref: _Optional[str] = ..., as_of_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., why: _Optional[str] = ..., hops: _Optional[int] = ..., roles: _Optional[_Iterable[_Union[ClaimRole, _Mapping]]] = ..., quote: _Optional[_Union[_types_pb2.Quote, _Mapping]] = ..., standing: _Optional[_Union[_resolution_pb2.Standing, _Mapping]] = ..., validity: _Optional[_Union[_validity_pb2.AssertedValidity, _Mapping]] = ..., confidence: _Optional[_Union[_confidence_pb2.MemoryConfidence, _Mapping]] = ...) -> None: ...

class Conflict(_message.Message):
    __slots__ = ("refs", "reason", "relation_ref", "settled")
    REFS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RELATION_REF_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    refs: _containers.RepeatedScalarFieldContainer[str]
    reason: ConflictReason
    relation_ref: str
    settled: bool
    def __init__(self, refs: _Optional[_Iterable[str]] = ..., reason: _Optional[_Union[ConflictReason, str]] = ..., relation_ref: _Optional[str] = ..., settled: _Optional[bool] = ...) -> None: ...

class Item(_message.Message):
    __slots__ = ("head_ref", "quote", "claims", "independence_reason", "claims_omitted", "quotes_omitted", "conflicts", "retired", "timeline", "timeline_omitted")
    HEAD_REF_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    INDEPENDENCE_REASON_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    QUOTES_OMITTED_FIELD_NUMBER: _ClassVar[int]
    CONFLICTS_FIELD_NUMBER: _ClassVar[int]
    RETIRED_FIELD_NUMBER: _ClassVar[int]
    TIMELINE_FIELD_NUMBER: _ClassVar[int]
    TIMELINE_OMITTED_FIELD_NUMBER: _ClassVar[int]
    head_ref: str
    quote: _types_pb2.Quote
    claims: _containers.RepeatedCompositeFieldContainer[Claim]
    independence_reason: str
    claims_omitted: int
    quotes_omitted: int
    conflicts: _containers.RepeatedCompositeFieldContainer[Conflict]
    retired: bool
    timeline: _containers.RepeatedCompositeFieldContainer[_validity_pb2.TimelineEntry]
    timeline_omitted: int
    def __init__(self, head_ref: _Optional[str] = ..., quote: _Optional[_Union[_types_pb2.Quote, _Mapping]] = ..., claims: _Optional[_Iterable[_Union[Claim, _Mapping]]] = ..., independence_reason: _Optional[str] = ..., claims_omitted: _Optional[int] = ..., quotes_omitted: _Optional[int] = ..., conflicts: _Optional[_Iterable[_Union[Conflict, _Mapping]]] = ..., retired: _Optional[bool] = ..., timeline: _Optional[_Iterable[_Union[_validity_pb2.TimelineEntry, _Mapping]]] = ..., timeline_omitted: _Optional[int] = ...) -> None: ...

class Bounds(_message.Message):
    __slots__ = ("omitted", "reached", "lowered")
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    REACHED_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    omitted: _containers.RepeatedScalarFieldContainer[Bound]
    reached: _containers.RepeatedScalarFieldContainer[Bound]
    lowered: _containers.RepeatedCompositeFieldContainer[_types_pb2.LoweredBound]
    def __init__(self, omitted: _Optional[_Iterable[_Union[Bound, str]]] = ..., reached: _Optional[_Iterable[_Union[Bound, str]]] = ..., lowered: _Optional[_Iterable[_Union[_types_pb2.LoweredBound, _Mapping]]] = ...) -> None: ...

class TracedMember(_message.Message):
    __slots__ = ("ref", "rank", "why")
    REF_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ref: str
    rank: int
    why: str
    def __init__(self, ref: _Optional[str] = ..., rank: _Optional[int] = ..., why: _Optional[str] = ...) -> None: ...

class TracedItem(_message.Message):
    __slots__ = ("head_ref", "members", "reached", "claims", "quotes", "confidence", "returned")
    HEAD_REF_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    REACHED_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    QUOTES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    RETURNED_FIELD_NUMBER: _ClassVar[int]
    head_ref: str
    members: _containers.RepeatedCompositeFieldContainer[TracedMember]
    reached: int
    claims: int
    quotes: int
    confidence: _confidence_pb2.ConfidenceLevel
    returned: bool
    def __init__(self, head_ref: _Optional[str] = ..., members: _Optional[_Iterable[_Union[TracedMember, _Mapping]]] = ..., reached: _Optional[int] = ..., claims: _Optional[int] = ..., quotes: _Optional[int] = ..., confidence: _Optional[_Union[_confidence_pb2.ConfidenceLevel, str]] = ..., returned: _Optional[bool] = ...) -> None: ...

class TracedWalk(_message.Message):
    __slots__ = ("mentioned", "entities", "edges", "records")
    MENTIONED_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    EDGES_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    mentioned: int
    entities: int
    edges: int
    records: int
    def __init__(self, mentioned: _Optional[int] = ..., entities: _Optional[int] = ..., edges: _Optional[int] = ..., records: _Optional[int] = ...) -> None: ...

class TracedSufficiency(_message.Message):
    __slots__ = ("met", "head_refs")
    MET_FIELD_NUMBER: _ClassVar[int]
    HEAD_REFS_FIELD_NUMBER: _ClassVar[int]
    met: bool
    head_refs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, met: _Optional[bool] = ..., head_refs: _Optional[_Iterable[str]] = ...) -> None: ...

class ReconstructTrace(_message.Message):
    __slots__ = ("retrieval", "candidates", "bundles", "walk", "items", "sufficiency")
    RETRIEVAL_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    BUNDLES_FIELD_NUMBER: _ClassVar[int]
    WALK_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    SUFFICIENCY_FIELD_NUMBER: _ClassVar[int]
    retrieval: Trace
    candidates: int
    bundles: int
    walk: TracedWalk
    items: _containers.RepeatedCompositeFieldContainer[TracedItem]
    sufficiency: TracedSufficiency
    def __init__(self, retrieval: _Optional[_Union[Trace, _Mapping]] = ..., candidates: _Optional[int] = ..., bundles: _Optional[int] = ..., walk: _Optional[_Union[TracedWalk, _Mapping]] = ..., items: _Optional[_Iterable[_Union[TracedItem, _Mapping]]] = ..., sufficiency: _Optional[_Union[TracedSufficiency, _Mapping]] = ...) -> None: ...

class ReconstructResponse(_message.Message):
    __slots__ = ("items", "effective_count", "shortfall", "used_budget_chars", "effective_budget_chars", "bounds", "degradation", "count_source", "budget_source", "terms_omitted", "far", "excluded_by_validity", "excluded_by_validity_omitted", "trace", "recall_id")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_COUNT_FIELD_NUMBER: _ClassVar[int]
    SHORTFALL_FIELD_NUMBER: _ClassVar[int]
    USED_BUDGET_CHARS_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_BUDGET_CHARS_FIELD_NUMBER: _ClassVar[int]
    BOUNDS_FIELD_NUMBER: _ClassVar[int]
    DEGRADATION_FIELD_NUMBER: _ClassVar[int]
    COUNT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    BUDGET_SOURCE_FIELD_NUMBER: _ClassVar[int]
    TERMS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    FAR_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_BY_VALIDITY_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_BY_VALIDITY_OMITTED_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    RECALL_ID_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Item]
    effective_count: int
    shortfall: Shortfall
    used_budget_chars: int
    effective_budget_chars: int
    bounds: Bounds
    degradation: _types_pb2.Degradation
    count_source: BoundSource
    budget_source: BoundSource
    terms_omitted: int
    far: _reach_pb2.FarList
    excluded_by_validity: _containers.RepeatedScalarFieldContainer[str]
    excluded_by_validity_omitted: int
    trace: ReconstructTrace
    recall_id: str
    def __init__(self, items: _Optional[_Iterable[_Union[Item, _Mapping]]] = ..., effective_count: _Optional[int] = ..., shortfall: _Optional[_Union[Shortfall, str]] = ..., used_budget_chars: _Optional[int] = ..., effective_budget_chars: _Optional[int] = ..., bounds: _Optional[_Union[Bounds, _Mapping]] = ..., degradation: _Optional[_Union[_types_pb2.Degradation, _Mapping]] = ..., count_source: _Optional[_Union[BoundSource, str]] = ..., budget_source: _Optional[_Union[BoundSource, str]] = ..., terms_omitted: _Optional[int] = ..., far: _Optional[_Union[_reach_pb2.FarList, _Mapping]] = ..., excluded_by_validity: _Optional[_Iterable[str]] = ..., excluded_by_validity_omitted: _Optional[int] = ..., trace: _Optional[_Union[ReconstructTrace, _Mapping]] = ..., recall_id: _Optional[str] = ...) -> None: ...

class TraverseRequest(_message.Message):
    __slots__ = ("scope", "entity", "max_hops", "limit", "valid_at", "known_at")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    MAX_HOPS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_AT_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.ReadScope
    entity: str
    max_hops: int
    limit: int
    valid_at: _timestamp_pb2.Timestamp
    known_at: _timestamp_pb2.Timestamp
    def __init__(self, scope: _Optional[_Union[_types_pb2.ReadScope, _Mapping]] = ..., entity: _Optional[str] = ..., max_hops: _Optional[int] = ..., limit: _Optional[int] = ..., valid_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., known_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TraversedEntity(_message.Message):
    __slots__ = ("ref", "name", "hops", "aliases", "mentions", "mentions_omitted", "aliases_omitted")
    REF_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    HOPS_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    ALIASES_OMITTED_FIELD_NUMBER: _ClassVar[int]
    ref: str
    name: str
    hops: int
    aliases: _containers.RepeatedScalarFieldContainer[str]
    mentions: _containers.RepeatedScalarFieldContainer[str]
    mentions_omitted: int
    aliases_omitted: int
    def __init__(self, ref: _Optional[str] = ..., name: _Optional[str] = ..., hops: _Optional[int] = ..., aliases: _Optional[_Iterable[str]] = ..., mentions: _Optional[_Iterable[str]] = ..., mentions_omitted: _Optional[int] = ..., aliases_omitted: _Optional[int] = ...) -> None: ...

class TraversedRelation(_message.Message):
    __slots__ = ("ref", "subject", "predicate", "object", "declared_by", "declare_time", "anchor_ref", "validity")
    REF_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    DECLARED_BY_FIELD_NUMBER: _ClassVar[int]
    DECLARE_TIME_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_REF_FIELD_NUMBER: _ClassVar[int]
    VALIDITY_FIELD_NUMBER: _ClassVar[int]
    ref: str
    subject: str
    predicate: str
    object: str
    declared_by: str
    declare_time: _timestamp_pb2.Timestamp
    anchor_ref: str
    validity: _validity_pb2.AssertedValidity
    def __init__(self, ref: _Optional[str] = ..., subject: _Optional[str] = ..., predicate: _Optional[str] = ..., object: _Optional[str] = ..., declared_by: _Optional[str] = ..., declare_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., anchor_ref: _Optional[str] = ..., validity: _Optional[_Union[_validity_pb2.AssertedValidity, _Mapping]] = ...) -> None: ...

class TraverseResponse(_message.Message):
    __slots__ = ("entities", "relations", "entities_omitted", "relations_omitted", "bounds", "excluded_by_validity", "excluded_by_validity_omitted", "timelines", "timelines_omitted")
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_OMITTED_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    BOUNDS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_BY_VALIDITY_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_BY_VALIDITY_OMITTED_FIELD_NUMBER: _ClassVar[int]
    TIMELINES_FIELD_NUMBER: _ClassVar[int]
    TIMELINES_OMITTED_FIELD_NUMBER: _ClassVar[int]
    entities: _containers.RepeatedCompositeFieldContainer[TraversedEntity]
    relations: _containers.RepeatedCompositeFieldContainer[TraversedRelation]
    entities_omitted: int
    relations_omitted: int
    bounds: Bounds
    excluded_by_validity: _containers.RepeatedScalarFieldContainer[str]
    excluded_by_validity_omitted: int
    timelines: _containers.RepeatedCompositeFieldContainer[_validity_pb2.RelationTimeline]
    timelines_omitted: int
    def __init__(self, entities: _Optional[_Iterable[_Union[TraversedEntity, _Mapping]]] = ..., relations: _Optional[_Iterable[_Union[TraversedRelation, _Mapping]]] = ..., entities_omitted: _Optional[int] = ..., relations_omitted: _Optional[int] = ..., bounds: _Optional[_Union[Bounds, _Mapping]] = ..., excluded_by_validity: _Optional[_Iterable[str]] = ..., excluded_by_validity_omitted: _Optional[int] = ..., timelines: _Optional[_Iterable[_Union[_validity_pb2.RelationTimeline, _Mapping]]] = ..., timelines_omitted: _Optional[int] = ...) -> None: ...

class NodeRange(_message.Message):
    __slots__ = ("first", "last")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    first: int
    last: int
    def __init__(self, first: _Optional[int] = ..., last: _Optional[int] = ...) -> None: ...

class ContentSelector(_message.Message):
    __slots__ = ("ref", "nodes", "span")
    REF_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    ref: str
    nodes: NodeRange
    span: _types_pb2.Span
    def __init__(self, ref: _Optional[str] = ..., nodes: _Optional[_Union[NodeRange, _Mapping]] = ..., span: _Optional[_Union[_types_pb2.Span, _Mapping]] = ...) -> None: ...

class GetContentsRequest(_message.Message):
    __slots__ = ("scope", "selectors")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SELECTORS_FIELD_NUMBER: _ClassVar[int]
    scope: _types_pb2.ReadScope
    selectors: _containers.RepeatedCompositeFieldContainer[ContentSelector]
    def __init__(self, scope: _Optional[_Union[_types_pb2.ReadScope, _Mapping]] = ..., selectors: _Optional[_Iterable[_Union[ContentSelector, _Mapping]]] = ...) -> None: ...

class ContentItem(_message.Message):
    __slots__ = ("selector", "record", "quote", "metadata", "content_sha256", "node_count", "caller_id")
    SELECTOR_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONTENT_SHA256_FIELD_NUMBER: _ClassVar[int]
    NODE_COUNT_FIELD_NUMBER: _ClassVar[int]
    CALLER_ID_FIELD_NUMBER: _ClassVar[int]
    selector: int
    record: _types_pb2.Record
    quote: _types_pb2.Quote
    metadata: _struct_pb2.Struct
    content_sha256: str
    node_count: int
    caller_id: str
    def __init__(self, selector: _Optional[int] = ..., record: _Optional[_Union[_types_pb2.Record, _Mapping]] = ..., quote: _Optional[_Union[_types_pb2.Quote, _Mapping]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., content_sha256: _Optional[str] = ..., node_count: _Optional[int] = ..., caller_id: _Optional[str] = ...) -> None: ...

class UnresolvedContent(_message.Message):
    __slots__ = ("selector", "reason")
    SELECTOR_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    selector: int
    reason: UnresolvedReason
    def __init__(self, selector: _Optional[int] = ..., reason: _Optional[_Union[UnresolvedReason, str]] = ...) -> None: ...

class GetContentsResponse(_message.Message):
    __slots__ = ("items", "unresolved")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    UNRESOLVED_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[ContentItem]
    unresolved: _containers.RepeatedCompositeFieldContainer[UnresolvedContent]
    def __init__(self, items: _Optional[_Iterable[_Union[ContentItem, _Mapping]]] = ..., unresolved: _Optional[_Iterable[_Union[UnresolvedContent, _Mapping]]] = ...) -> None: ...
