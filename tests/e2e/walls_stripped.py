"""The product without its own predicates: what is left between two agents is the database's wall."""

import asyncio
import re
import shutil
import sys
from pathlib import Path

import psycopg
from psycopg import sql

from tests.conftest import DatabaseDsns
from tests.e2e.harness import service_environ
from tests.e2e.walls_world import agent_tables

_ROOT = Path(__file__).parents[2]
_PACKAGES = {"recall": _ROOT / "services" / "recall", "shared": _ROOT / "shared"}
_PREDICATE = re.compile(r"\w+\.agent_id = %\(agent_id\)s")
_ARM_PREDICATE = re.compile(r"\w+\.agent_id(?: \|\| '')? = current_setting\('rensou\.agent_id', true\)")
_FUNCTIONS = """
SELECT pg_get_functiondef(p.oid) FROM pg_proc p
WHERE p.pronamespace IN ('rensou'::regnamespace, 'rensou_known'::regnamespace) AND p.prokind = 'f' ORDER BY p.oid
"""
# What recall may run and still asks for its agent; a policy is no function.
_LEFT = r"""
SELECT p.proname FROM pg_proc p
WHERE p.pronamespace IN ('rensou'::regnamespace, 'rensou_known'::regnamespace)
  AND has_function_privilege('rensou_recall', p.oid, 'EXECUTE') AND p.prosrc ~ 'rensou\.agent_id' ORDER BY p.proname
"""


def strip_services(folder: Path) -> tuple[Path, ...]:
    """Copies of the packages in `folder` whose statements ask for no agent; what to put before the installed ones."""
    stripped = 0
    for name, source in _PACKAGES.items():
        shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in folder.rglob("store/sql/*.sql"):
        text, found = _PREDICATE.subn("true", path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")
        stripped += found
        assert "agent_id = %" not in text, path
    assert stripped > 60
    return tuple(folder / name for name in _PACKAGES)


async def imported_file(python_path: tuple[Path, ...], statement: str) -> Path:
    """Where a service that is started with this path reads the statement from."""
    code = (
        f"from importlib.resources import files;print(files('rensou_recall.store').joinpath('sql', '{statement}.sql'))"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", code, env=service_environ(python_path), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return Path(output.decode().strip())


def strip_arms(dsns: DatabaseDsns) -> int:
    """Takes the predicates out of the functions as they are now, as their owner; returns how many there were."""
    stripped = 0
    with psycopg.connect(dsns.migrator, autocommit=True) as connection:
        # The settings of the vector index may be named once its library is loaded.
        connection.execute("SELECT '[1]'::public.vector <-> '[1]'::public.vector")
        for (function,) in connection.execute(_FUNCTIONS).fetchall():
            body, found = _ARM_PREDICATE.subn("true", function)
            if found:
                connection.execute(body.encode())
            stripped += found
        assert connection.execute(_LEFT).fetchall() == []
    return stripped


def drop_the_wall(dsns: DatabaseDsns) -> None:
    """Switches row-level security off."""
    with psycopg.connect(dsns.admin, autocommit=True) as connection:
        for table in agent_tables(dsns.admin):
            connection.execute(
                sql.SQL("ALTER TABLE rensou.{} DISABLE ROW LEVEL SECURITY").format(sql.Identifier(table))
            )
