"""One way into Postgres: a pool, and transactions that name their agent and their time."""

import asyncio
import random
import select
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool, PoolTimeout, TooManyRequests

from rensou_shared.db.door import check_door, read_schema
from rensou_shared.errors import DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict
from rensou_shared.ids import AgentId

Connection = psycopg.AsyncConnection[TupleRow]
T = TypeVar("T")

# Postgres wants a little time to notice that a statement is to end, and the answer to come back.
_MARGIN_S = 0.05
# Of a call's time, what it may wait for a connection: the rest is for saying that none came, before the caller leaves.
_WAIT_SHARE = 0.9
# A database that is away is said to be so, however long the caller would wait.
_LONGEST_WAIT_S = 5.0
_WRITE_ATTEMPTS = 6

# One message and one answer: the cursor binds on the client's side, as only the simple protocol takes two statements.
# That costs less than a pipeline, whose many waits are the client's own time.
_BEGIN_AS = b"""
BEGIN;
SELECT set_config('rensou.agent_id', %(agent_id)s, true),
       set_config('statement_timeout', %(timeout_ms)s, true)
"""


@dataclass(frozen=True, slots=True)
class PoolSize:
    """Connections of one process; what waits beyond `max_waiting` is refused at once."""

    min_size: int = 2
    max_size: int = 10
    max_waiting: int = 200


async def begin(connection: Connection, agent_id: AgentId | None, timeout_ms: int) -> None:
    """Opens a transaction that sees only `agent_id` (None: no agent's rows) and whose statements end in the time."""
    async with psycopg.AsyncClientCursor(connection) as cursor:
        await cursor.execute(_BEGIN_AS, {"agent_id": agent_id or "", "timeout_ms": str(timeout_ms)})


async def _check(connection: Connection) -> None:
    """Lets a connection go that its server has closed. An idle one has nothing to read: only then is it asked."""
    readable, _, _ = select.select([connection.fileno()], [], [], 0)
    if readable:
        await AsyncConnectionPool.check_connection(connection)


async def _warm_nothing(_: Connection) -> None:
    """A service whose first statements may take their time."""


class Database:
    """The pool, and the transactions made on it. Safe to share between tasks of one event loop."""

    def __init__(self, dsn: str, size: PoolSize, warm: Callable[[Connection], Awaitable[None]] = _warm_nothing) -> None:
        """`warm` is run in a transaction on each new connection, before any call is given it."""
        self._dsn = dsn
        self._warm = warm
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            dsn,
            min_size=size.min_size,
            max_size=size.max_size,
            max_waiting=size.max_waiting,
            open=False,
            # BEGIN is ours to send, with the settings.
            kwargs={"autocommit": True},
            configure=self._configure,
            check=_check,
            connection_class=psycopg.AsyncConnection[TupleRow],
        )

    async def _configure(self, connection: Connection) -> None:
        await register_vector_async(connection)
        async with connection.transaction():
            await self._warm(connection)

    async def open(self, timeout_s: float) -> None:
        """Opens the pool and fills it, once the database has shown that it is the right one.

        Raises:
            DatabaseUnavailable: Not within the time.
            SchemaUnknown: Its migrations are not exactly the ones that ship with this package.
            ConfigurationError: The role passes the wall between agents.
        """
        deadline = asyncio.get_running_loop().time() + timeout_s
        await check_door(self._dsn, timeout_s)
        try:
            await self._pool.open(wait=True, timeout=max(deadline - asyncio.get_running_loop().time(), 1.0))
        except PoolTimeout as error:
            await self._pool.close()
            raise DatabaseUnavailable("the database did not answer in time") from error

    async def close(self) -> None:
        """Closes every connection."""
        await self._pool.close()

    async def check_schema(self) -> str:
        """The newest migration of the database.

        Raises:
            SchemaUnknown: Its migrations are not exactly the ones that ship with this package.
            DatabaseUnavailable: It does not answer.
        """
        async with self._connection(_LONGEST_WAIT_S) as connection:
            return await read_schema(connection)

    async def ping(self, timeout_s: float) -> None:
        """Returns when the database has answered.

        Raises:
            DatabaseUnavailable: It did not.
        """
        async with self._connection(timeout_s) as connection:
            await connection.execute(b"SELECT 1")

    @asynccontextmanager
    async def _connection(self, timeout_s: float) -> AsyncGenerator[Connection]:
        wait_s = max(min(timeout_s * _WAIT_SHARE, _LONGEST_WAIT_S), 0.001)
        try:
            async with self._pool.connection(timeout=wait_s) as connection:
                yield connection
        except PoolTimeout as error:
            raise DatabaseUnavailable("no database connection became free in time") from error
        except TooManyRequests as error:
            raise Overloaded("too many calls wait for a database connection") from error
        except psycopg.errors.QueryCanceled as error:
            raise DeadlineExceeded("the database did not answer before the deadline") from error
        except (psycopg.errors.LockNotAvailable, psycopg.errors.IdleInTransactionSessionTimeout) as error:
            raise WriteConflict("another writer held the rows for too long") from error
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure) as error:
            raise WriteConflict("other writers were in the way") from error
        except psycopg.errors.ForeignKeyViolation as error:
            raise WriteConflict("what a row refers to was removed meanwhile") from error
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise DatabaseUnavailable("the database connection was lost") from error

    @asynccontextmanager
    async def transaction(self, agent_id: AgentId | None, timeout_s: float) -> AsyncGenerator[Connection]:
        """A transaction that sees only `agent_id` (None: no agent's rows) and whose statements end in `timeout_s`.

        Raises:
            DatabaseUnavailable, Overloaded, DeadlineExceeded, WriteConflict: As their names say.
        """
        timeout_ms = max(int((timeout_s - _MARGIN_S) * 1000), 1)
        async with self._connection(timeout_s) as connection:
            # The pool's connection commits or rolls back when it is left.
            await begin(connection, agent_id, timeout_ms)
            yield connection

    async def write(self, agent_id: AgentId | None, timeout_s: float, work: Callable[[Connection], Awaitable[T]]) -> T:
        """What `work` returns, run in a transaction and again when it lost a race (deadlock, serialisation).

        Raises:
            WriteConflict: It lost six times.
            DatabaseUnavailable, Overloaded, DeadlineExceeded: As their names say.
        """
        for attempt in range(1, _WRITE_ATTEMPTS + 1):
            try:
                async with self.transaction(agent_id, timeout_s) as connection:
                    return await work(connection)
            except WriteConflict:
                if attempt == _WRITE_ATTEMPTS:
                    raise
                await asyncio.sleep(random.uniform(0, 0.01 * 2**attempt))  # noqa: S311 - jitter, not a secret
        raise AssertionError("unreachable")
