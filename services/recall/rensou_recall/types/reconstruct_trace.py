"""How a reconstruction came about: refs, names and numbers, never a text."""

from dataclasses import dataclass
from typing import Final

from rensou_recall.types.confidence import INSUFFICIENT, Level, Sufficiency
from rensou_recall.types.trace import Trace
from rensou_shared.ids import RecordRef


@dataclass(frozen=True, slots=True)
class TracedMember:
    """A candidate of an item: retrieval's rank from 1, and what joined it."""

    ref: RecordRef
    rank: int
    why: str


@dataclass(frozen=True, slots=True)
class TracedItem:
    """An item before it was quoted.

    Attributes:
        members: The candidates that were bundled, the one that leads first.
        reached: Records that the walk added to it.
        is_returned: The budget left room for its head.
    """

    head_ref: RecordRef
    members: tuple[TracedMember, ...]
    reached: int
    claims: int
    quotes: int
    confidence: Level | None
    is_returned: bool


@dataclass(frozen=True, slots=True)
class TracedWalk:
    """What was read of the declared graph around the items: entities, their edges, records that mention them."""

    mentioned: int
    entities: int
    edges: int
    records: int


NOTHING_WALKED: Final = TracedWalk(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class ReconstructTrace:
    """How a reconstruction came about; `retrieval` is None when nothing was retrieved.

    Attributes:
        candidates: Those that were bundled.
        bundles: What they made, before the count.
    """

    retrieval: Trace | None
    candidates: int = 0
    bundles: int = 0
    walk: TracedWalk = NOTHING_WALKED
    items: tuple[TracedItem, ...] = ()
    sufficiency: Sufficiency = INSUFFICIENT
