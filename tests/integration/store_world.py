"""The recall service's pipelines and workers on one database and one embedding server that obeys the test."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from rensou_recall.pipelines.active_model import ActiveModel
from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.pipelines.contents import get_contents
from rensou_recall.pipelines.deps import Deps, Limits
from rensou_recall.pipelines.embedder import Embedder
from rensou_recall.pipelines.health import check_health
from rensou_recall.pipelines.lifecycle import revise
from rensou_recall.pipelines.store import store, store_batch
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.contents import Selector
from rensou_recall.types.lifecycle import Revised, Revision
from rensou_recall.types.records import NewRecord
from rensou_recall.types.storing import StoreItem, StoreResult
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.cembedding import CEmbedding
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.guard import GuardedEmbedding
from rensou_shared.embedding.health import EmbeddingHealth
from rensou_shared.embedding.retry import Backoff
from rensou_shared.ids import AgentId, RecordRef
from rensou_shared.jobs.caps import QueueCaps
from rensou_shared.jobs.hints import NoHints
from rensou_shared.scope import ReadScope, WriteScope
from tests.integration.nodeworker_world import World

CONNECTIONS = 4


@dataclass(frozen=True, slots=True)
class StoreWorld:
    """What stores and reads records of `world`."""

    world: World
    deps: Deps

    def _call(self) -> Call:
        principal = Principal("test", frozenset({"*"}), operator=False)
        return Call(principal, asyncio.get_running_loop().time() + 30)

    async def store(self, content: str, agent: str = "ann") -> StoreResult:
        return await store(self.deps, self._call(), _item(agent, content))

    async def batch(self, contents: Sequence[str], agent: str = "ann") -> list[StoreResult]:
        answers = await store_batch(self.deps, self._call(), [_item(agent, content) for content in contents])
        assert all(isinstance(one, StoreResult) for one in answers), answers
        return [one for one in answers if isinstance(one, StoreResult)]

    async def revise(self, ref: RecordRef, content: str, agent: str = "ann") -> Revised:
        return await revise(self.deps, self._call(), AgentId(agent), Revision(ref, content, 0))

    async def missing(self, check: str, agent: str = "ann") -> int:
        """How many records CheckHealth finds under the name of a check."""
        answer = await check_health(self.deps, self._call(), AgentId(agent), repair=False)
        return sum(one.count for one in answer.findings if one.check == check)

    async def node_count(self, ref: RecordRef, agent: str = "ann") -> int:
        """How many nodes GetContents tells of."""
        contents = await get_contents(self.deps, self._call(), ReadScope(AgentId(agent)), [Selector(ref, None)])
        (item,) = contents.items
        return item.node_count

    async def waiting(self, agent: str = "ann") -> int:
        """How many builds of the agent wait."""
        ((count,),) = await self.world.run(
            "SELECT count(*) FROM node_builds WHERE agent_id = %s AND state = 'pending'", agent
        )
        return count


def _item(agent: str, content: str) -> StoreItem:
    return StoreItem(WriteScope(AgentId(agent), "", ""), NewRecord("mem", content), None)


@asynccontextmanager
async def open_store(world: World, caps: QueueCaps) -> AsyncIterator[StoreWorld]:
    """A recall process on the world's database with these caps."""
    database = Database(world.dsns.recall, PoolSize(1, CONNECTIONS))
    await database.open(20)
    try:
        async with CEmbedding(CEmbeddingConfig(world.server.url), backoff=Backoff(attempts=1)) as client:
            health = EmbeddingHealth(lambda: datetime.now(UTC))
            guard = GuardedEmbedding(client, health, CircuitBreaker(time.monotonic, cool_down_s=0.1))
            active = ActiveModel([guard], database, 5.0)
            parts = Embedder(active, 5.0), Calibrator(active, database), NoHints(), Limits(queue=caps)
            yield StoreWorld(world, Deps(database, *parts, "test", "test"))
    finally:
        await database.close()
