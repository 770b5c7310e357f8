"""Records as they are stored, and as they are about to be."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from rensou_recall.types.certainty import Certainty
from rensou_recall.types.validity import Validity
from rensou_shared.ids import RecordKind, RecordRef


@dataclass(frozen=True, slots=True)
class Source:
    """Where a record came from; every part may be ''."""

    type: str = ""
    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to be stored, checked already.

    Attributes:
        content: Verbatim text, 1-16,000 code points, no NUL, no lone surrogate.
        occurred_at: UTC; the start of an episode.
        ended_at: UTC; the end of an episode, None for a memory.
        metadata_json: A JSON object, or None.
    """

    kind: RecordKind
    content: str
    caller_id: str = ""
    source: Source = Source()
    session_id: str = ""
    occurred_at: datetime | None = None
    ended_at: datetime | None = None
    metadata_json: str | None = None
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record that a call may read; a retired one is out of every search.

    Times are UTC; `validity` is None when nothing is asserted, or nobody asked.
    """

    ref: RecordRef
    content: str
    project_id: str
    channel: str
    source: Source
    session_id: str
    occurred_at: datetime | None
    ended_at: datetime | None
    created_at: datetime
    locked: bool
    revision: int
    validity: Validity | None = None
    retired: bool = False


class NodesOutlook(Enum):
    """What becomes of a record past the embedding window."""

    NONE = auto()
    QUEUED = auto()
    DEFERRED = auto()


class QuoteBasis(Enum):
    """How a quoted passage was chosen."""

    WHOLE = auto()
    NODE = auto()
    START = auto()
    SPAN = auto()
    WITHHELD = auto()


class StartReason(Enum):
    """Why the start of a long record is quoted, where a node was looked for."""

    NO_NODES = auto()
    NOT_CURRENT = auto()


@dataclass(frozen=True, slots=True)
class NodeSpan:
    """Where one node of a record lies, in code points, half-open; `of` is how many nodes there are."""

    index: int
    of: int
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim passage [start_char, end_char) of a record of `content_chars` code points.

    Of a withheld text it is the empty one at the start. `start_reason` is None where the basis is not START, and where
    no node was looked for.
    """

    content: str
    start_char: int
    end_char: int
    content_chars: int
    basis: QuoteBasis
    node: NodeSpan | None = None
    start_reason: StartReason | None = None


@dataclass(frozen=True, slots=True)
class LoweredBound:
    """A requested bound outside its range, and what was used."""

    field: str
    requested: int
    applied: int
