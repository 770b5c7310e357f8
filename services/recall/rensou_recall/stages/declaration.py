"""Reads a declaration: what is valid by itself, and what is dropped, by path."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from rensou_recall.stages.item_list import ItemList
from rensou_recall.stages.names import read_end, read_name, read_predicate
from rensou_recall.types.declaration import (
    Anchor,
    DeclarationPlan,
    Drop,
    ItemPath,
    Name,
    PlannedAlias,
    PlannedEntity,
    PlannedRelation,
)
from rensou_recall.types.graph import Associations, DropReason, EntityDeclaration, RelationDeclaration
from rensou_shared.domain import MAX_ALIASES, MAX_DECLARED
from rensou_shared.ids import RecordId, parse_record_ref

_ENTITIES: Final = 0
_RELATIONS: Final = 1
_ANCHOR: Final = 2

ANCHOR_PATH: Final = ItemPath((_ANCHOR,), "anchor_ref")


def validity_path(relation: ItemPath) -> ItemPath:
    """Where a relation says when it is true."""
    return ItemPath((*relation.order, 2), f"{relation.text}.validity")


def certainty_path(relation: ItemPath) -> ItemPath:
    """Where a relation says how sure the caller is."""
    return ItemPath((*relation.order, 3), f"{relation.text}.certainty")


def plan_declaration(associations: Associations, anchor: RecordId | None) -> DeclarationPlan:
    """What is valid of `associations`, resting on the record `anchor` (None: on none).

    Bounds: 64 entities, 64 relations, 32 aliases an entity. Drops are in the declaration's order.
    """
    drops: list[Drop] = []
    entities = ItemList((_ENTITIES,), "entities", MAX_DECLARED)
    relations = ItemList((_RELATIONS,), "relations", MAX_DECLARED)
    planned_entities = [
        _plan_entity(entities, index, entity, drops)
        for index, entity in enumerate(associations.entities[:MAX_DECLARED])
    ]
    drops.extend(entities.beyond(len(associations.entities) + associations.entities_beyond))
    planned_relations = [
        _plan_relation(relations.path(index), relation, drops)
        for index, relation in enumerate(associations.relations[:MAX_DECLARED])
    ]
    drops.extend(relations.beyond(len(associations.relations) + associations.relations_beyond))
    return DeclarationPlan(
        entities=tuple(entity for entity in planned_entities if entity is not None),
        relations=tuple(relation for relation in planned_relations if relation is not None),
        dropped=sort_drops(drops),
        anchor=None if anchor is None else Anchor(anchor),
    )


def plan_anchored_declaration(associations: Associations, anchor_ref: str) -> DeclarationPlan:
    """`plan_declaration` with the anchor as the caller wrote it; '' is none, and what is no ref is dropped."""
    plan = plan_declaration(associations, None)
    if anchor_ref.strip() == "":
        return plan
    ref = parse_record_ref(anchor_ref.strip())
    if ref is None:
        return replace(plan, dropped=(*plan.dropped, Drop(ANCHOR_PATH, DropReason.INVALID_REF)))
    return replace(plan, anchor=Anchor(ref.id, ref.kind))


def sort_drops(drops: Iterable[Drop]) -> tuple[Drop, ...]:
    """The drops in the declaration's order: entities with their aliases, relations with their ends, the anchor."""
    return tuple(sorted(drops, key=lambda drop: drop.path))


def _plan_entity(
    entities: ItemList, index: int, declared: EntityDeclaration, drops: list[Drop]
) -> PlannedEntity | None:
    path = entities.path(index)
    name = read_name(declared.name)
    if not isinstance(name, Name):
        drops.append(Drop(path, name))
        return None
    aliases = ItemList((*path.order, 0), f"{path.text}.aliases", MAX_ALIASES)
    planned: list[PlannedAlias] = []
    for place, text in enumerate(declared.aliases[:MAX_ALIASES]):
        alias = read_name(text)
        if isinstance(alias, Name):
            planned.append(PlannedAlias(aliases.path(place), alias))
        else:
            drops.append(Drop(aliases.path(place), alias))
    drops.extend(aliases.beyond(len(declared.aliases) + declared.aliases_beyond))
    return PlannedEntity(name, tuple(planned))


def _plan_relation(path: ItemPath, declared: RelationDeclaration, drops: list[Drop]) -> PlannedRelation | None:
    """The relation, or None when one of its parts is bad. A bad predicate is reported by the path of the relation."""
    subject_path = ItemPath((*path.order, 0), f"{path.text}.subject")
    object_path = ItemPath((*path.order, 1), f"{path.text}.object")
    subject, predicate, obj = read_end(declared.subject), read_predicate(declared.predicate), read_end(declared.object)
    parts = ((subject_path, subject), (path, predicate), (object_path, obj))
    drops.extend(Drop(where, part) for where, part in parts if isinstance(part, DropReason))
    if isinstance(subject, DropReason) or isinstance(predicate, DropReason) or isinstance(obj, DropReason):
        return None
    certainty = declared.certainty
    if isinstance(certainty, DropReason):
        drops.append(Drop(certainty_path(path), certainty))
        certainty = None
    validity = declared.validity
    if isinstance(validity, DropReason):
        drops.append(Drop(validity_path(path), validity))
        validity = None
    return PlannedRelation(path, subject_path, object_path, subject, predicate, obj, validity, certainty)
