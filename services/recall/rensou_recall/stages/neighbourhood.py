"""Puts a walk and what was read about its entities together."""

from rensou_recall.stages.timeline import relation_timelines
from rensou_recall.types.traverse import (
    Mentions,
    Neighbourhood,
    TraversedEntity,
    TraverseDetails,
    TraverseRequest,
    Walk,
)
from rensou_recall.types.validity import MAX_TIMELINES


def assemble_neighbourhood(request: TraverseRequest, walk: Walk, details: TraverseDetails) -> Neighbourhood:
    """The answer, in the walk's order. An entity that has no name any more was removed meanwhile and is left out."""
    names, mentions = details.names, details.mentions
    entities = tuple(
        TraversedEntity(entity, hops, names[entity], mentions.get(entity, Mentions()))
        for hops, level in enumerate(walk.levels)
        for entity in level
        if entity in names
    )
    relations = tuple(one for one in details.relations if one.subject in names and one.object in names)
    timelines = relation_timelines(relations)
    return Neighbourhood(
        entities=entities,
        relations=relations,
        entities_omitted=walk.omitted,
        relations_omitted=details.relations_omitted,
        max_hops_omitted=walk.unfollowed,
        limit_omitted=walk.omitted > 0 or any(entity.mentions.omitted > 0 for entity in entities),
        lowered=request.lowered,
        timelines=timelines[:MAX_TIMELINES],
        timelines_omitted=max(len(timelines) - MAX_TIMELINES, 0),
    )
