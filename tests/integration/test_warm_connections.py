"""A connection of the recall service has its statements and plans before it is given to a call."""

import psycopg
from psycopg import sql

from rensou_recall.stages.priors import CONTEXT
from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.warming import warm_recall
from rensou_recall.types.retrieval import GateLevel
from rensou_shared.db.pool import Connection, Database, PoolSize
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import index_terms, question_terms
from rensou_shared.text.lexemes import TERMS_VERSION
from tests.conftest import DatabaseDsns
from tests.integration import rensou_world
from tests.integration.rensou_world import Rensou, deps_on
from tests.integration.test_recall_pipeline import ask, fill

rensou = rensou_world.rensou

AGENT = AgentId("ann")
TIMEOUT_S = 10.0
ROWS, RARE = 30_000, "A kettle of the harbour."


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


async def test_a_plan_that_was_made_for_nobody_reads_no_large_agent_whole(database_dsns: DatabaseDsns) -> None:
    fill_large_agent(database_dsns.admin)
    database = Database(database_dsns.recall, PoolSize(1, 1), warm_recall)
    await database.open(TIMEOUT_S)
    try:
        async with database.transaction(AGENT, TIMEOUT_S) as connection:
            terms = question_terms(AGENT, RARE)
            found = await load_candidates(connection, ReadScope(AGENT), terms, None, 100, CONTEXT.in_order)
            cursor = await connection.execute(
                b"SELECT t.idx_tup_fetch + t.seq_tup_read FROM pg_stat_xact_user_tables t "
                b"WHERE t.relname = 'record_terms'"
            )
            row = await cursor.fetchone()
    finally:
        await database.close()
    assert len(found.rows) > 100  # found by their words, and what follows these
    assert row is not None
    assert row[0] < ROWS


def fill_large_agent(admin_dsn: str) -> None:
    """Records in sessions of ten, of which one says something rare, as statistics know them."""
    with psycopg.connect(admin_dsn, autocommit=True) as connection:
        connection.execute("SET search_path = rensou, public")
        connection.execute(
            """INSERT INTO records (agent_id, kind, content, session_id)
               SELECT 'ann', 'mem', 'Note ' || n, 'a session of ten notes, ' || (n / 10)
               FROM generate_series(1, %s) AS n""",
            (ROWS,),
        )
        for text, where in ((RARE, "="), ("An ordinary day.", "<>")):
            terms = index_terms(AGENT, text)
            statement = sql.SQL("""
                INSERT INTO record_terms (agent_id, record_id, terms_version, project_id, channel, source_id, hashes,
                                          words, trigrams, session_id)
                SELECT r.agent_id, r.id, %s, '', '', '', %s, %s::sparsevec, %s::sparsevec, r.session_id
                FROM records r WHERE r.id %% 500 {} 0""").format(sql.SQL(where))
            connection.execute(statement, (TERMS_VERSION, terms.hashes, terms.words, terms.trigrams))
        connection.execute("VACUUM (ANALYZE) record_terms")


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
