from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class RelevanceSignal(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RELEVANCE_SIGNAL_UNSPECIFIED: _ClassVar[RelevanceSignal]
    RELEVANCE_SIGNAL_CLOSENESS: _ClassVar[RelevanceSignal]
    RELEVANCE_SIGNAL_WORDS: _ClassVar[RelevanceSignal]
    RELEVANCE_SIGNAL_COSINE: _ClassVar[RelevanceSignal]

class Gate(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GATE_UNSPECIFIED: _ClassVar[Gate]
    GATE_LENIENT: _ClassVar[Gate]
    GATE_BALANCED: _ClassVar[Gate]
    GATE_STRICT: _ClassVar[Gate]
    GATE_OFF: _ClassVar[Gate]
RELEVANCE_SIGNAL_UNSPECIFIED: RelevanceSignal
RELEVANCE_SIGNAL_CLOSENESS: RelevanceSignal
RELEVANCE_SIGNAL_WORDS: RelevanceSignal
RELEVANCE_SIGNAL_COSINE: RelevanceSignal
GATE_UNSPECIFIED: Gate
GATE_LENIENT: Gate
GATE_BALANCED: Gate
GATE_STRICT: Gate
GATE_OFF: Gate
