"""The product without its own predicates: what is left between two agents is the database's wall."""

import asyncio
import re
import shutil
import sys
from importlib.resources import files
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
_ARM = re.compile(r"^CREATE FUNCTION rensou\.\w+\(.*?^\$\$;$", re.MULTILINE | re.DOTALL)


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
    """Takes the predicates out of the retrieval functions, as their owner; returns how many there were."""
    folder = files("rensou_shared.db").joinpath("migrations")
    names = ("0003_arms.sql", "0009_ann.sql", "0010_candidates.sql")
    migration = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
    stripped = 0
    with psycopg.connect(dsns.migrator, autocommit=True) as connection:
        for function in _ARM.findall(migration):
            body, found = _ARM_PREDICATE.subn("true", function)
            connection.execute(body.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").encode())
            stripped += found
    return stripped


def drop_the_wall(dsns: DatabaseDsns) -> None:
    """Switches row-level security off."""
    with psycopg.connect(dsns.admin, autocommit=True) as connection:
        for table in agent_tables(dsns.admin):
            connection.execute(
                sql.SQL("ALTER TABLE rensou.{} DISABLE ROW LEVEL SECURITY").format(sql.Identifier(table))
            )
