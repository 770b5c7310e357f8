"""Two agents in lanes of an approximate index, tended by the reconciler, in a database of the test's own."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from rensou_embedded.vector_indexes import make_vector_indexes
from rensou_nodeworker.pipelines.ann import AnnUpkeep
from rensou_nodeworker.pipelines.upkeep import Upkeep
from rensou_recall.store.candidates import load_candidates
from rensou_recall.types.retrieval import Candidates, VectorQuery
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.ids import AgentId, ModelId, RecordId
from rensou_shared.jobs.hints import NoHints
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms
from tests.conftest import DatabaseDsns
from tests.integration.corpus import register, unit

ANN, BOB = AgentId("ann"), AgentId("bob")
TIMEOUT_S = 60.0
DIMENSIONS = 8
ABOVE = 100
"""Records above which an agent enters a lane here."""

_INSERT = """
WITH r AS (
  INSERT INTO records (agent_id, kind, content, project_id)
  SELECT %(agent)s, 'mem', %(name)s || x.n, %(project)s FROM unnest(%(numbers)s::integer[]) AS x (n)
  RETURNING id, content
), t AS (
  INSERT INTO record_terms (agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words, trigrams)
  SELECT %(agent)s, r.id, 1, %(project)s, '', '', '{}', '{}/999999937', '{}/999999937' FROM r
), v AS (
  INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding)
  SELECT %(agent)s, r.id, %(model)s, %(project)s, '', '', x.vector::halfvec
  FROM r JOIN unnest(%(numbers)s::integer[], %(vectors)s::text[]) AS x (n, vector) ON r.content = %(name)s || x.n
)
SELECT r.id FROM r ORDER BY r.id
"""


def near(direction: Sequence[float], count: int, spread: float, seed: int) -> list[NDArray[np.float32]]:
    """`count` unit vectors around a direction."""
    rng = np.random.default_rng(seed)
    return [unit(np.asarray(direction) + rng.normal(scale=spread, size=DIMENSIONS)) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class AnnWorld:
    """One database with one model; the reconciler's passes by hand."""

    dsns: DatabaseDsns
    recall: Database
    worker: Database
    model_id: ModelId

    def run(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement, run by the superuser."""
        with psycopg.connect(self.dsns.admin, options="-c search_path=rensou,public", autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), parameters or None)
            return cursor.fetchall() if cursor.description else []

    def fill(
        self, agent: AgentId, vectors: Sequence[NDArray[np.float32]], project: str = "", name: str = "text "
    ) -> list[RecordId]:
        """Records of an agent with these vectors and no words."""
        params = {
            "agent": agent,
            "project": project,
            "name": name,
            "model": self.model_id,
            "numbers": list(range(len(vectors))),
            "vectors": ["[" + ",".join(str(float(x)) for x in vector) + "]" for vector in vectors],
        }
        with psycopg.connect(self.dsns.admin, options="-c search_path=rensou,public", autocommit=True) as connection:
            return [RecordId(row[0]) for row in connection.execute(_INSERT, params).fetchall()]

    def make_lanes(self, lanes: int = 2) -> list[str]:
        """What the operator's command does."""
        return make_vector_indexes(self.dsns.migrator, lanes)

    async def fold(self) -> None:
        """The reconciler's fold."""
        await Upkeep(self.worker, NoHints()).fold()

    async def tend(self, above: int = ABOVE) -> None:
        """The reconciler's fold and its pass over the lanes."""
        await self.fold()
        await AnnUpkeep(self.worker, above).tend()

    async def ask(
        self,
        agent: AgentId,
        vector: NDArray[np.float32],
        depth: int = 10,
        above: int = ABOVE,
        project: str | None = None,
    ) -> Candidates:
        """What the vector arm finds."""
        nearest = VectorQuery(vector, self.model_id, above)
        async with self.recall.transaction(agent, TIMEOUT_S) as connection:
            scope = ReadScope(agent, project_id=project)
            return await load_candidates(connection, scope, question_terms(agent, "unheard"), nearest, depth)

    async def both(self, agent: AgentId, vector: NDArray[np.float32], depth: int = 10) -> tuple[Candidates, Candidates]:
        """What the index finds, and the exact arm."""
        return await self.ask(agent, vector, depth), await self.ask(agent, vector, depth, above=1_000_000)

    def states(self) -> list[tuple[str, str]]:
        """Agents in lanes and their states."""
        return self.run("SELECT agent_id, state FROM ann_agents ORDER BY agent_id")

    def lanes(self, agent: AgentId) -> list[tuple[int | None, int]]:
        """How many of the agent's vectors are in each lane; None: in none."""
        return self.run(
            "SELECT ann_lane, count(*) FROM record_vectors WHERE agent_id = %s GROUP BY ann_lane ORDER BY ann_lane",
            agent,
        )


@asynccontextmanager
async def open_ann_world(dsns: DatabaseDsns) -> AsyncIterator[AnnWorld]:
    """An empty world without lanes, closed at the end."""
    recall, worker = Database(dsns.recall, PoolSize(1, 2)), Database(dsns.worker, PoolSize(1, 4))
    await recall.open(TIMEOUT_S)
    await worker.open(TIMEOUT_S)
    yield AnnWorld(dsns, recall, worker, register(dsns.admin, DIMENSIONS))
    await recall.close()
    await worker.close()
