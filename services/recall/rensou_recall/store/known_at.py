"""Reading what was known at a time: the same statements, over views of the tables as they were."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from rensou_shared.db.pool import Connection, Database
from rensou_shared.db.sql import load_statement
from rensou_shared.scope import ReadScope


@asynccontextmanager
async def reading(database: Database, scope: ReadScope, timeout_s: float) -> AsyncGenerator[Connection]:
    """A transaction that sees only the scope's agent and, where the scope says when, only what was known then.

    Raises:
        DatabaseUnavailable, Overloaded, DeadlineExceeded, WriteConflict: As their names say.
    """
    async with database.transaction(scope.agent_id, timeout_s) as connection:
        if scope.known_at is not None:
            await look_back(connection, scope.known_at)
        yield connection


async def look_back(connection: Connection, known_at: datetime) -> None:
    """From here on the transaction reads what was known at `known_at` (aware).

    The server plans the connection's statements anew when they next read the tables themselves.
    """
    params = {"known_at": known_at.astimezone(UTC).isoformat()}
    await connection.execute(load_statement("rensou_recall.store", "look_back"), params)
