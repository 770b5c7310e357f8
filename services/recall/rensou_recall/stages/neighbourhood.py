"""Puts a walk and what was read about its entities together."""

from rensou_recall.types.traverse import (
    Mentions,
    Neighbourhood,
    TraversedEntity,
    TraverseDetails,
    TraverseRequest,
    Walk,
)


def assemble_neighbourhood(request: TraverseRequest, walk: Walk, details: TraverseDetails) -> Neighbourhood:
    """The answer, in the walk's order. An entity that has no name any more was removed meanwhile and is left out."""
    names, mentions = details.names, details.mentions
    entities = tuple(
        TraversedEntity(entity, hops, names[entity], mentions.get(entity, Mentions()))
        for hops, level in enumerate(walk.levels)
        for entity in level
        if entity in names
    )
    return Neighbourhood(
        entities=entities,
        relations=tuple(
            relation for relation in details.relations if relation.subject in names and relation.object in names
        ),
        entities_omitted=walk.omitted,
        relations_omitted=details.relations_omitted,
        max_hops_omitted=walk.unfollowed,
        limit_omitted=walk.omitted > 0 or any(entity.mentions.omitted > 0 for entity in entities),
        lowered=request.lowered,
    )
