"""Texts asked for by ref, node or span, and what came of each."""

from dataclasses import dataclass
from enum import Enum, auto

from rensou_recall.types.records import Quote, StoredRecord
from rensou_shared.ids import RecordRef


@dataclass(frozen=True, slots=True)
class NodeRange:
    """Nodes first..last of a record, both included, from 0."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SpanRange:
    """Code points [start_char, end_char) of a record."""

    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class Selector:
    """A record, or the part of it that is asked for."""

    ref: RecordRef
    part: NodeRange | SpanRange | None


@dataclass(frozen=True, slots=True)
class FullRecord:
    """A record with what only GetContents shows; `nodes` are the spans of its current nodes, in text order."""

    record: StoredRecord
    metadata_json: str | None
    content_sha256: str
    caller_id: str
    nodes: tuple[SpanRange, ...]


class Unresolved(Enum):
    """Why a selector gave no text."""

    NOT_FOUND = auto()
    NO_CURRENT_NODES = auto()
    NODE_OUT_OF_RANGE = auto()
    SPAN_OUT_OF_RANGE = auto()
    DEFERRED = auto()


@dataclass(frozen=True, slots=True)
class SelectedContent:
    """The text that one selector (by its position, from 0) asked for."""

    selector: int
    full: FullRecord
    quote: Quote


@dataclass(frozen=True, slots=True)
class Contents:
    """The texts, and the selectors that gave none, each in the order of the request."""

    items: tuple[SelectedContent, ...]
    unresolved: tuple[tuple[int, Unresolved], ...]
