"""Retiring, restoring and asking, on the pipelines around one database."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from rensou_recall.pipelines.lifecycle import forget, set_locked
from rensou_recall.pipelines.recall import RecallAnswer, RecallQuestion, recall
from rensou_recall.pipelines.retirement import restore
from rensou_recall.types.lifecycle import ForgetAnswer, ForgetMode, RestoreAnswer
from rensou_recall.types.reach import Reach
from rensou_recall.types.retrieval import Fusion, GateLevel
from rensou_recall.types.standing import Resolution
from rensou_shared.ids import AgentId, RecordRef, parse_record_ref
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration.rensou_world import ANN, EVERYTHING, Rensou


def ref_of(text: str) -> RecordRef:
    """The ref that `text` says."""
    ref = parse_record_ref(text)
    assert ref is not None
    return ref


@dataclass(frozen=True, slots=True)
class RetirementWorld:
    """What retires, restores and asks for an agent."""

    rensou: Rensou
    dsns: DatabaseDsns

    async def retire(self, *refs: str, reason: str = "", agent: AgentId = ANN) -> list[ForgetAnswer]:
        asked = [ref_of(ref) for ref in refs]
        return await forget(self.rensou.deps, self.rensou.call(), agent, asked, ForgetMode.RETIRE, reason)

    async def forget(self, *refs: str) -> list[ForgetAnswer]:
        asked = [ref_of(ref) for ref in refs]
        return await forget(self.rensou.deps, self.rensou.call(), ANN, asked, ForgetMode.HARD)

    async def restore(self, *refs: str, agent: AgentId = ANN) -> list[RestoreAnswer]:
        return await restore(self.rensou.deps, self.rensou.call(), agent, [ref_of(ref) for ref in refs])

    async def lock(self, ref: str, locked: bool = True) -> None:
        await set_locked(self.rensou.deps, self.rensou.call(), ANN, ref_of(ref), locked)

    async def answer(
        self,
        text: str,
        *,
        reach: Reach = Reach.NEAR,
        limit: int = 10,
        gate: GateLevel = GateLevel.OFF,
        exclude: Sequence[str] = (),
        scope: ReadScope = EVERYTHING,
        resolution: Resolution = Resolution.ANY,
    ) -> RecallAnswer:
        left_out = frozenset(ref_of(ref) for ref in exclude)
        question = RecallQuestion(
            text, limit, 100, Fusion.CONVEX, (), left_out, gate=gate, reach=reach, resolution=resolution
        )
        return await recall(self.rensou.deps, self.rensou.call(), scope, question)

    async def found(self, text: str, *, reach: Reach = Reach.NEAR, limit: int = 10) -> list[str]:
        """The refs of the hits, best first, whatever the gate."""
        return [str(hit.record.ref) for hit in (await self.answer(text, reach=reach, limit=limit)).hits]

    async def run(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement, run by the superuser."""
        connection = await psycopg.AsyncConnection.connect(
            self.dsns.admin, options="-c search_path=rensou,public", autocommit=True
        )
        async with connection:
            cursor = await connection.execute(statement.encode(), parameters or None)
            return await cursor.fetchall() if cursor.description else []

    async def relate(self, subject: str, predicate: str, object_: str) -> None:
        """A relation between two records, as its declaration leaves it."""
        ends = [int(ref.partition(":")[2]) for ref in (subject, object_)]
        await self.run(
            """INSERT INTO relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,
                                      object_record, declared_by)
               VALUES ('ann', '', '', %s, %s, %s, %s, 'agent')""",
            ends[0],
            predicate,
            predicate,
            ends[1],
        )

    async def rows_of(self, ref: str) -> dict[str, int]:
        """How many rows of each of the tables that retiring moves between name the record."""
        number = int(ref.partition(":")[2])
        counts: dict[str, int] = {}
        for table in ("record_vectors", "record_terms", "retired_vectors", "retired_terms"):
            ((counts[table],),) = await self.run(f"SELECT count(*) FROM {table} WHERE record_id = %s", number)
        return counts


LIVE = {"record_vectors": 1, "record_terms": 1, "retired_vectors": 0, "retired_terms": 0}
ASIDE = {"record_vectors": 0, "record_terms": 0, "retired_vectors": 1, "retired_terms": 1}
