"""What a recall is measured against: its statements run directly, and a gRPC call that does nothing."""

import asyncio
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import grpc.aio
import psycopg
from pgvector.psycopg import register_vector_async

from echo_server import METHOD, echo_request
from recorded_recall import RecallRecorder
from recorded_statements import Statement, replay
from rensou_recall.pipelines.recall import MAX_LIMIT
from rensou_recall.stages.calibrate import SAMPLE
from rensou_recall.stages.priors import context_weights
from rensou_recall.store.candidates import candidate_params
from rensou_recall.types.retrieval import ALL_STEPS, VectorQuery
from rensou_shared.ids import AgentId, ModelId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms
from topics import Vectors


class Asked(NamedTuple):
    """One recall as PostgreSQL sees it: the agent, the parameters of the candidates, and all that is sent."""

    agent_id: AgentId
    candidates: dict[str, object]
    statements: list[Statement]


async def prepare(recorder: RecallRecorder, agent_id: str, question: str, vector: Vectors, model_id: int) -> Asked:
    """What the service sends to answer `question`."""
    scope = ReadScope(AgentId(agent_id))
    terms = question_terms(agent_id, question)
    weights = context_weights(ALL_STEPS)
    found = candidate_params(scope, terms, VectorQuery(vector, ModelId(model_id)), MAX_LIMIT, weights, SAMPLE)
    return Asked(scope.agent_id, found, await recorder.record(agent_id, question))


class DirectStatements:
    """The statements of a recall on connections of their own, one a caller, as many as are asked for."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._connections: list[psycopg.AsyncConnection[Any]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for connection in self._connections:
            await connection.close()

    async def open(self, callers: int) -> None:
        """Makes connections until there are `callers`."""
        while len(self._connections) < callers:
            connection = await psycopg.AsyncConnection.connect(self._dsn, autocommit=True)
            await register_vector_async(connection)
            self._connections.append(connection)

    async def run(self, asked: Asked, caller: int = 0) -> None:
        """BEGIN with its settings, the statements, COMMIT; every row is read."""
        await replay(self._connections[caller], asked.agent_id, asked.statements)


class Echo:
    """A gRPC server of another process that answers with bytes, and the channel to it."""

    def __init__(self, request_bytes: int, answer_bytes: int) -> None:
        self._request = echo_request(request_bytes, answer_bytes)
        self._process: asyncio.subprocess.Process | None = None
        self._channel: grpc.aio.Channel | None = None
        self._call: Any = None

    async def __aenter__(self) -> Self:
        pipe = asyncio.subprocess.PIPE
        script = Path(__file__).parent / "echo_server.py"
        process = await asyncio.create_subprocess_exec(sys.executable, script, stdin=pipe, stdout=pipe)
        self._process = process
        port = int(await process.stdout.readline()) if process.stdout else 0
        self._channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        self._call = self._channel.unary_unary(METHOD)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._channel is not None:
            await self._channel.close()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            await self._process.wait()

    async def call(self) -> None:
        """One call."""
        await self._call(self._request)
