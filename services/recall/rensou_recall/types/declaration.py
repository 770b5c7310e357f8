"""A declaration on its way into the store: read, then resolved against what stands."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rensou_recall.types.certainty import Certainty
from rensou_recall.types.graph import DropReason
from rensou_recall.types.interval import Interval
from rensou_shared.ids import EntityId, RecordId, RecordKind, RecordRef, RelationId


@dataclass(frozen=True, slots=True, order=True)
class ItemPath:
    """Where an item stands: ordered as in the declaration, worded as callers read it ("relations[2].subject")."""

    order: tuple[int, ...]
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Drop:
    """An item that is left out, and why."""

    path: ItemPath
    reason: DropReason


@dataclass(frozen=True, slots=True)
class Name:
    """A name, alias or predicate: as written, trimmed, and the normal form that makes it equal to others."""

    written: str
    normalized: str


@dataclass(frozen=True, slots=True)
class PlannedAlias:
    """A valid alias and where it stands."""

    path: ItemPath
    name: Name


@dataclass(frozen=True, slots=True)
class PlannedEntity:
    """A valid name with its valid aliases, in the declaration's order."""

    name: Name
    aliases: tuple[PlannedAlias, ...]


@dataclass(frozen=True, slots=True)
class PlannedRelation:
    """A relation whose three parts are valid by themselves.

    Attributes:
        path: Of the whole relation.
        subject_path: Of the subject.
        object_path: Of the object.
        validity: When it is true; None when nothing valid is said.
        certainty: How sure the caller is; None when it says nothing valid.
    """

    path: ItemPath
    subject_path: ItemPath
    object_path: ItemPath
    subject: Name | RecordRef
    predicate: Name
    object: Name | RecordRef
    validity: Interval | None = None
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """The record that a declaration rests on; without a kind, any record of that number."""

    id: RecordId
    kind: RecordKind | None = None


@dataclass(frozen=True, slots=True)
class DeclarationPlan:
    """What is valid of a declaration, and what is not, without looking at the store."""

    entities: tuple[PlannedEntity, ...]
    relations: tuple[PlannedRelation, ...]
    dropped: tuple[Drop, ...]
    anchor: Anchor | None = None

    @property
    def names(self) -> frozenset[str]:
        """Every normal form that it looks up."""
        aliases = {alias.name.normalized for entity in self.entities for alias in entity.aliases}
        ends = (end for relation in self.relations for end in (relation.subject, relation.object))
        return frozenset(
            aliases
            | {entity.name.normalized for entity in self.entities}
            | {end.normalized for end in ends if isinstance(end, Name)}
        )

    @property
    def record_ids(self) -> frozenset[RecordId]:
        """The number of every record that it names."""
        ends = (end for relation in self.relations for end in (relation.subject, relation.object))
        named = {end.id for end in ends if isinstance(end, RecordRef)}
        return frozenset(named if self.anchor is None else named | {self.anchor.id})


@dataclass(frozen=True, slots=True)
class RetractionPlan:
    """What of a retraction names something, and what does not."""

    relations: tuple[RelationId, ...] = ()
    mentions: tuple[tuple[EntityId, RecordRef], ...] = ()
    dropped: tuple[Drop, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """The project and the channel that a row belongs to; '' is the global pool, and no channel."""

    project_id: str
    channel: str

    def reads(self, other: "Place") -> bool:
        """Whether one who reads from this place sees what belongs to `other`; the rule is that of `ReadScope`."""
        in_channel = self.channel == "" or other.channel in (self.channel, "")
        return in_channel and other.project_id in (self.project_id, "")


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """An entity that stands, under the name of its first declaration."""

    id: EntityId
    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class NewEntity:
    """An entity that this declaration registers; `index` counts them from 0."""

    index: int
    name: str
    place: Place


Entity = KnownEntity | NewEntity


@dataclass(frozen=True, slots=True)
class Standing:
    """What the store holds of the things that a plan names.

    Attributes:
        names: Of each place that the writer reads, what a normal form means there.
        records: The kind and the place of each record of the agent that the plan names.
    """

    names: Mapping[Place, Mapping[str, KnownEntity]]
    records: Mapping[RecordId, tuple[RecordKind, Place]]


@dataclass(frozen=True, slots=True)
class ResolvedRelation:
    """A relation whose ends exist, or will."""

    path: ItemPath
    subject: Entity | RecordRef
    predicate: Name
    object: Entity | RecordRef
    validity: Interval | None = None
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is to be written.

    Attributes:
        named: The entities of `entities` in order, then those that only relations name, each once; with whether this
            item registers it.
        mentioned: The entities of `entities`, each once.
        registered: Names of the new entities, by index.
        aliases: New aliases beside the names.
        anchor: None also when the plan's was dropped.
        dropped: Those of the plan included, in the declaration's order.
    """

    named: tuple[tuple[Entity, bool], ...]
    mentioned: tuple[Entity, ...]
    registered: tuple[Name, ...]
    aliases: tuple[tuple[Entity, Name], ...]
    relations: tuple[ResolvedRelation, ...]
    anchor: RecordId | None
    dropped: tuple[Drop, ...]


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A relation as the store keeps it: of each end, one of the two numbers is None."""

    subject_entity: EntityId | None
    subject_record: RecordId | None
    predicate: Name
    object_entity: EntityId | None
    object_record: RecordId | None

    @property
    def key(self) -> tuple[int | None, int | None, str, int | None, int | None]:
        """What makes two relations of one scope and anchor the same."""
        return (
            self.subject_entity,
            self.subject_record,
            self.predicate.normalized,
            self.object_entity,
            self.object_record,
        )
