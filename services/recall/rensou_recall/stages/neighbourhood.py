"""Puts a walk and what was read about its entities together."""

from collections.abc import Mapping, Sequence

from rensou_recall.types.traverse import (
    EntityNames,
    Mentions,
    Neighbourhood,
    TraversedEntity,
    TraversedRelation,
    TraverseRequest,
    Walk,
)
from rensou_shared.ids import EntityId


def assemble_neighbourhood(
    request: TraverseRequest,
    walk: Walk,
    names: Mapping[EntityId, EntityNames],
    mentions: Mapping[EntityId, Mentions],
    relations: tuple[Sequence[TraversedRelation], int],
) -> Neighbourhood:
    """The answer, in the walk's order. An entity that has no name any more was removed meanwhile and is left out.

    Args:
        request: What was asked.
        walk: Whom the walk reached.
        names: Of its entities.
        mentions: Of those that readable records mention.
        relations: Between its entities, newest first, and how many more there are.
    """
    entities = tuple(
        TraversedEntity(entity, hops, names[entity], mentions.get(entity, Mentions()))
        for hops, level in enumerate(walk.levels)
        for entity in level
        if entity in names
    )
    listed, relations_omitted = relations
    return Neighbourhood(
        entities=entities,
        relations=tuple(relation for relation in listed if {relation.subject, relation.object} <= names.keys()),
        entities_omitted=walk.omitted,
        relations_omitted=relations_omitted,
        max_hops_omitted=walk.unfollowed,
        limit_omitted=walk.omitted > 0 or any(entity.mentions.omitted > 0 for entity in entities),
        lowered=request.lowered,
    )
