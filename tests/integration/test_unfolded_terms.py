"""What is searched while the worker has not folded the document frequencies."""

import psycopg

from rensou_recall.store.candidates import load_candidates
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import index_terms, question_terms
from tests.conftest import DatabaseDsns

AGENT = AgentId("ann")
INSERT = """
WITH r AS (
  INSERT INTO rensou.records (agent_id, kind, content, content_sha256, content_chars)
  VALUES ('ann', 'mem', %s, '', 0) RETURNING agent_id, id
)
INSERT INTO rensou.record_terms
SELECT r.agent_id, r.id, 1, '', '', '', %s, %s::public.sparsevec, %s::public.sparsevec FROM r RETURNING record_id
"""


def store(dsn: str, texts: list[str]) -> list[int]:
    """The ids of the texts, stored with their terms and nothing else."""
    ids: list[int] = []
    with psycopg.connect(dsn) as connection:
        for text in texts:
            terms = index_terms(AGENT, text)
            row = connection.execute(INSERT, (text, terms.hashes, terms.words, terms.trigrams)).fetchone()
            ids.append(row[0])  # pyright: ignore[reportOptionalSubscript]
    return ids


async def search(dsn: str, question: str) -> list[int]:
    """The records that the lexical arm finds, best first."""
    database = Database(dsn, PoolSize())
    await database.open(10)
    try:
        async with database.transaction(AGENT, 10) as connection:
            terms = question_terms(AGENT, question)
            found = await load_candidates(connection, ReadScope(AGENT), terms, None, 10)
    finally:
        await database.close()
    return [c.record_id for c in sorted(found.rows, key=lambda c: (-c.bm25, c.record_id))]


async def test_a_word_that_only_the_oldest_of_1100_unfolded_records_holds_is_found(database_dsns: DatabaseDsns) -> None:
    ids = store(database_dsns.admin, ["the walrus sang", *(f"note {n} about tides" for n in range(1100))])
    assert (await search(database_dsns.recall, "walrus"))[:1] == [ids[0]]


async def test_a_word_that_only_the_newest_of_1100_unfolded_records_holds_is_found(database_dsns: DatabaseDsns) -> None:
    ids = store(database_dsns.admin, [*(f"note {n} about tides" for n in range(1100)), "the walrus sang"])
    assert (await search(database_dsns.recall, "walrus"))[:1] == [ids[-1]]


async def test_a_word_that_nobody_holds_does_not_hide_a_common_one(database_dsns: DatabaseDsns) -> None:
    store(database_dsns.admin, [f"note {n} about tides" for n in range(20)])
    assert len(await search(database_dsns.recall, "zyzzyva tides")) == 10
