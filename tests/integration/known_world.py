"""The pipelines with a hand on the past: what a call knew, by the database's clock and by no other."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, LiteralString

import psycopg
import pytest

from rensou_recall.pipelines.history import get_history
from rensou_recall.pipelines.lifecycle import forget, revise
from rensou_recall.pipelines.recall import RecallAnswer, RecallQuestion, recall
from rensou_recall.pipelines.traverse import traverse
from rensou_recall.types.history import History, HistoryQuestion
from rensou_recall.types.lifecycle import ForgetMode, Revision
from rensou_recall.types.listing import PageRequest
from rensou_recall.types.retrieval import Fusion, GateLevel
from rensou_recall.types.traverse import Neighbourhood, TraverseRequest
from rensou_shared.ids import RecordRef, RelationId, parse_record_ref
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration.rensou_world import ANN, EVERYTHING, Rensou

__all__ = ["Known", "at", "known"]


def at(moment: datetime | None, scope: ReadScope = EVERYTHING) -> ReadScope:
    """The scope as it was known at `moment`."""
    return replace(scope, known_at=moment)


class Known:
    """The service's pipelines, and the superuser, whom no policy binds."""

    def __init__(self, rensou: Rensou, admin: psycopg.Connection) -> None:
        self.rensou = rensou
        self.admin = admin

    def run(self, statement: LiteralString, **params: Any) -> list[tuple[Any, ...]]:
        cursor = self.admin.execute(statement, params)
        return cursor.fetchall() if cursor.description else []

    def now(self) -> datetime:
        """The database's clock."""
        return self.run("SELECT clock_timestamp()")[0][0]

    async def revise(self, ref: str, text: str) -> None:
        await revise(self.rensou.deps, self.rensou.call(), ANN, Revision(_ref(ref), text, 0))

    async def forget(self, ref: str) -> None:
        await forget(self.rensou.deps, self.rensou.call(), ANN, [_ref(ref)], ForgetMode.HARD)

    async def recall(self, text: str, moment: datetime | None = None, **asked: Any) -> RecallAnswer:
        settings: dict[str, Any] = {"gate": GateLevel.OFF} | asked
        question = RecallQuestion(text, 10, 1_000, Fusion.CONVEX, (), **settings)
        return await recall(self.rensou.deps, self.rensou.call(), at(moment), question)

    async def said(self, text: str, moment: datetime | None = None, **asked: Any) -> list[str]:
        """The quotes of the hits that say a word of the question, best first."""
        words = set(text.lower().split())
        answer = await self.recall(text, moment, **asked)
        return [hit.quote.content for hit in answer.hits if words & set(hit.quote.content.lower().split())]

    async def traverse(self, name: str, moment: datetime | None = None, hops: int = 1) -> Neighbourhood:
        request = TraverseRequest(at(moment), name, name, hops, 20)
        return await traverse(self.rensou.deps, self.rensou.call(), request)

    async def history(
        self, target: str | RelationId, size: int = 100, token: str = "", scope: ReadScope = EVERYTHING
    ) -> History:
        asked = _ref(target) if isinstance(target, str) else target
        question = HistoryQuestion(scope, asked, PageRequest(size, token), True)
        return await get_history(self.rensou.deps, self.rensou.call(), question)


def _ref(text: str) -> RecordRef:
    ref = parse_record_ref(text)
    assert ref is not None
    return ref


def ids(refs: Sequence[str]) -> list[int]:
    """The numbers of record refs."""
    return [_ref(ref).id for ref in refs]


@pytest.fixture
async def known(rensou: Rensou, database_dsns: DatabaseDsns) -> AsyncIterator[Known]:
    """The pipelines on a database of the test's own."""
    with psycopg.connect(database_dsns.admin, autocommit=True, options="-c search_path=rensou,public") as admin:
        yield Known(rensou, admin)
