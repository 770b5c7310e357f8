"""A connection of the recall service has its statements and plans before it is given to a call."""

import numpy as np

from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.records import load_records
from rensou_recall.store.warming import warm_recall
from rensou_recall.types.retrieval import VectorQuery
from rensou_shared.db.pool import Connection, Database, PoolSize
from rensou_shared.ids import AgentId, ModelId, RecordId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms
from tests.conftest import DatabaseDsns

AGENT = AgentId("ann")
TIMEOUT_S = 10.0


async def prepared(connection: Connection) -> list[tuple[str, int]]:
    """The statements that the server holds for the connection, with how often each was run."""
    cursor = await connection.execute(
        b"SELECT p.statement, p.generic_plans + p.custom_plans FROM pg_prepared_statements p ORDER BY p.statement"
    )
    return [(str(statement), int(runs)) for statement, runs in await cursor.fetchall()]


async def recall(connection: Connection, words: str, ids: list[RecordId]) -> None:
    nearest = VectorQuery(np.full(384, 384**-0.5, np.float32), ModelId(1))
    scope = ReadScope(AGENT, "project", "channel", "source")
    await load_candidates(connection, scope, question_terms(AGENT, words), nearest, 100, (1.0, 0.3, 0.7))
    await load_records(connection, scope, ids)


async def test_a_recall_runs_the_statements_that_its_connection_was_warmed_with(database_dsns: DatabaseDsns) -> None:
    database = Database(database_dsns.recall, PoolSize(1, 1), warm_recall)
    await database.open(TIMEOUT_S)
    try:
        async with database.transaction(AGENT, TIMEOUT_S) as connection:
            before = await prepared(connection)
            await recall(connection, "a kettle behind the boat", [RecordId(1), RecordId(2**40)])
            await recall(connection, "", [])
            after = await prepared(connection)
    finally:
        await database.close()
    assert len(before) == 2
    assert after == [(statement, runs + 2) for statement, runs in before]


async def test_warming_leaves_the_connection_idle_and_of_no_agent(database_dsns: DatabaseDsns) -> None:
    database = Database(database_dsns.recall, PoolSize(1, 1), warm_recall)
    await database.open(TIMEOUT_S)
    try:
        async with database.transaction(None, TIMEOUT_S) as connection:
            cursor = await connection.execute(
                b"SELECT current_setting('rensou.agent_id', true), current_setting('TimeZone')"
            )
            assert await cursor.fetchone() == ("", "UTC")
    finally:
        await database.close()
