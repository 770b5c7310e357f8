"""The builds of the deployment, for operators: a page of them, and asking for dead ones again."""

import json

from rensou_recall.pipelines.deps import Deps
from rensou_recall.stages.page_token import open_position, seal_position
from rensou_recall.store.builds import list_builds, retry_builds, summarize_builds
from rensou_recall.types.builds import (
    BuildListing,
    BuildPage,
    BuildSummary,
    Retried,
    RetriedBuild,
    Retry,
    RetryOutcome,
)
from rensou_recall.types.call import Call
from rensou_recall.types.listing import PageBinding
from rensou_shared.db.pool import Connection
from rensou_shared.ids import AgentId
from rensou_shared.jobs.hints import BuildHint
from rensou_shared.scope import ReadScope
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

# A worker that is awake takes what is due without further hints.
_HINTS = 50


async def list_agents_builds(deps: Deps, call: Call, listing: BuildListing) -> BuildPage:
    """A page of builds, by agent and number.

    Raises:
        InvalidPageToken: The token is none of this listing.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    page, binding = listing.page, _binding(listing)
    after = open_position(deps.page_key, binding, page.token)
    async with deps.database.transaction(None, call.remaining_s()) as connection:
        builds = await list_builds(connection, listing, after, page.size + 1)
        summary = await summarize_builds(connection, listing.reach) if listing.with_summary else None
    shown = tuple(builds[: page.size])
    token = ""
    if len(builds) > page.size:
        token = seal_position(deps.page_key, binding, (shown[-1].agent_id, shown[-1].id))
    return BuildPage(shown, token, page.lowered, summary)


def _binding(listing: BuildListing) -> PageBinding:
    """A token is good for the same agents alone: those that were named, or the credential's."""
    agents = "*" if listing.reach.agents is None else json.dumps(listing.reach.agents)
    state = "" if listing.state is None else listing.state.value
    return PageBinding("ListBuilds", ReadScope(AgentId("")), (agents, state))


async def retry_agents_builds(deps: Deps, call: Call, retry: Retry) -> Retried:
    """Asks for dead builds again and wakes workers for them.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: Nothing was asked for.
    """

    async def work(connection: Connection) -> tuple[list[RetriedBuild], BuildSummary]:
        return await retry_builds(connection, retry), await summarize_builds(connection, retry.reach)

    met, summary = await deps.database.write(None, call.remaining_s(), work)
    queued = [one for one in met if one.outcome is RetryOutcome.QUEUED]
    await _hint(deps, queued)
    _log.info("builds_retried", by=call.principal.name, queued=len(queued), dead=summary.dead)
    return Retried(_answers(retry, met), summary.dead, retry.lowered)


async def _hint(deps: Deps, queued: list[RetriedBuild]) -> None:
    for one in [one for one in queued if not one.rebuild][:_HINTS]:
        if one.agent_id is None or not await deps.hints.send(BuildHint(one.agent_id, one.id, 0)):
            return


def _answers(retry: Retry, met: list[RetriedBuild]) -> tuple[RetriedBuild, ...]:
    """One answer for each build that was named, in that order; else those that were met."""
    if retry.ids is None:
        return tuple(met)
    found = {one.id: one for one in met}
    return tuple(found.get(one) or RetriedBuild(one, RetryOutcome.NOT_FOUND) for one in retry.ids)
