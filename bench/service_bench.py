"""The service under measurement: a fresh stack whose tables were loaded by COPY, and the calls made of it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bulk import load_records, settle
from instant_embedding import InstantEmbedding
from lanes import Lanes
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.embed_probe import EmbeddingProbe
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions
from rensou_shared.domain import ANN_ABOVE_ROWS
from topics import make_question, make_record

TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Bench:
    """A running stack, its client, and what asks its embedding server directly."""

    stack: EmbeddedStack
    client: RensouClient
    probe: EmbeddingProbe

    async def load(self, agents: Sequence[str], rows: int) -> None:
        """Loads `rows` records for each agent and settles what is derived of them."""
        # The first call makes the service register the embedding model.
        await self.ask(agents[0], make_question(0, seed=1))
        lanes = None
        if rows > ANN_ABOVE_ROWS:
            lanes = Lanes(self.stack.admin_dsn, self.stack.migrator_dsn, agents, self.model_id)
            lanes.drop()
        load_records(self.stack.admin_dsn, agents, rows, self.model_id, lanes)
        await settle(self.stack.admin_dsn, self.stack.worker_dsn, lanes)

    @property
    def model_id(self) -> int:
        """The active embedding model, once a call has made the service register it."""
        with psycopg.connect(self.stack.admin_dsn) as connection:
            found = connection.execute(b"SELECT m.id FROM rensou.embedding_models m WHERE m.state = 'active'")
            (model_id,) = found.fetchone() or (0,)
        return int(model_id)

    async def ask(self, agent_id: str, question: str) -> rpc.RecallResponse:
        """One Recall by its defaults."""
        request = recall_request(agent_id, question)
        return await self.client.recall.Recall(request, timeout=TIMEOUT_S)

    async def reconstruct(self, agent_id: str, question: str) -> rpc.ReconstructResponse:
        """One Reconstruct by its defaults."""
        request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent_id), query=question)
        return await self.client.recall.Reconstruct(request, timeout=TIMEOUT_S)

    def storing(self, agent_id: str, count: int, seed: int) -> list[Callable[[], Awaitable[object]]]:
        """Calls that store one new record each."""
        made = [make_record(number, seed) for number in range(count)]
        requests = [
            rpc.StoreRequest(
                scope=pb.WriteScope(agent_id=agent_id),
                memory=rpc.MemoryContent(content=one.content),
                session_id=one.session_id,
            )
            for one in made
        ]
        return [lambda request=request: self.client.recall.Store(request, timeout=TIMEOUT_S) for request in requests]


def recall_request(agent_id: str, question: str) -> rpc.RecallRequest:
    """A Recall that leaves everything to the defaults."""
    return rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent_id), query=question)


@asynccontextmanager
async def running_bench(data_dir: Path, environ: dict[str, str]) -> AsyncGenerator[Bench]:
    """A fresh stack in `data_dir`, with an embedding server that takes no time.

    Raises:
        StackError: It does not start.
    """
    async with InstantEmbedding() as embedding:
        options = StackOptions(data_dir, clean_environ(environ), grpc_port=0, embedding_url=embedding.url)
        stack = EmbeddedStack(options, Console(quiet=True))
        await stack.start()
        try:
            async with RensouClient(stack.grpc_address) as client, EmbeddingProbe(embedding.url, "") as probe:
                yield Bench(stack, client, probe)
        finally:
            await stack.stop()
