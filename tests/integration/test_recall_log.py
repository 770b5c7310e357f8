"""The log of recalls: what is too old or too much leaves it, agent by agent."""

from collections.abc import AsyncIterator

import psycopg
import pytest

from rensou_nodeworker.store.sweeps import trim_recall_logs
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.ids import AgentId
from tests.conftest import DatabaseDsns

INSERT = b"""
INSERT INTO rensou.recall_log (agent_id, recall_id, method, project_id, channel, degraded, vector_ids, lexical_ids,
                               other_ids, refused_ids, returned_ids, at)
SELECT %s, md5(%s || n), 'recall', '', '', false, '{}', '{}', '{}', '{}', '{}', now() - n * %s::interval
FROM generate_series(1, %s) n
"""


@pytest.fixture
async def worker(database_dsns: DatabaseDsns) -> AsyncIterator[Database]:
    database = Database(database_dsns.worker, PoolSize(1, 2))
    await database.open(30)
    yield database
    await database.close()


async def trim_all(worker: Database, agents: int = 100, rows: int = 100_000) -> int:
    """Every agent once; how many rows went."""
    after, gone = AgentId(""), 0
    while True:
        async with worker.transaction(None, 30) as connection:
            last, trimmed = await trim_recall_logs(connection, after, agents, rows)
        gone += trimmed
        if last is None:
            return gone
        after = last


async def test_the_old_and_what_is_past_the_number_leave_and_the_rest_stays(
    worker: Database, database_dsns: DatabaseDsns
) -> None:
    with psycopg.connect(database_dsns.admin, autocommit=True) as admin:
        admin.execute(INSERT, ("ann", "a", "1 day", 120))
        admin.execute(INSERT, ("bob", "b", "1 second", 10_050))
        admin.execute(INSERT, ("cy", "c", "1 hour", 3))
        assert await trim_all(worker, agents=1) == 31 + 50
        counts = admin.execute(
            "SELECT agent_id, count(*), max(now() - at) FROM rensou.recall_log GROUP BY 1 ORDER BY 1"
        )
        left = [(agent, count) for agent, count, _ in counts.fetchall()]
        assert left == [("ann", 89), ("bob", 10_000), ("cy", 3)]
        assert await trim_all(worker) == 0


async def test_a_pass_takes_no_more_than_its_bound_and_leaves_what_a_report_holds(
    worker: Database, database_dsns: DatabaseDsns
) -> None:
    with psycopg.connect(database_dsns.admin) as admin:
        admin.execute(INSERT, ("ann", "a", "100 days", 20))
        admin.commit()
        async with worker.transaction(None, 30) as connection:
            assert await trim_recall_logs(connection, AgentId(""), 10, 5) == (AgentId("ann"), 5)
        held = admin.execute("SELECT recall_id FROM rensou.recall_log ORDER BY at DESC LIMIT 1 FOR NO KEY UPDATE")
        (kept,) = held.fetchall()
        assert await trim_all(worker) == 14
        assert admin.execute("SELECT recall_id FROM rensou.recall_log").fetchall() == [kept]
