"""A database, an embedding server that obeys the test, a recall service and, where asked, a worker: a test's own."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from aiohttp import web

from rensou_embedded.client import RensouClient
from tests.conftest import DatabaseDsns, fresh_database
from tests.e2e.harness import OwnRecall, eventually, own_recall, recall, rows, service, service_environ
from tests.unit.lying_embedding_server import Answer, LyingServer, Request, honest, lying_server, vector_of

Vectors = list[Any]

_FINDINGS = "SELECT state, errors, last_error FROM node_builds WHERE agent_id = %s ORDER BY id"
# Waiting for the back-off would only cost the test its time.
_HURRY = "UPDATE node_builds SET next_at = now() WHERE state = 'pending' AND next_at > now()"
_VECTORS = """
SELECT r.content, v.embedding::real[] FROM records r
LEFT JOIN record_vectors v ON v.agent_id = r.agent_id AND v.record_id = r.id
WHERE r.agent_id = %s ORDER BY r.id
"""


def lies(change: Callable[[list[str], Vectors], Any]) -> Answer:
    """Answers /embed with what `change` makes of the texts and their vectors, and anything else honestly."""

    async def answer(request: Request) -> web.StreamResponse:
        if request.route != "embed":
            return await honest(request)
        vectors: Vectors = [vector_of(text) for text in request.texts]
        body = json.dumps({"embeddings": change(request.texts, vectors), "dimensions": 4})
        return web.Response(text=body, content_type="application/json")

    return answer


@dataclass(frozen=True, slots=True)
class OwnWorld:
    """The parts; `client` is one of the recall service."""

    dsns: DatabaseDsns
    server: LyingServer
    recall: OwnRecall
    client: RensouClient
    tries: Iterator[int] = field(default_factory=count)

    async def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement, run by the superuser."""
        return await rows(self.dsns.admin, statement, *parameters)

    async def builds(self, agent: str) -> list[tuple[Any, ...]]:
        """state, errors and last_error of the agent's builds."""
        return await self.rows(_FINDINGS, agent)

    async def vectors(self, agent: str) -> list[tuple[str, list[float] | None]]:
        """The agent's texts with their vectors, None where there is none."""
        return [(content, vector) for content, vector in await self.rows(_VECTORS, agent)]

    async def becomes_honest(self) -> None:
        """Returns when the server tells the truth and the recall service knows it."""
        self.server.always = honest
        # A question that was asked before may be answered without the server.
        tries = self.tries

        async def trusted() -> bool:
            return not (await recall(self.client, "nobody", f"anything {next(tries)}")).HasField("degradation")

        await eventually(trusted, "the embedding server is not trusted again", 30)

    async def heals(self, agent: str) -> None:
        """Returns when each record of the agent has a vector."""

        async def healed() -> bool:
            await self.rows(_HURRY)
            return all(vector is not None for _, vector in await self.vectors(agent))

        await eventually(healed, "records are left without a vector", 45)


@asynccontextmanager
async def own_world(postgres: str, folder: Path, *, worker: bool = False, **settings: str) -> AsyncIterator[OwnWorld]:
    """The parts, running; `settings` are the recall service's."""
    async with AsyncExitStack() as parts:
        dsns = await parts.enter_async_context(fresh_database(postgres))
        server = await parts.enter_async_context(lying_server())
        addresses = {"database_url": dsns.recall, "embedding_url": server.url}
        one = await parts.enter_async_context(own_recall(folder, **(addresses | settings)))
        if worker:
            environ = service_environ(database_url=dsns.worker, embedding_url=server.url, lease_s="3")
            log_path = folder / f"worker-{one.address.rpartition(':')[2]}.log"
            await parts.enter_async_context(service(log_path, "rensou_nodeworker", environ=environ))
        client = await parts.enter_async_context(RensouClient(one.address))
        yield OwnWorld(dsns, server, one, client)
