"""Brings a database to Rensou's schema: what an administrator prepares once, then dbmate's migrations."""

import signal
import subprocess
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql

from rensou_embedded.bundled import find_dbmate
from rensou_embedded.child import mortal_command
from rensou_embedded.errors import MigrationError
from rensou_embedded.postgres_files import postgres_environ

DATABASE = "rensou"
MIGRATOR_ROLE = "rensou_migrator"
RECALL_ROLE = "rensou_recall"
WORKER_ROLE = "rensou_worker"
MIGRATIONS_TABLE = "rensou.schema_migrations"
_CONNECT_TIMEOUT_S = 10


def socket_url(socket_dir: Path, role: str, database: str) -> str:
    """Return the URL that dbmate wants for a server behind a Unix socket."""
    query = urlencode({"socket": str(socket_dir), "sslmode": "disable"}, quote_via=quote, safe="/")
    return f"postgres://{quote(role, safe='')}@localhost/{quote(database, safe='')}?{query}"


def create_database(admin_dsn: str, database: str) -> None:
    """Create `database` unless it is there: UTF-8, ordered by code point.

    Raises:
        MigrationError: the server refused.
    """
    # The provider is named so that the order of text is the same on every machine.
    statement = sql.SQL(
        "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'"
        " LOCALE 'C' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'"
    ).format(sql.Identifier(database))
    try:
        with psycopg.connect(admin_dsn, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S) as connection:
            found = connection.execute("SELECT FROM pg_catalog.pg_database WHERE datname = %s", (database,)).fetchone()
            if found is None:
                connection.execute(statement)
    except psycopg.Error as error:
        raise MigrationError(f"database {database} cannot be created: {error}") from error


def bootstrap_roles(admin_dsn: str) -> None:
    """Make roles, schema and extension in the database that `admin_dsn` names. May be run again.

    Raises:
        MigrationError: the administrator lacks a right, or the server refused.
    """
    script = (_db_files() / "bootstrap.sql").read_bytes()
    try:
        with psycopg.connect(admin_dsn, connect_timeout=_CONNECT_TIMEOUT_S) as connection:
            connection.execute(script)
    except psycopg.Error as error:
        raise MigrationError(f"bootstrap.sql failed: {error}") from error


def run_migrations(database_url: str) -> str:
    """Apply the migrations that `database_url` lacks and return dbmate's report. Concurrent runs wait for each other.

    Raises:
        MigrationError: one failed; the ones before it stay.
    """
    with as_file(_db_files() / "migrations") as folder:
        command = (
            str(find_dbmate()),
            f"--migrations-dir={folder}",
            f"--migrations-table={MIGRATIONS_TABLE}",
            "--no-dump-schema",
            "--migration-lock",
            "migrate",
            "--strict",
        )
        # The URL may hold a password: it goes by environment, since arguments are everybody's to read.
        finished = subprocess.run(
            mortal_command(command, signal.SIGTERM, None),
            env={**postgres_environ(), "DATABASE_URL": database_url},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    report = finished.stdout.decode("utf-8", "replace").strip()
    if finished.returncode != 0:
        hint = "; prepare the roles first: --admin-url" if "permission denied for database" in report else ""
        raise MigrationError(f"the migrations failed: {report}{hint}")
    return report


def _db_files() -> Traversable:
    return files("rensou_shared.db")
