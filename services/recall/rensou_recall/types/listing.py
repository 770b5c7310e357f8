"""Pages over what is declared."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from rensou_recall.types.certainty import Certainty
from rensou_recall.types.declaration import Place
from rensou_recall.types.graph import DeclaredBy
from rensou_recall.types.interval import ALWAYS, Interval
from rensou_recall.types.records import LoweredBound
from rensou_shared.ids import EntityId, RecordRef, RelationId
from rensou_shared.scope import ReadScope

T = TypeVar("T")

Position = tuple[int | str, ...]
"""Where a page ended: the key of its last item. A page begins after it; the first one after nothing, ()."""


@dataclass(frozen=True, slots=True)
class PageBinding:
    """What a page token is good for.

    Attributes:
        method: The method that lists.
        scope: What the call may read.
        filters: What the call chooses, in a fixed order; the size of a page is none of it.
    """

    method: str
    scope: ReadScope
    filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page is asked for.

    Attributes:
        size: Items at most.
        token: '' for the first page.
        lowered: The size, when it was asked for above its maximum.
    """

    size: int
    token: str
    lowered: tuple[LoweredBound, ...] = ()


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page; `next_token` is '' on the last one."""

    items: tuple[T, ...]
    next_token: str
    lowered: tuple[LoweredBound, ...]


@dataclass(frozen=True, slots=True)
class RelationListing:
    """Which relations are asked for.

    Attributes:
        end: What they have at one of their ends; None for any.
        predicate: In normal form; '' for any.
    """

    scope: ReadScope
    end: EntityId | RecordRef | None
    predicate: str
    page: PageRequest


@dataclass(frozen=True, slots=True)
class EntityListing:
    """Which entities are asked for.

    Attributes:
        normalized: A name or alias in normal form; '' for any.
        mentioned_in: The record that mentions them; None for any.
    """

    scope: ReadScope
    normalized: str
    mentioned_in: RecordRef | None
    page: PageRequest


@dataclass(frozen=True, slots=True)
class CandidateListing:
    """Where candidates of contradiction are asked for."""

    scope: ReadScope
    page: PageRequest


@dataclass(frozen=True, slots=True)
class ListedEntity:
    """An entity; `aliases` by their normal forms, at most 32, the rest counted."""

    id: EntityId
    name: str
    place: Place
    declared_by: DeclaredBy
    created_at: datetime
    aliases: tuple[str, ...]
    aliases_omitted: int


@dataclass(frozen=True, slots=True)
class EntityEnd:
    """An entity at an end of a relation, with the name of its first declaration."""

    id: EntityId
    name: str


@dataclass(frozen=True, slots=True)
class ListedRelation:
    """A relation; the anchor is None when it is unreadable."""

    id: RelationId
    place: Place
    subject: EntityEnd | RecordRef
    predicate: str
    normalized_predicate: str
    object: EntityEnd | RecordRef
    declared_by: DeclaredBy
    declared_at: datetime
    anchor: RecordRef | None
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class StatedObject:
    """A relation between entities, as its subject and predicate state it, and when it is true.

    No other of its place has its object and its interval.
    """

    id: RelationId
    place: Place
    object: EntityId
    validity: Interval = ALWAYS


@dataclass(frozen=True, slots=True)
class StatedGroup:
    """What is stated of one subject by one predicate, by number."""

    subject: EntityId
    predicate: str
    stated: tuple[StatedObject, ...]


@dataclass(frozen=True, slots=True)
class ContradictionKey:
    """Two relations of one subject and predicate, by number, and where the pair stands in the order of pairs."""

    subject: EntityId
    predicate: str
    first: RelationId
    second: RelationId


@dataclass(frozen=True, slots=True)
class ContradictionCandidate:
    """Two relations that may contradict each other; the first one has the lower number."""

    subject: EntityId
    predicate: str
    first: ListedRelation
    second: ListedRelation


@dataclass(frozen=True, slots=True)
class DeletedEntity:
    """How much went with an entity; the name is no alias."""

    aliases: int
    mentions: int
    relations: int
