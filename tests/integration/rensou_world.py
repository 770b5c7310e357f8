"""The recall service's pipelines on a database of the test's own, with an embedding server that knows words."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from rensou_recall.pipelines.active_model import ActiveModel
from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.pipelines.deps import Deps, Limits
from rensou_recall.pipelines.embedder import Embedder
from rensou_recall.pipelines.reconstruct import reconstruct
from rensou_recall.pipelines.store import store
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.evidence import (
    BoundSource,
    EvidenceBounds,
    Reconstruction,
    ReconstructQuestion,
)
from rensou_recall.types.graph import Associations, EntityDeclaration, RelationDeclaration
from rensou_recall.types.records import NewRecord, Source
from rensou_recall.types.retrieval import Fusion, GateLevel
from rensou_recall.types.storing import StoreItem
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.guard import GuardedEmbedding
from rensou_shared.embedding.health import EmbeddingHealth
from rensou_shared.ids import AgentId
from rensou_shared.jobs.hints import NoHints
from rensou_shared.scope import ReadScope, WriteScope
from tests.conftest import DatabaseDsns
from tests.integration.word_embedding import WordEmbedding

ANN = AgentId("ann")
EVERYTHING = ReadScope(ANN)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOUNDS = EvidenceBounds(10, 20, 2, 40, 4_000)


class Rensou:
    """The recall service's pipelines around one database."""

    def __init__(self, deps: Deps, server: WordEmbedding) -> None:
        self.deps = deps
        self.server = server

    def call(self) -> Call:
        principal = Principal("test", frozenset({"*"}), operator=False)
        return Call(principal, asyncio.get_running_loop().time() + 30)

    async def store(
        self,
        content: str,
        *,
        minute: float | None = None,
        ends: float | None = None,
        source: str = "",
        project: str = "",
        agent: AgentId = ANN,
        entities: Sequence[str] = (),
        relations: Sequence[tuple[str, str, str]] = (),
    ) -> str:
        moment = None if minute is None else NOON + timedelta(minutes=minute)
        ended = None if ends is None else NOON + timedelta(minutes=ends)
        kind = "mem" if ended is None else "ep"
        record = NewRecord(kind, content, source=Source("User", source), occurred_at=moment, ended_at=ended)
        declared = Associations(
            tuple(EntityDeclaration(name, aliases=tuple(rest)) for name, *rest in (e.split("|") for e in entities)),
            tuple(RelationDeclaration(*relation) for relation in relations),
        )
        item = StoreItem(WriteScope(agent, project, ""), record, declared)
        result = await store(self.deps, self.call(), item)
        assert result.report is not None and not result.report.dropped
        return str(result.ref)

    async def ask(
        self,
        text: str,
        bounds: EvidenceBounds = BOUNDS,
        scope: ReadScope = EVERYTHING,
        gate: GateLevel = GateLevel.BALANCED,
        budget_source: BoundSource = BoundSource.DEFAULT,
    ) -> Reconstruction:
        question = ReconstructQuestion(text, Fusion.CONVEX, bounds, gate=gate, budget_source=budget_source)
        return await reconstruct(self.deps, self.call(), scope, question)


def deps_on(database: Database, server: WordEmbedding) -> Deps:
    """What a process has that has just started."""
    guard = GuardedEmbedding(server, EmbeddingHealth(lambda: datetime.now(UTC)), CircuitBreaker(time.monotonic))
    active = ActiveModel([guard], database, 5.0)
    return Deps(database, Embedder(active, 5.0), Calibrator(active, database), NoHints(), Limits(), "test", "test")


@pytest.fixture
async def rensou(database_dsns: DatabaseDsns) -> AsyncIterator[Rensou]:
    """The pipelines on a database of the test's own."""
    server = WordEmbedding()
    database = Database(database_dsns.recall, PoolSize(1, 2))
    await database.open(10)
    yield Rensou(deps_on(database, server), server)
    await database.close()
