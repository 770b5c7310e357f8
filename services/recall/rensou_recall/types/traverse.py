"""A walk over what is declared around an entity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rensou_recall.types.graph import DeclaredBy
from rensou_recall.types.records import LoweredBound
from rensou_recall.types.validity import NOTHING_LEFT_OUT, LeftOut, RelationTimeline, Validity
from rensou_shared.ids import EntityId, RecordRef, RelationId
from rensou_shared.scope import ReadScope

MAX_RELATIONS = 1_000
"""Relations that an answer names; the rest is counted."""


@dataclass(frozen=True, slots=True)
class TraverseRequest:
    """What is asked.

    Attributes:
        asked: The entity as the caller wrote it.
        start: The entity of a ref, or the normal form of a name.
        max_hops: 0-5.
        limit: Entities of the answer and records named an entity, 1-100.
        lowered: Bounds that were asked for above their maximum.
        valid_at: When the relations are to be true; None leaves none out.
    """

    scope: ReadScope
    asked: str
    start: EntityId | str
    max_hops: int
    limit: int
    lowered: tuple[LoweredBound, ...] = ()
    valid_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """Which entities a walk reached.

    Attributes:
        levels: By hops from 0, the entities in their order: newest relation that led there, then number.
        omitted: Entities within max_hops that the limit left out, as far as the walk saw them.
        unfollowed: An entity at max_hops has a relation to one that is not returned.
    """

    levels: tuple[tuple[EntityId, ...], ...]
    omitted: int
    unfollowed: bool

    @property
    def entities(self) -> list[EntityId]:
        """Every entity, in the order of the answer."""
        return [entity for level in self.levels for entity in level]


@dataclass(frozen=True, slots=True)
class EntityNames:
    """The name of an entity as first declared, its aliases by their normal forms, and how many more it has."""

    name: str
    aliases: tuple[str, ...]
    aliases_omitted: int = 0


@dataclass(frozen=True, slots=True)
class Mentions:
    """Readable records that mention an entity, lowest number first, and how many the limit left out."""

    refs: tuple[RecordRef, ...] = ()
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class TraversedEntity:
    """An entity of the answer; `hops` is 0 for a start."""

    id: EntityId
    hops: int
    names: EntityNames
    mentions: Mentions


@dataclass(frozen=True, slots=True)
class TraversedRelation:
    """A relation between two entities of the answer; `declared_at` is UTC, the anchor None when it is unreadable."""

    id: RelationId
    subject: EntityId
    predicate: str
    object: EntityId
    declared_by: DeclaredBy
    declared_at: datetime
    anchor: RecordRef | None
    validity: Validity | None = None


@dataclass(frozen=True, slots=True)
class TraverseDetails:
    """What was read about the entities of a walk: names, mentions, and the relations between them, newest first."""

    names: Mapping[EntityId, EntityNames]
    mentions: Mapping[EntityId, Mentions]
    relations: Sequence[TraversedRelation]
    relations_omitted: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The answer.

    Attributes:
        entities: By hops, newest relation, number.
        relations: Newest first, then number.
        max_hops_omitted: A relation was left unfollowed at the hop bound.
        limit_omitted: Something was left out by the limit.
        left_out: Relations that are not true at the time that is asked for.
        timelines: What is said of one subject by one predicate, in time; by subject, then predicate.
    """

    entities: tuple[TraversedEntity, ...]
    relations: tuple[TraversedRelation, ...]
    entities_omitted: int
    relations_omitted: int
    max_hops_omitted: bool
    limit_omitted: bool
    lowered: tuple[LoweredBound, ...]
    left_out: LeftOut = NOTHING_LEFT_OUT
    timelines: tuple[RelationTimeline, ...] = ()
    timelines_omitted: int = 0
