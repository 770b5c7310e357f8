"""What is declared: entities, relations, and what became of a declaration."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from rensou_recall.types.certainty import Certainty
from rensou_recall.types.interval import Interval
from rensou_shared.ids import EntityId, RelationId

DeclaredBy = Literal["agent", "operator"]
"""Who a declaration comes from; the server itself never declares."""


@dataclass(frozen=True, slots=True)
class EntityDeclaration:
    """A name and its aliases, as written.

    Attributes:
        aliases_beyond: How many more aliases were sent; what lies past the bound is counted, not held.
    """

    name: str
    aliases: tuple[str, ...] = ()
    aliases_beyond: int = 0


@dataclass(frozen=True, slots=True)
class RelationDeclaration:
    """Subject, predicate and object, as written; an end is an entity's name or a record's ref.

    `validity` is when it is true: None when nothing is said, a reason when what is said is no interval. `certainty` is
    how sure the caller is, likewise.
    """

    subject: str
    predicate: str
    object: str
    validity: "Interval | DropReason | None" = None
    certainty: "Certainty | DropReason | None" = None


@dataclass(frozen=True, slots=True)
class Associations:
    """What one call declares.

    Attributes:
        entities_beyond: How many more entities were sent; what lies past the bound is counted, not held.
        relations_beyond: The same of relations.
    """

    entities: tuple[EntityDeclaration, ...] = ()
    relations: tuple[RelationDeclaration, ...] = ()
    entities_beyond: int = 0
    relations_beyond: int = 0


class DropReason(Enum):
    """Why one item of a declaration was left out."""

    EMPTY = auto()
    TOO_LONG = auto()
    INVALID_TEXT = auto()
    BEYOND_BOUND = auto()
    ALIAS_TAKEN = auto()
    RECORD_NOT_FOUND = auto()
    SELF_RELATION = auto()
    CROSSES_ISOLATION = auto()
    CYCLE = auto()
    INVALID_REF = auto()
    FAILED = auto()
    INVALID_INTERVAL = auto()
    RELATION_NOT_FOUND = auto()
    INVALID_CERTAINTY = auto()


class WarningReason(Enum):
    """What could not be made sure of when one item of a declaration was taken."""

    CYCLE_NOT_EXCLUDED = auto()


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item, by path ("relations[2].subject"), and why it was left out."""

    item: str
    reason: DropReason


@dataclass(frozen=True, slots=True)
class Warned:
    """An item, by path, that was taken and may be wrong."""

    item: str
    reason: WarningReason


@dataclass(frozen=True, slots=True)
class DeclaredEntity:
    """An entity that a declaration named."""

    id: EntityId
    name: str
    created: bool


@dataclass(frozen=True, slots=True)
class DeclaredRelation:
    """A relation that a declaration named."""

    id: RelationId
    created: bool


@dataclass(frozen=True, slots=True)
class AssociationReport:
    """What a declaration did, in its own order."""

    entities: tuple[DeclaredEntity, ...] = ()
    mentions: int = 0
    relations: tuple[DeclaredRelation, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class Retraction:
    """What is taken back, as written: refs of relations; refs of an entity and of a record that mentions it.

    Attributes:
        relations_beyond: How many more relations were sent; what lies past the bound is counted, not held.
        mentions_beyond: The same of mentions.
    """

    relations: tuple[str, ...] = ()
    mentions: tuple[tuple[str, str], ...] = ()
    relations_beyond: int = 0
    mentions_beyond: int = 0


@dataclass(frozen=True, slots=True)
class RetractionReport:
    """How much was taken back."""

    relations: int
    mentions: int


@dataclass(frozen=True, slots=True)
class DeclareRequest:
    """A declaration by itself.

    Attributes:
        anchor_ref: As the caller wrote it; '' is no anchor. A bad one is dropped like any other item.
        retraction: Taken back before anything is declared; None when nothing is.
    """

    associations: Associations
    anchor_ref: str = ""
    retraction: Retraction | None = None
