"""A part of a transaction that may fail without the rest."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import psycopg

from rensou_shared.db.pool import Connection

T = TypeVar("T")

# Connection, transaction state, rollback (deadlock, serialisation), lock or operator (cancelled, shutting down).
_CLASSES_OF_THE_WHOLE: Final = ("08", "25", "40", "55", "57")
_FOREIGN_KEY: Final = "23503"


class StatementRefused(Exception):
    """The database refused a statement for what it says: what the part wrote is undone, the transaction goes on.

    Names the error, its SQLSTATE and the constraint, and nothing of what was to be written.
    """


async def in_savepoint(connection: Connection, work: Callable[[], Awaitable[T]]) -> T:
    """What `work` returns, run in a savepoint of the open transaction.

    Raises:
        StatementRefused: As it says. A lost race, a deadline or a lost connection are the whole transaction's, and pass
            as they are; so is a row that was removed meanwhile.
    """
    try:
        async with connection.transaction():
            return await work()
    except psycopg.Error as error:
        if _is_of_the_whole(error):
            raise
        raise StatementRefused(f"{type(error).__name__} {error.sqlstate} {error.diag.constraint_name}") from error


def _is_of_the_whole(error: psycopg.Error) -> bool:
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return error.sqlstate == _FOREIGN_KEY or error.sqlstate.startswith(_CLASSES_OF_THE_WHOLE)
