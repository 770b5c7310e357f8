"""A connection of the recall service has its statements and plans before it is given to a call."""

from rensou_recall.store.warming import warm_recall
from rensou_recall.types.retrieval import GateLevel
from rensou_shared.db.pool import Connection, Database, PoolSize
from rensou_shared.ids import AgentId
from tests.conftest import DatabaseDsns
from tests.integration import test_reconstruct_pipeline
from tests.integration.test_recall_pipeline import ask, fill
from tests.integration.test_reconstruct_pipeline import Rensou, deps_on

rensou = test_reconstruct_pipeline.rensou

AGENT = AgentId("ann")
TIMEOUT_S = 10.0


async def prepared(connection: Connection) -> list[tuple[str, int]]:
    """The statements that the server holds for the connection, with how often each was run."""
    cursor = await connection.execute(
        b"SELECT p.statement, p.generic_plans + p.custom_plans FROM pg_prepared_statements p ORDER BY p.statement"
    )
    return [(str(statement), int(runs)) for statement, runs in await cursor.fetchall()]


async def test_recalls_run_the_statements_that_their_connection_was_warmed_with_and_no_others(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    await fill(rensou)
    database = Database(database_dsns.recall, PoolSize(1, 1), warm_recall)
    await database.open(TIMEOUT_S)
    try:
        async with database.transaction(AGENT, TIMEOUT_S) as connection:
            before = await prepared(connection)
            often = (connection.prepare_threshold or 0) + 2
        warmed = Rensou(deps_on(database, rensou.server), rensou.server)
        for number in range(often):
            # The gate's sample is another one, and is measured anew.
            await rensou.store(f"Nothing said before, at {number}.")
            assert (await ask(warmed, 10, gate=GateLevel.BALANCED)).hits
        async with database.transaction(AGENT, TIMEOUT_S) as connection:
            after = await prepared(connection)
    finally:
        await database.close()
    # A statement that was run so often and had not been prepared before is prepared now.
    assert after == [(statement, runs + often) for statement, runs in before]
    for name in ("recall_candidates_v1(", "content_sha256, r.id", "x.embedding", "gate_words_v1("):
        assert any(name in statement for statement, _ in before), name


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
