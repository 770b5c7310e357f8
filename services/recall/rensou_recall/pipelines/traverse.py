"""Traverse: find the starts and walk, then read what the answer says about the entities reached."""

from dataclasses import replace

from rensou_recall.pipelines.deps import Deps
from rensou_recall.stages.neighbourhood import assemble_neighbourhood
from rensou_recall.store.known_at import reading
from rensou_recall.store.traverse import load_details, load_outside_walk, walk
from rensou_recall.types.call import Call
from rensou_recall.types.traverse import Neighbourhood, TraverseRequest
from rensou_shared.errors import EntityNotFound


async def traverse(deps: Deps, call: Call, request: TraverseRequest) -> Neighbourhood:
    """What is declared around an entity.

    Raises:
        EntityNotFound: No entity of that name, alias or ref is readable by this call.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    scope, limit = request.scope, request.limit
    start = request.start if isinstance(request.start, str) else [request.start]
    async with reading(deps.database, scope, call.remaining_s()) as connection:
        reached = await walk(connection, scope, start, request.max_hops, limit, request.valid_at)
        if not reached.levels:
            raise EntityNotFound(request.asked)
        details = await load_details(connection, scope, reached.entities, limit, request.valid_at)
        left_out = await load_outside_walk(connection, reached, request)
    return replace(assemble_neighbourhood(request, reached, details), left_out=left_out)
