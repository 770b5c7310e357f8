"""Resolves a declaration against what stands: which entity each name means, what is new, what is refused.

The rules are those of one declaration after another: an item sees what the items before it registered.
"""

from collections.abc import Mapping
from dataclasses import replace

from rensou_recall.stages.declaration import ANCHOR_PATH, sort_drops
from rensou_recall.stages.isolation import crosses_isolation
from rensou_recall.types.declaration import (
    Anchor,
    DeclarationPlan,
    Drop,
    Entity,
    KnownEntity,
    Name,
    NewEntity,
    Place,
    PlannedEntity,
    PlannedRelation,
    Resolution,
    ResolvedRelation,
    Standing,
)
from rensou_recall.types.graph import DropReason
from rensou_shared.ids import RecordId, RecordKind, RecordRef


def visible_places(writer: Place) -> tuple[Place, ...]:
    """The places in which a writer's names resolve, the most specific first."""
    pairs = [(project, channel) for project in (writer.project_id, "") for channel in (writer.channel, "")]
    return tuple(Place(*pair) for pair in dict.fromkeys(pairs))


def resolve_declaration(plan: DeclarationPlan, writer: Place, standing: Standing) -> Resolution:
    """What `plan`, declared by `writer`, writes.

    A name without aliases means what it means in the most specific visible place; with at least one alias only the
    writer's own place is looked at, so that a project gets its own entity beside a global one. An alias that already
    means another entity is refused, one that means the same changes nothing. Nothing of a refused relation is
    registered. A record is an end or the anchor only when the writer's place reads it, and the ends and the anchor of a
    relation lie where one reader sees them together.
    """
    names = _Names(writer, standing)
    drops = list(plan.dropped)
    anchor = _resolve_anchor(plan.anchor, writer, standing, drops)
    declared = [_resolve_entity(names, entity, drops) for entity in plan.entities]
    relations = [_resolve_relation(names, relation, anchor, standing, drops) for relation in plan.relations]
    resolved = tuple(relation for relation in relations if relation is not None)
    return Resolution(
        named=_named(declared, resolved),
        mentioned=tuple(dict.fromkeys(entity for entity, _ in declared)),
        registered=tuple(names.registered),
        aliases=tuple(names.aliases),
        relations=resolved,
        anchor=anchor,
        dropped=sort_drops(drops),
    )


def names_anything_new(plan: DeclarationPlan, writer: Place, names: Mapping[Place, Mapping[str, KnownEntity]]) -> bool:
    """Whether the entities of `plan` would register a name or an alias."""
    found = resolve_declaration(replace(plan, relations=(), anchor=None), writer, Standing(names, {}))
    return bool(found.registered or found.aliases)


class _Names:
    """What names mean while a declaration is read, and what it has registered so far."""

    def __init__(self, writer: Place, standing: Standing) -> None:
        self.writer = writer
        self._places = visible_places(writer)
        self._meanings: dict[Place, dict[str, Entity]] = {
            place: dict(standing.names.get(place, {})) for place in self._places
        }
        self.registered: list[Name] = []
        self.aliases: list[tuple[Entity, Name]] = []

    def meaning(self, normalized: str) -> Entity | None:
        """What the most specific visible place calls so."""
        for place in self._places:
            entity = self._meanings[place].get(normalized)
            if entity is not None:
                return entity
        return None

    def own_meaning(self, normalized: str) -> Entity | None:
        """What the writer's own place calls so."""
        return self._meanings[self.writer].get(normalized)

    def register(self, name: Name) -> Entity:
        """A new entity of that name in the writer's place."""
        entity = NewEntity(len(self.registered), name.written, self.writer)
        self.registered.append(name)
        self._meanings[self.writer][name.normalized] = entity
        return entity

    def add_alias(self, entity: Entity, alias: Name) -> bool:
        """Whether `alias` means `entity` from now on; False when it means another."""
        meaning = self.meaning(alias.normalized)
        if meaning is None:
            self.aliases.append((entity, alias))
            self._meanings[self.writer][alias.normalized] = entity
        return meaning is None or meaning == entity


def _resolve_entity(names: _Names, planned: PlannedEntity, drops: list[Drop]) -> tuple[Entity, bool]:
    normalized = planned.name.normalized
    known = names.own_meaning(normalized) if planned.aliases else names.meaning(normalized)
    entity = known or names.register(planned.name)
    taken = [alias.path for alias in planned.aliases if not names.add_alias(entity, alias.name)]
    drops.extend(Drop(path, DropReason.ALIAS_TAKEN) for path in taken)
    return entity, known is None


def _resolve_relation(
    names: _Names, planned: PlannedRelation, anchor: RecordId | None, standing: Standing, drops: list[Drop]
) -> ResolvedRelation | None:
    refused = [
        Drop(path, reason)
        for path, end in ((planned.subject_path, planned.subject), (planned.object_path, planned.object))
        if isinstance(end, RecordRef) and (reason := _record_refusal(end.id, end.kind, names.writer, standing))
    ]
    if refused:
        drops.extend(refused)
        return None
    subject, obj = _look_up(names, planned.subject), _look_up(names, planned.object)
    reason = _refusal(names, subject, obj, anchor, standing)
    if reason is not None:
        drops.append(Drop(planned.path, reason))
        return None
    ends = _settle(names, subject), _settle(names, obj)
    return ResolvedRelation(planned.path, ends[0], planned.predicate, ends[1], planned.validity, planned.certainty)


def _record_refusal(
    record_id: RecordId, kind: RecordKind | None, writer: Place, standing: Standing
) -> DropReason | None:
    """Why the record is none that the writer may name."""
    record = standing.records.get(record_id)
    if record is None or kind not in (None, record[0]):
        return DropReason.RECORD_NOT_FOUND
    return None if writer.reads(record[1]) else DropReason.CROSSES_ISOLATION


def _look_up(names: _Names, end: Name | RecordRef) -> Entity | Name | RecordRef:
    """The entity or record that an end means; the name itself when it means nothing yet."""
    return end if isinstance(end, RecordRef) else names.meaning(end.normalized) or end


def _settle(names: _Names, end: Entity | Name | RecordRef) -> Entity | RecordRef:
    return names.register(end) if isinstance(end, Name) else end


def _refusal(
    names: _Names,
    subject: Entity | Name | RecordRef,
    obj: Entity | Name | RecordRef,
    anchor: RecordId | None,
    standing: Standing,
) -> DropReason | None:
    if _identity(subject) == _identity(obj):
        return DropReason.SELF_RELATION
    places = [_place(names, subject, standing), _place(names, obj, standing)]
    if anchor is not None:
        places.append(standing.records[anchor][1])
    return DropReason.CROSSES_ISOLATION if crosses_isolation(places) else None


def _identity(end: Entity | Name | RecordRef) -> Entity | str | RecordRef:
    return end.normalized if isinstance(end, Name) else end


def _place(names: _Names, end: Entity | Name | RecordRef, standing: Standing) -> Place:
    if isinstance(end, RecordRef):
        return standing.records[end.id][1]
    return names.writer if isinstance(end, Name) else end.place


def _resolve_anchor(anchor: Anchor | None, writer: Place, standing: Standing, drops: list[Drop]) -> RecordId | None:
    if anchor is None:
        return None
    reason = _record_refusal(anchor.id, anchor.kind, writer, standing)
    if reason is None:
        return anchor.id
    drops.append(Drop(ANCHOR_PATH, reason))
    return None


def _named(
    declared: list[tuple[Entity, bool]], relations: tuple[ResolvedRelation, ...]
) -> tuple[tuple[Entity, bool], ...]:
    """One element a declared entity, then the entities that only relations name; new numbers follow the same order."""
    listed = {entity for entity, _ in declared}
    ends = (end for relation in relations for end in (relation.subject, relation.object))
    others = (end for end in ends if not isinstance(end, RecordRef) and end not in listed)
    return (*declared, *((end, isinstance(end, NewEntity)) for end in dict.fromkeys(others)))
