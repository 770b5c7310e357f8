"""How well a record is grounded by what callers have said, and what that rests on."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from rensou_recall.types.certainty import Certainty
from rensou_recall.types.interval import ValidityState
from rensou_shared.ids import RecordId, RecordRef

MAX_SUPPORTS: Final = 64
"""Relations of a record that say what supports it: the newest are read."""

MAX_EPISODES: Final = 64
"""Episodes among which those are looked for that cover a memory: the last that began before it."""

MAX_GROUND_REFS: Final = 8
"""Records that a ground names; what is beyond is counted."""


class Level(Enum):
    """How well a record is grounded; the value is the points."""

    NONE = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    STRONG = 4


class Ground(Enum):
    """One thing that confidence rests on, in the order in which grounds are listed."""

    STATED = auto()
    CORROBORATED = auto()
    CONTRADICTED = auto()
    QUALIFIED = auto()
    ANONYMOUS = auto()
    REPLACED = auto()
    NOT_VALID = auto()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a record comes from: what it shares of this makes it no independent witness.

    Attributes:
        source_id: '' for a record of nobody.
        episodes: Those that cover it; of an episode, itself.
    """

    project_id: str
    source_type: str
    source_id: str
    caller_ids: frozenset[str] = frozenset()
    episodes: frozenset[RecordId] = frozenset()


@dataclass(frozen=True, slots=True)
class Witness:
    """A record and where it comes from."""

    ref: RecordRef
    origin: Origin


@dataclass(frozen=True, slots=True)
class Attestation:
    """What a record says of itself, and what is declared to support it.

    Attributes:
        has_role: Some relation gives it a role towards another record, or another a role towards it.
        supports_cut: There are more relations of support than were read.
    """

    claim: Witness
    certainty: Certainty | None
    has_role: bool
    supporters: tuple[Witness, ...] = ()
    supports_cut: bool = False


@dataclass(frozen=True, slots=True)
class Standpoint:
    """What else is declared about a record, as the call sees it.

    Attributes:
        replaced_by: Its successors; None when nothing has taken its place.
        validity: None when nothing is asserted.
    """

    replaced_by: tuple[RecordRef, ...] | None = None
    contradicted_by: tuple[RecordRef, ...] = ()
    qualified_by: tuple[RecordRef, ...] = ()
    validity: ValidityState | None = None


@dataclass(frozen=True, slots=True)
class GroundFound:
    """One ground, what it counts or states, what it gives, and all the records that it names, in order."""

    ground: Ground
    value: int
    points: int
    refs: tuple[RecordRef, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryConfidence:
    """How well a record is grounded; `points` are 0 to 4."""

    points: int
    grounds: tuple[GroundFound, ...]
    supports_cut: bool = False

    @property
    def level(self) -> Level:
        """The points as a word."""
        return Level(self.points)


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether the heads of an answer ground it: one of HIGH, or two of MEDIUM that are independent of each other.

    Attributes:
        heads: Those that do, in the answer's order.
    """

    met: bool
    heads: tuple[RecordRef, ...] = ()


INSUFFICIENT: Final = Sufficiency(met=False)
