"""The statements of a Recall as the service sends them, recorded by its own pipeline on a connection of the bench."""

import asyncio
import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import psycopg
from pgvector.psycopg import register_vector_async

from recorded_statements import RecordingDatabase, Statement
from rensou_recall.convert.retrieval import DEFAULT_LIMIT, DEFAULT_QUOTE_CHARS
from rensou_recall.pipelines.active_model import ActiveModel
from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.pipelines.deps import Deps, Limits
from rensou_recall.pipelines.embedder import Embedder
from rensou_recall.pipelines.recall import RecallQuestion, recall
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.retrieval import Fusion
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.cembedding import CEmbedding
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.guard import GuardedEmbedding
from rensou_shared.embedding.health import EmbeddingHealth
from rensou_shared.ids import AgentId
from rensou_shared.jobs.hints import NoHints
from rensou_shared.scope import ReadScope

_TIMEOUT_S = 120.0


class RecallRecorder:
    """Makes recalls by their defaults in this process, and tells what each sent to PostgreSQL."""

    def __init__(self, recall_dsn: str, embedding_url: str) -> None:
        self._dsn = recall_dsn
        self._url = embedding_url
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._database = Database(self._dsn, PoolSize(1, 2))
        await self._database.open(_TIMEOUT_S)
        self._open.push_async_callback(self._database.close)
        client = await self._open.enter_async_context(CEmbedding(CEmbeddingConfig(self._url)))
        guarded = GuardedEmbedding(client, EmbeddingHealth(lambda: datetime.now(UTC)), CircuitBreaker(time.monotonic))
        self._active = ActiveModel([guarded], self._database, _TIMEOUT_S)
        connect = psycopg.AsyncConnection.connect(self._dsn, autocommit=True)
        self._connection: psycopg.AsyncConnection[Any] = await self._open.enter_async_context(await connect)
        await register_vector_async(self._connection)
        self._embedder = Embedder(self._active, _TIMEOUT_S)
        self._calibrator = Calibrator(self._active, self._database)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._open.aclose()

    async def record(self, agent_id: str, question: str) -> list[Statement]:
        """What the second recall of the question sends: the first one learns what is then kept."""
        await self._recall(agent_id, question)
        return await self._recall(agent_id, question)

    async def _recall(self, agent_id: str, question: str) -> list[Statement]:
        recording: Any = RecordingDatabase(self._connection)
        deps = Deps(recording, self._embedder, self._calibrator, NoHints(), Limits(), "", "")
        principal = Principal("bench", frozenset({agent_id}), operator=False)
        call = Call(principal, asyncio.get_running_loop().time() + _TIMEOUT_S)
        asked = RecallQuestion(question, DEFAULT_LIMIT, DEFAULT_QUOTE_CHARS, Fusion.CONVEX, ())
        await recall(deps, call, ReadScope(AgentId(agent_id)), asked)
        return recording.statements
