"""A record on its way into the store, and what became of it."""

from dataclasses import dataclass
from enum import Enum, auto

from rensou_recall.types.graph import AssociationReport, Associations
from rensou_recall.types.records import NewRecord, NodesOutlook
from rensou_shared.errors import RensouError
from rensou_shared.ids import RecordRef
from rensou_shared.scope import WriteScope


@dataclass(frozen=True, slots=True)
class StoreItem:
    """A record to be stored, and what it connects (None: nothing was said)."""

    scope: WriteScope
    record: NewRecord
    associations: Associations | None


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


StoreAnswer = StoreResult | RensouError
"""What became of one item of a batch: the error is the item's own."""
