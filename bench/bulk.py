"""Loads many made-up records straight into the tables, by COPY, as the service would have stored them.

Terms are the product's own functions'; hashes, lengths and the counts of terms come from the database's triggers; what
the worker derives of them is then derived by its own pass.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from lanes import Lanes
from rensou_nodeworker.pipelines.ann import AnnUpkeep
from rensou_nodeworker.pipelines.upkeep import Upkeep
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.domain import ANN_ABOVE_ROWS
from rensou_shared.jobs.hints import NoHints
from rensou_shared.text.index import index_terms
from rensou_shared.text.lexemes import TERMS_VERSION
from topics import MadeRecord, Vectors, make_record, vectors

_PROCESSES = 2
_ROWS_A_BATCH = 2_000
_TOKENS = 40
_OPEN_S = 30.0
_PAUSE_S = 0.2
# Agents in a lane, and of these the ones that are not searched in it yet.
_STANDING = b"SELECT count(*), count(*) FILTER (WHERE a.state <> 'ready') FROM rensou.ann_agents a"

_RECORDS = b"COPY rensou.records (agent_id, id, kind, content, session_id, occurred_at) FROM STDIN"
_TERMS = b"""
COPY rensou.record_terms (
  agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words, trigrams, session_id, occurred_at,
  traits
) FROM STDIN
"""
_VECTORS = b"""
COPY rensou.record_vectors (
  agent_id, record_id, model_id, project_id, channel, source_id, token_count, embedding, ann_lane
) FROM STDIN (FORMAT binary)
"""
_VECTOR_TYPES = ("text", "int8", "int4", "text", "text", "text", "int4", "halfvec", "int2")
# The trigger that gives a new vector its agent's lane would take away the one that it names.
_WITHOUT_TRIGGERS = b"SET LOCAL session_replication_role = replica"


@dataclass(frozen=True, slots=True)
class Batch:
    """Records `first_number`.. of the made-up ones, stored for `agent_id` under ids from `first_id`, in its lane."""

    dsn: str
    agent_id: str
    model_id: int
    lane: int | None
    first_id: int
    first_number: int
    rows: int


def load_records(
    admin_dsn: str,
    agents: Sequence[str],
    rows: int,
    model_id: int,
    lanes: Lanes | None,
    copy: Callable[[Batch], None] | None = None,
) -> None:
    """Stores `rows` records for each of `agents`, in their lanes if any; every agent's are the same texts.

    `copy` stores a batch of others; it is called in another process.

    Raises:
        psycopg.Error: The database took them not.
    """
    with psycopg.connect(admin_dsn) as connection:
        (taken,) = connection.execute(b"SELECT last_value FROM rensou.record_ids").fetchone() or (0,)
        first_id = int(taken) + 1
        connection.execute(b"SELECT setval('rensou.record_ids', %s)", (first_id + rows * len(agents),))
    batches = [
        Batch(admin_dsn, agent_id, model_id, lane, first_id + place * rows + number, number, size)
        for place, agent_id in enumerate(agents)
        for lane in (None if lanes is None else lanes.of(place),)
        for number, size in _parts(rows)
    ]
    # A fork of a process that speaks gRPC may hang.
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as processes:
        for _ in processes.map(copy or copy_batch, batches):
            pass


def _parts(rows: int) -> Iterator[tuple[int, int]]:
    """First number and size of each batch."""
    for number in range(0, rows, _ROWS_A_BATCH):
        yield number, min(_ROWS_A_BATCH, rows - number)


def copy_batch(batch: Batch) -> None:
    """One batch in one transaction.

    Raises:
        psycopg.Error: The database took it not.
    """
    made = [make_record(batch.first_number + place) for place in range(batch.rows)]
    copy_rows(batch, made, vectors([record.content for record in made]))


def copy_rows(batch: Batch, made: Sequence[MadeRecord], embeddings: Vectors) -> None:
    """The batch's records with their embeddings, shape (records, dimensions), in one transaction.

    Raises:
        psycopg.Error: The database took them not.
    """
    with psycopg.connect(batch.dsn) as connection:
        register_vector(connection)
        _copy_records(connection, batch, made)
        _copy_terms(connection, batch, made)
        _copy_vectors(connection, batch, embeddings)


def _copy_records(connection: psycopg.Connection, batch: Batch, made: Sequence[MadeRecord]) -> None:
    with connection.cursor().copy(_RECORDS) as copy:
        for number, (content, session_id, occurred_at) in enumerate(made, start=batch.first_id):
            copy.write_row((batch.agent_id, number, "mem", content, session_id, occurred_at))


def _copy_terms(connection: psycopg.Connection, batch: Batch, made: Sequence[MadeRecord]) -> None:
    with connection.cursor().copy(_TERMS) as copy:
        for number, (content, session_id, occurred_at) in enumerate(made, start=batch.first_id):
            terms = index_terms(batch.agent_id, content)
            key = (batch.agent_id, number, TERMS_VERSION, "", "", "")
            own = (terms.hashes, terms.words, terms.trigrams, session_id, occurred_at, int(terms.traits))
            copy.write_row((*key, *own))


def _copy_vectors(connection: psycopg.Connection, batch: Batch, embeddings: Vectors) -> None:
    if batch.lane is not None:
        connection.execute(_WITHOUT_TRIGGERS)
    with connection.cursor().copy(_VECTORS) as copy:
        copy.set_types(_VECTOR_TYPES)
        for number, vector in enumerate(embeddings, start=batch.first_id):
            row = (batch.agent_id, number, batch.model_id, "", "", "", _TOKENS, HalfVector(vector), batch.lane)
            copy.write_row(row)


async def settle(admin_dsn: str, worker_dsn: str, lanes: Lanes | None) -> None:
    """Folds the counts of terms by the worker's own passes, and builds the approximate indexes of `lanes`.

    The worker's pass over those indexes then finds nothing to do. The tables are vacuumed and analysed at the end.

    Raises:
        RensouError, psycopg.Error: The database did not take it.
    """
    database = Database(worker_dsn, PoolSize(1, 2))
    await database.open(_OPEN_S)
    try:
        upkeep = Upkeep(database, NoHints())
        async with await psycopg.AsyncConnection.connect(admin_dsn, autocommit=True) as connection:
            while await _is_behind(connection):
                await upkeep.fold()
            if lanes is not None:
                await asyncio.to_thread(lanes.build)
            await _enter_indexes(connection, AnnUpkeep(database, ANN_ABOVE_ROWS))
            # The words' index reads what waits in its list of pending entries at every question.
            await connection.execute(b"SELECT gin_clean_pending_list('rensou.record_terms_hashes')")
            await connection.execute(b"VACUUM (ANALYZE)")
            await connection.execute(b"CHECKPOINT")
    finally:
        await database.close()


async def _is_behind(connection: psycopg.AsyncConnection) -> bool:
    cursor = await connection.execute(b"SELECT EXISTS (SELECT FROM rensou.term_deltas)")
    row = await cursor.fetchone()
    return bool(row and row[0])


async def _enter_indexes(connection: psycopg.AsyncConnection, ann: AnnUpkeep) -> None:
    """Returns when every large agent that finds room in a lane is wholly in it."""
    before = None
    while True:
        await ann.tend()
        cursor = await connection.execute(_STANDING)
        standing = await cursor.fetchone()
        if standing == before and standing is not None and standing[1] == 0:
            return
        before = standing
        # The stack's own reconciler may be at it, and then this pass leaves it alone.
        await asyncio.sleep(_PAUSE_S)
