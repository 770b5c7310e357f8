"""A record on its way into the store, and what became of it."""

from dataclasses import dataclass
from enum import Enum, auto

from rensou_recall.types.graph import AssociationReport, Associations, Dropped, DropReason
from rensou_recall.types.interval import Interval
from rensou_recall.types.records import NewRecord, NodesOutlook
from rensou_shared.errors import RensouError
from rensou_shared.ids import RecordRef
from rensou_shared.scope import WriteScope


@dataclass(frozen=True, slots=True)
class StoreItem:
    """A record to be stored, what it connects and when it is true (None: nothing was said; a reason: no interval)."""

    scope: WriteScope
    record: NewRecord
    associations: Associations | None
    validity: Interval | DropReason | None = None


class StoreOutcome(Enum):
    """What Store did."""

    STORED = auto()
    SKIPPED_DUPLICATE = auto()


@dataclass(frozen=True, slots=True)
class StoreResult:
    """What became of one record."""

    outcome: StoreOutcome
    ref: RecordRef
    embedded: bool
    nodes: NodesOutlook
    report: AssociationReport | None
    dropped: tuple[Dropped, ...] = ()


StoreAnswer = StoreResult | RensouError
"""What became of one item of a batch: the error is the item's own."""
