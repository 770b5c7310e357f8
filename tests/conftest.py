"""A real PostgreSQL for the tests, and a fresh database from its migrated template for each that asks."""

import asyncio
import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, Part, StackOptions

# Nothing in a test's database must outlive the machine.
FAST_POSTGRES = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}
TEMPLATE = "rensou"


@dataclass(frozen=True, slots=True)
class DatabaseDsns:
    """One database, as each role reaches it; `admin` is the superuser, whom no policy binds."""

    admin: str
    recall: str
    worker: str
    migrator: str


@pytest.fixture(scope="session")
def scratch_folder() -> Iterator[Path]:
    """A folder for the whole run that PostgreSQL's account may pass through."""
    path = Path(tempfile.mkdtemp(prefix="rensou-tests-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
async def postgres(scratch_folder: Path) -> AsyncIterator[str]:
    """The superuser's DSN of the migrated template, on a PostgreSQL of this run."""
    options = StackOptions(
        scratch_folder / "postgres",
        clean_environ(os.environ),
        frozenset({Part.POSTGRES}),
        grpc_port=0,
        postgres_settings=FAST_POSTGRES,
    )
    stack = EmbeddedStack(options)
    await stack.start()
    yield stack.admin_dsn
    await stack.stop()


def _execute(admin: str, statement: str, name: str) -> None:
    with psycopg.connect(make_conninfo(admin, dbname="postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(sql.Identifier(name), sql.Identifier(TEMPLATE)))  # pyright: ignore


@asynccontextmanager
async def fresh_database(postgres: str) -> AsyncIterator[DatabaseDsns]:
    """A database with every migration and nothing in it, gone at the end."""
    name = f"t_{uuid.uuid4().hex[:12]}"
    await asyncio.to_thread(_execute, postgres, "CREATE DATABASE {} TEMPLATE {}", name)
    roles = ("postgres", "rensou_recall", "rensou_worker", "rensou_migrator")
    yield DatabaseDsns(*(make_conninfo(postgres, dbname=name, user=role) for role in roles))
    await asyncio.to_thread(_execute, postgres, "DROP DATABASE {} WITH (FORCE)", name)


@pytest.fixture
async def database_dsns(postgres: str) -> AsyncIterator[DatabaseDsns]:
    """A database of the test's own."""
    async with fresh_database(postgres) as dsns:
        yield dsns
