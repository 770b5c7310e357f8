"""Makes the approximate indexes of the embedding models: lanes of HNSW over the vectors of large agents.

Services own no table, so an operator's command makes them (`rensou migrate model`); the embedded stack does it at each
start. Rows are let in by the reconciler, so that an index is empty when it is made for the first time.
"""

import time
from typing import Final

import psycopg
from psycopg import sql

from rensou_embedded.errors import MigrationError

DEFAULT_LANES: Final = 16
MAX_LANES: Final = 1000

_CONNECT_TIMEOUT_S = 10
_LOCK = "rensou.migrate.model"
_PAUSE_S = 0.5

_MODELS = (
    "SELECT m.id, m.dimensions FROM rensou.embedding_models m WHERE m.state IN ('active', 'building') ORDER BY m.id"
)
_HAS_MODEL = "SELECT EXISTS (SELECT FROM rensou.embedding_models m WHERE m.state = 'active')"
_IS_VALID = """
SELECT i.indisvalid
FROM pg_catalog.pg_index i
WHERE i.indexrelid = to_regclass(%s)
"""
# Operator classes are found by name, wherever the extension is.
_CREATE = sql.SQL("""
CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON rensou.record_vectors
USING hnsw ((embedding::halfvec({dimensions})) halfvec_ip_ops) WITH (m = 16, ef_construction = 64)
WHERE ann_lane = {lane} AND model_id = {model}
""")


def make_vector_indexes(dsn: str, lanes: int = DEFAULT_LANES) -> list[str]:
    """Makes what is missing of `lanes` indexes for every model in use and returns the names of those made.

    What an interrupted run left invalid is dropped and made anew. Concurrent runs wait for each other. Searches and
    writes go on meanwhile; without their index, agents are searched exactly.

    Args:
        dsn: The database, as the role that owns the tables or works as their owner.
        lanes: 1 to 1,000. Lanes beyond it that exist already stay.

    Raises:
        MigrationError: The server refused, or cannot be reached.
    """
    try:
        with psycopg.connect(dsn, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S) as connection:
            connection.execute("SELECT set_config('search_path', 'rensou, public', false)")
            _wait_for_others(connection)
            return _make_missing(connection, lanes)
    except psycopg.Error as error:
        raise MigrationError(f"the vector indexes cannot be made: {error}") from error


def is_model_known(dsn: str) -> bool:
    """Whether the database knows an active embedding model: before, there is nothing to make an index for.

    Raises:
        MigrationError: The server refused, or cannot be reached.
    """
    try:
        with psycopg.connect(dsn, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S) as connection:
            row = connection.execute(_HAS_MODEL).fetchone()
    except psycopg.Error as error:
        raise MigrationError(f"the embedding models cannot be read: {error}") from error
    return row is not None and bool(row[0])


def _wait_for_others(connection: psycopg.Connection) -> None:
    """Returns with the lock of this work. A wait inside of the server would hold up the other's index for ever."""
    while True:
        row = connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (_LOCK,)).fetchone()
        if row is not None and row[0]:
            return
        time.sleep(_PAUSE_S)


def _make_missing(connection: psycopg.Connection, lanes: int) -> list[str]:
    made: list[str] = []
    for model_id, dimensions in connection.execute(_MODELS).fetchall():
        for lane in range(lanes):
            name = f"record_vectors_ann_{model_id}_{lane}"
            found = connection.execute(_IS_VALID, (f"rensou.{name}",)).fetchone()
            if found is not None and found[0]:
                continue
            index = sql.Identifier("rensou", name)
            connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(index))
            connection.execute(
                _CREATE.format(
                    index=sql.Identifier(name),
                    dimensions=sql.Literal(dimensions),
                    lane=sql.Literal(lane),
                    model=sql.Literal(model_id),
                )
            )
            made.append(name)
    return made
