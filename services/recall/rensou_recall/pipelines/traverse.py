"""Traverse: find the starts, walk, then read what the answer says about the entities reached."""

from dataclasses import replace

from rensou_recall.pipelines.deps import Deps
from rensou_recall.stages.neighbourhood import assemble_neighbourhood
from rensou_recall.store.traverse import (
    find_starts,
    load_entity_names,
    load_mentions,
    load_relations_between,
    walk,
)
from rensou_recall.types.call import Call
from rensou_recall.types.traverse import Neighbourhood, TraverseRequest, Walk
from rensou_shared.db.pool import Connection
from rensou_shared.errors import EntityNotFound


async def traverse(deps: Deps, call: Call, request: TraverseRequest) -> Neighbourhood:
    """What is declared around an entity.

    Raises:
        EntityNotFound: No entity of that name, alias or ref is readable by this call.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    scope = request.scope
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        reached = await _walk(connection, request)
        entities = reached.entities
        names = await load_entity_names(connection, scope.agent_id, entities)
        mentions = await load_mentions(connection, scope, entities, request.limit)
        relations = await load_relations_between(connection, scope, entities)
    return assemble_neighbourhood(request, reached, names, mentions, relations)


async def _walk(connection: Connection, request: TraverseRequest) -> Walk:
    """The walk. When the starts alone are past the limit, it goes nowhere."""
    starts, found = await find_starts(connection, request)
    if not starts:
        raise EntityNotFound(request.asked)
    left_out = found - len(starts)
    hops = 0 if left_out else request.max_hops
    reached = await walk(connection, request.scope, starts, hops, request.limit)
    if left_out:
        return replace(reached, omitted=left_out, unfollowed=reached.unfollowed and request.max_hops == 0)
    return reached
