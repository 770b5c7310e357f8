"""Changes of stored records."""

from dataclasses import dataclass
from datetime import datetime
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


SUPPORTED_FORGET_MODES = (ForgetMode.RETIRE, ForgetMode.HARD)


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
    retirements: int = 0


@dataclass(frozen=True, slots=True)
class Retired:
    """A record that is out of every search: since when (UTC), and how many caller ids it gave up."""

    at: datetime
    caller_ids: int


@dataclass(frozen=True, slots=True)
class Restored:
    """A record that is live again; `caller_ids_lost` of its caller ids name other records now."""

    caller_ids: int
    caller_ids_lost: int


ForgetAnswer = Forgotten | Retired | RensouError
"""What became of one record: gone, out of every search, or why not."""

RestoreAnswer = Restored | RensouError
"""What became of one record: live, or why not."""
