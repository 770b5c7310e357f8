"""What must hold of the schema as a whole."""

from importlib.resources import files
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rensou_embedded.bundled import find_postgres_bin_dir
from rensou_embedded.schema_dump import dump_schema
from rensou_shared.db.migrate import known_versions
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.errors import ConfigurationError, DatabaseUnavailable, SchemaUnknown
from tests.conftest import DatabaseDsns

GLOBAL_TABLES = {"schema_migrations", "embedding_models", "unrelated_questions"}


def rows(dsn: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(statement)  # pyright: ignore
        return cursor.fetchall() if cursor.description else []


def test_the_snapshot_equals_the_migrated_schema(database_dsns: DatabaseDsns) -> None:
    dumped = dump_schema(find_postgres_bin_dir() / "pg_dump", database_dsns.admin)
    snapshot = files("rensou_shared.db").joinpath("schema.sql").read_text(encoding="utf-8")
    assert dumped == snapshot, "run: rensou schema > shared/rensou_shared/db/schema.sql"


def test_every_table_of_agent_data_has_its_wall(database_dsns: DatabaseDsns) -> None:
    tables = rows(
        database_dsns.admin,
        """SELECT c.relname, c.relrowsecurity, EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)
           FROM pg_class c WHERE c.relnamespace = 'rensou'::regnamespace AND c.relkind IN ('r', 'p')""",
    )
    assert len(tables) > 10
    assert {name for name, secured, has_policy in tables if not (secured and has_policy)} == GLOBAL_TABLES


def test_every_key_of_agent_data_starts_with_the_agent(database_dsns: DatabaseDsns) -> None:
    keys = rows(
        database_dsns.admin,
        """SELECT c.conrelid::regclass::text, c.conname, a.attname
           FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
           WHERE c.connamespace = 'rensou'::regnamespace AND c.contype IN ('p', 'u')""",
    )
    foreign = {(table, name) for table, name, first in keys if first != "agent_id"}
    assert {table.removeprefix("rensou.") for table, _ in foreign} <= GLOBAL_TABLES


def test_no_login_role_owns_a_table_or_passes_the_wall(database_dsns: DatabaseDsns) -> None:
    owners = rows(
        database_dsns.admin,
        """SELECT DISTINCT r.rolname, r.rolcanlogin FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
           WHERE c.relnamespace = 'rensou'::regnamespace AND c.relkind = 'r'""",
    )
    passing = rows(
        database_dsns.admin,
        "SELECT rolname FROM pg_roles WHERE rolname LIKE 'rensou%' AND (rolbypassrls OR rolsuper)",
    )
    assert owners == [("rensou_owner", False)]
    assert passing == []


def test_definer_functions_pin_their_search_path_and_are_closed_to_the_public(database_dsns: DatabaseDsns) -> None:
    open_ones = rows(
        database_dsns.admin,
        """SELECT p.proname FROM pg_proc p
           WHERE p.pronamespace = 'rensou'::regnamespace AND p.prosecdef
             AND (NOT coalesce(array_to_string(p.proconfig, ','), '') LIKE '%search_path=%'
                  OR (p.prorettype <> 'trigger'::regtype AND has_function_privilege('public', p.oid, 'EXECUTE')))""",
    )
    assert open_ones == []


async def test_services_refuse_a_schema_that_they_do_not_know(database_dsns: DatabaseDsns) -> None:
    database = Database(database_dsns.recall, PoolSize())
    await database.open(10)
    try:
        assert await database.check_schema() == known_versions()[-1]
        rows(database_dsns.admin, "INSERT INTO rensou.schema_migrations VALUES ('9999')")
        with pytest.raises(SchemaUnknown, match="9999"):
            await database.check_schema()
        rows(database_dsns.admin, "DELETE FROM rensou.schema_migrations WHERE version IN ('9999', '0005')")
        with pytest.raises(SchemaUnknown, match="0005"):
            await database.check_schema()
    finally:
        await database.close()


def test_statements_stay_small_and_say_what_they_do() -> None:
    root = Path(__file__).parents[2]
    statements = [path for part in ("services", "shared") for path in (root / part).rglob("sql/*.sql")]
    assert len(statements) > 30
    for path in statements:
        text = path.read_text(encoding="utf-8")
        assert len(text.encode()) < 4096, path
        assert text.startswith("-- "), path
        assert "%" not in "".join(line for line in text.splitlines() if line.startswith("--")), path


async def test_services_refuse_a_role_that_passes_the_wall(database_dsns: DatabaseDsns) -> None:
    for dsn in (database_dsns.admin, database_dsns.migrator):
        with pytest.raises(ConfigurationError, match="passes the wall"):
            await Database(dsn, PoolSize()).open(10)


async def test_an_empty_database_is_refused_at_once_and_says_what_to_do(postgres: str) -> None:
    empty = make_conninfo(postgres, dbname="postgres", user="rensou_recall")
    with pytest.raises(SchemaUnknown, match="rensou migrate"):
        await Database(empty, PoolSize()).open(10)


async def test_a_database_that_is_not_there_is_named(postgres: str) -> None:
    missing = make_conninfo(postgres, dbname="no_such_database", user="rensou_recall")
    with pytest.raises(DatabaseUnavailable, match="no_such_database"):
        await Database(missing, PoolSize()).open(1)
