"""What must be true of a database before a service works on it: a known schema, and a wall that holds for the role."""

import asyncio
from typing import Any, Final

import psycopg

from rensou_shared.db.migrate import check_versions
from rensou_shared.errors import ConfigurationError, DatabaseUnavailable

_PAUSE_S: Final = 0.5
_CONNECT_TIMEOUT_S: Final = 5

_ROLE = b"""
SELECT r.rolname,
       r.rolsuper OR r.rolbypassrls OR EXISTS (
         SELECT
         FROM pg_catalog.pg_class c
         WHERE c.relnamespace = to_regnamespace('rensou')
           AND c.relkind = 'r'
           AND pg_has_role(r.oid, c.relowner, 'USAGE')
       )
FROM pg_catalog.pg_roles r
WHERE r.rolname = current_user
"""

Connection = psycopg.AsyncConnection[Any]


async def check_door(dsn: str, timeout_s: float) -> None:
    """Returns when the database answers, has the known schema, and binds the role to one agent at a time.

    Raises:
        DatabaseUnavailable: It does not answer within the time; the message is the last reason.
        SchemaUnknown: Its migrations are not exactly the ones that ship with this package.
        ConfigurationError: The role is a superuser, passes row-level security, or owns the tables.
    """
    clock = asyncio.get_running_loop()
    deadline = clock.time() + timeout_s
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(dsn, connect_timeout=_CONNECT_TIMEOUT_S) as connection:
                await read_schema(connection)
                await _check_role(connection)
                return
        except psycopg.OperationalError as error:
            if clock.time() + _PAUSE_S >= deadline:
                raise DatabaseUnavailable(f"the database does not answer: {str(error).strip()}") from error
        await asyncio.sleep(_PAUSE_S)


async def read_schema(connection: Connection) -> str:
    """The newest migration of the database.

    Raises:
        SchemaUnknown: Its migrations are not exactly the ones that ship with this package.
    """
    try:
        cursor = await connection.execute(b"SELECT m.version FROM rensou.schema_migrations m")
        rows = await cursor.fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InsufficientPrivilege):
        await connection.rollback()
        rows = []
    return check_versions(tuple(str(row[0]) for row in rows))


async def _check_role(connection: Connection) -> None:
    row = await (await connection.execute(_ROLE)).fetchone()
    if row is None or row[1]:
        name = "?" if row is None else row[0]
        raise ConfigurationError(
            f"RENSOU_DATABASE_URL: the role {name!r} passes the wall between agents (superuser, BYPASSRLS or owner): "
            "use rensou_recall or rensou_worker"
        )
