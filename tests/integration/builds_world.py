"""Builds of several agents, as operators ask for them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from rensou_recall.pipelines.builds import list_agents_builds, retry_agents_builds
from rensou_recall.types.builds import BuildListing, BuildPage, BuildState, Reach, Retried, Retry
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.listing import PageRequest
from rensou_shared.db.pool import Database
from rensou_shared.ids import AgentId, BuildId
from rensou_shared.jobs.hints import BuildHint
from tests.conftest import DatabaseDsns

EVERYBODY = Reach(None)
WHOLE = PageRequest(100, "")

_BUILD = """
WITH r AS (
  INSERT INTO records (agent_id, kind, content) VALUES (%(agent)s, 'mem', %(content)s)
  RETURNING agent_id, id, content_sha256
)
INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version, state, crashes, errors, rebuild,
                         model_id, lease_token, lease_until, last_error, finished_at)
SELECT r.agent_id, r.id, r.content_sha256, 1, %(state)s, %(crashes)s, 1, %(rebuild)s, %(model)s,
       CASE WHEN %(state)s = 'running' THEN gen_random_uuid() END, CASE WHEN %(state)s = 'running' THEN now() END,
       'why', CASE WHEN %(state)s IN ('done', 'dead') THEN now() END
FROM r
RETURNING id
"""


class Heard:
    """A sender that remembers."""

    def __init__(self) -> None:
        self.hints: list[BuildHint] = []

    async def send(self, hint: BuildHint) -> bool:
        self.hints.append(hint)
        return True


@dataclass(frozen=True, slots=True)
class Builds:
    """The builds of one database; it stands where a pipeline asks for `Deps`."""

    dsns: DatabaseDsns
    database: Database
    hints: Heard = field(default_factory=Heard)
    page_key: bytes = b"k" * 32

    def run(self, statement: str, params: Any = None) -> list[tuple[Any, ...]]:
        """The rows of a statement, run by the superuser."""
        with psycopg.connect(self.dsns.admin, autocommit=True, options="-c search_path=rensou,public") as admin:
            cursor = admin.execute(statement.encode(), params)
            return cursor.fetchall() if cursor.description else []

    def build(
        self, agent: str, state: str = "dead", *, crashes: int = 0, rebuild: bool = False, model: int | None = None
    ) -> BuildId:
        """A record of the agent with one build."""
        ((number,),) = self.run("SELECT count(*) FROM records")
        values = {"state": state, "crashes": crashes, "rebuild": rebuild, "model": model}
        ((build,),) = self.run(_BUILD, {"agent": agent, "content": f"text {number}", **values})
        return BuildId(build)

    async def page(
        self,
        reach: Reach = EVERYBODY,
        state: BuildState | None = None,
        page: PageRequest = WHOLE,
        *,
        summary: bool = False,
    ) -> BuildPage:
        """A page."""
        deps: Any = self
        return await list_agents_builds(deps, _call(), BuildListing(reach, state, page, summary))

    async def ids(self, reach: Reach = EVERYBODY, state: BuildState | None = None, size: int = 2) -> list[BuildId]:
        """The numbers of all builds, read in pages of a size."""
        found: list[BuildId] = []
        token = ""
        while True:
            page = await self.page(reach, state, PageRequest(size, token))
            found += [one.id for one in page.builds]
            token = page.next_token
            if not token:
                return found

    async def retry(self, ids: Sequence[int] | None, reach: Reach = EVERYBODY, limit: int = 100) -> Retried:
        """What became of the builds."""
        deps: Any = self
        named = None if ids is None else tuple(BuildId(one) for one in ids)
        return await retry_agents_builds(deps, _call(), Retry(reach, named, limit))


def of(*agents: str) -> Reach:
    """The builds of some agents."""
    return Reach(tuple(AgentId(one) for one in sorted(agents)))


def _call() -> Call:
    return Call(Principal("ops", frozenset({"*"}), operator=True), asyncio.get_running_loop().time() + 20)
