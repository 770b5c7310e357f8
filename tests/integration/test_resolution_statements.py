"""Which statements a Recall sends: by default those it always sent, whatever is declared and asserted."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from rensou_recall.pipelines.recall import RecallQuestion, recall
from rensou_recall.types.retrieval import Fusion
from rensou_recall.types.standing import Resolution
from tests.integration import rensou_world
from tests.integration.rensou_world import EVERYTHING, Rensou

rensou = rensou_world.rensou


class Recorded:
    """A connection that notes which statement it is given, by its first line."""

    def __init__(self, connection: Any, sent: list[str]) -> None:
        self._connection = connection
        self._sent = sent

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def execute(self, query: bytes, *arguments: Any, **options: Any) -> Any:
        self._sent.append(bytes(query).partition(b"\n")[0].decode())
        return await self._connection.execute(query, *arguments, **options)


class RecordingDatabase:
    """A database whose transactions note their statements."""

    def __init__(self, database: Any) -> None:
        self._database = database
        self.sent: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    @asynccontextmanager
    async def transaction(self, *arguments: Any) -> AsyncIterator[Recorded]:
        async with self._database.transaction(*arguments) as connection:
            yield Recorded(connection, self.sent)


async def sent(rensou: Rensou, **options: Any) -> list[str]:
    """The first lines of the statements of one Recall, with a calibration that stands already."""
    question = RecallQuestion("who moved the stone", 10, 1_000, Fusion.CONVEX, (), **options)
    await recall(rensou.deps, rensou.call(), EVERYTHING, question)
    database: Any = RecordingDatabase(rensou.deps.database)
    await recall(replace(rensou.deps, database=database), rensou.call(), EVERYTHING, question)
    return database.sent


async def test_by_default_a_recall_sends_what_it_sent_before_whatever_is_declared(rensou: Rensou) -> None:
    refs = [await rensou.store(f"stone {number} was moved by {number % 7} people") for number in range(40)]
    plain = await sent(rensou)
    assert plain and not any("elation" in line for line in plain)
    declared = [(refs[2 * n], "corrects", refs[2 * n + 1]) for n in range(10)]
    await rensou.store("all of it is settled", relations=declared)
    assert await sent(rensou) == plain
    assert await sent(rensou, resolution=Resolution.ANY) == plain
    marked = await sent(rensou, resolution=Resolution.ANNOTATE)
    assert marked[: len(plain)] == plain and len(marked) > len(plain)
    assert all("Relations of some predicates" in line for line in marked[len(plain) :])
