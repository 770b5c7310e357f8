"""Changes of stored records."""

from dataclasses import dataclass
from enum import Enum, auto

from rensou_recall.types.records import NodesOutlook
from rensou_shared.errors import RensouError
from rensou_shared.ids import RecordRef


@dataclass(frozen=True, slots=True)
class Revision:
    """A new text for a record; `expected_revision` 0 revises whatever stands."""

    ref: RecordRef
    content: str
    expected_revision: int


@dataclass(frozen=True, slots=True)
class Revised:
    """What the record is now."""

    ref: RecordRef
    revision: int
    embedded: bool
    nodes: NodesOutlook


class ForgetMode(Enum):
    """How a record is forgotten."""

    RETIRE = auto()
    TOMBSTONE = auto()
    HARD = auto()


SUPPORTED_FORGET_MODES = (ForgetMode.HARD,)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many rows went with one record."""

    revisions: int
    vectors: int
    terms: int
    nodes: int
    builds: int
    mentions: int
    relations: int
    caller_ids: int


ForgetAnswer = Forgotten | RensouError
"""What became of one record: gone, or why not."""
