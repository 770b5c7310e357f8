"""Invariant 1 by Recall's own tests: they pass, unchanged, on a database whose graph is full."""

import subprocess
import sys

import psycopg
from psycopg import sql

from tests.conftest import DatabaseDsns
from tests.filled_graph import fill
from tests.integration.declared_world import TABLES
from tests.mutants.mutant import ROOT


def test_invariant_1_recalls_own_tests_pass_over_a_filled_graph() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.filled_graph"]
    done = subprocess.run(
        [*command, "tests/integration/test_recall_pipeline.py"], cwd=ROOT, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stdout


def test_the_graph_is_filled_with_whatever_is_stored(database_dsns: DatabaseDsns) -> None:
    fill(database_dsns.admin)
    with psycopg.connect(database_dsns.recall, options="-c search_path=rensou,public") as connection:
        connection.execute("SELECT set_config('rensou.agent_id', 'ann', true)")
        for text in ("tea time", "tea again"):
            connection.execute("INSERT INTO records (agent_id, kind, content) VALUES ('ann', 'mem', %s)", (text,))
        counting = sql.SQL("SELECT count(*) FROM {}")
        counts = [connection.execute(counting.format(sql.Identifier(table))).fetchone() for table in TABLES]
    assert counts == [(2,), (2,), (3,), (4,), (2,)]
