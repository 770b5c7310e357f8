from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Profile(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROFILE_UNSPECIFIED: _ClassVar[Profile]
    PROFILE_FLAT: _ClassVar[Profile]
    PROFILE_DIVERSE: _ClassVar[Profile]
    PROFILE_GRAPH: _ClassVar[Profile]
    PROFILE_RERANK: _ClassVar[Profile]
PROFILE_UNSPECIFIED: Profile
PROFILE_FLAT: Profile
PROFILE_DIVERSE: Profile
PROFILE_GRAPH: Profile
PROFILE_RERANK: Profile

class ProfileEffect(_message.Message):
    __slots__ = ("profile", "score", "fused_rank", "similarity", "page_rank")
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    FUSED_RANK_FIELD_NUMBER: _ClassVar[int]
    SIMILARITY_FIELD_NUMBER: _ClassVar[int]
    PAGE_RANK_FIELD_NUMBER: _ClassVar[int]
    profile: Profile
    score: float
    fused_rank: int
    similarity: float
    page_rank: float
    def __init__(self, profile: _Optional[_Union[Profile, str]] = ..., score: _Optional[float] = ..., fused_rank: _Optional[int] = ..., similarity: _Optional[float] = ..., page_rank: _Optional[float] = ...) -> None: ...

class GraphReach(_message.Message):
    __slots__ = ("entities", "records", "entities_omitted", "records_omitted", "lists_cut")
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_OMITTED_FIELD_NUMBER: _ClassVar[int]
    RECORDS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    LISTS_CUT_FIELD_NUMBER: _ClassVar[int]
    entities: int
    records: int
    entities_omitted: int
    records_omitted: int
    lists_cut: int
    def __init__(self, entities: _Optional[int] = ..., records: _Optional[int] = ..., entities_omitted: _Optional[int] = ..., records_omitted: _Optional[int] = ..., lists_cut: _Optional[int] = ...) -> None: ...

class ProfileOutcome(_message.Message):
    __slots__ = ("profile", "applied", "window", "graph")
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    APPLIED_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    GRAPH_FIELD_NUMBER: _ClassVar[int]
    profile: Profile
    applied: bool
    window: int
    graph: GraphReach
    def __init__(self, profile: _Optional[_Union[Profile, str]] = ..., applied: _Optional[bool] = ..., window: _Optional[int] = ..., graph: _Optional[_Union[GraphReach, _Mapping]] = ...) -> None: ...
