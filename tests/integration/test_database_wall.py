"""The database's own wall: what each login role reaches when a statement asks for no agent."""

from collections.abc import Iterator
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from tests.conftest import DatabaseDsns
from tests.e2e.walls_world import agent_tables
from tests.integration.record_world import Record, whole_record

# The worker takes work of every agent, and names the agent before it reads anything else.
OPEN_TO_THE_WORKER = {"node_builds"}
_FUNCTIONS = """
SELECT p.proname
FROM pg_proc p
WHERE p.pronamespace = 'rensou'::regnamespace
  AND p.prosecdef
  AND p.prorettype <> 'trigger'::regtype
  AND has_function_privilege(%s, p.oid, 'EXECUTE')
ORDER BY p.proname
"""


@pytest.fixture
def record(database_dsns: DatabaseDsns) -> Iterator[Record]:
    with whole_record(database_dsns) as one:
        one.run(
            """INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version)
               SELECT 'ann', id, content_sha256, 1 FROM records WHERE id = %(id)s"""
        )
        one.run("UPDATE records SET content = 'another' WHERE id = %(id)s")
        one.derive(1, "another")
        yield one


def reached(dsn: str, agent: str | None) -> set[tuple[str, str]]:
    """(table, agent) of every row that the role sees in a transaction for `agent` (None: no agent was named)."""
    seen: set[tuple[str, str]] = set()
    with psycopg.connect(dsn) as connection:
        for table in agent_tables(dsn):
            with connection.transaction():
                if agent is not None:
                    connection.execute("SELECT set_config('rensou.agent_id', %s, true)", (agent,))
                try:
                    with connection.transaction():
                        statement = sql.SQL("SELECT DISTINCT t.agent_id FROM rensou.{} t").format(sql.Identifier(table))
                        seen |= {(table, str(row[0])) for row in connection.execute(statement)}
                except psycopg.errors.InsufficientPrivilege:
                    continue
    return seen


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize("agent", [None, "", "bob", "ANN", "ann "])
def test_recall_reaches_no_other_agents_rows(database_dsns: DatabaseDsns, agent: str | None) -> None:
    assert reached(database_dsns.recall, agent) == set()


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize("agent", [None, "", "bob"])
def test_the_worker_reaches_no_other_agents_rows_but_its_work(database_dsns: DatabaseDsns, agent: str | None) -> None:
    assert {table for table, _ in reached(database_dsns.worker, agent)} == OPEN_TO_THE_WORKER


@pytest.mark.usefixtures("record")
def test_the_agent_itself_reaches_its_rows(database_dsns: DatabaseDsns) -> None:
    tables = {table for table, agent in reached(database_dsns.recall, "ann") if agent == "ann"}
    assert tables >= {"records", "record_terms", "record_nodes", "record_revisions", "entity_mentions", "relations"}


@pytest.mark.usefixtures("record")
def test_an_agent_is_forgotten_with_its_transaction(database_dsns: DatabaseDsns) -> None:
    with psycopg.connect(database_dsns.recall) as connection:
        with connection.transaction():
            connection.execute("SELECT set_config('rensou.agent_id', 'ann', true)")
            assert connection.execute("SELECT count(*) FROM records").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM records").fetchone() == (0,)


@pytest.mark.usefixtures("record")
def test_another_agents_rows_are_neither_changed_nor_deleted(database_dsns: DatabaseDsns) -> None:
    with psycopg.connect(database_dsns.recall) as connection:
        connection.execute("SELECT set_config('rensou.agent_id', 'bob', true)")
        assert connection.execute("UPDATE records SET locked = true").rowcount == 0
        assert connection.execute("DELETE FROM records").rowcount == 0


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize(
    ("agent", "statement"),
    [
        ("bob", "INSERT INTO records (agent_id, kind, content) VALUES ('ann', 'mem', 'x')"),
        ("ann", "UPDATE records SET agent_id = 'bob'"),
        ("", "INSERT INTO records (agent_id, kind, content) VALUES ('ann', 'mem', 'x')"),
    ],
)
def test_a_row_in_another_agents_name_is_refused(
    database_dsns: DatabaseDsns, agent: str, statement: LiteralString
) -> None:
    with psycopg.connect(database_dsns.recall) as connection:
        connection.execute("SELECT set_config('rensou.agent_id', %s, true)", (agent,))
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute(statement)


@pytest.mark.usefixtures("record")
def test_a_build_of_one_agent_cannot_hang_on_a_record_of_another(database_dsns: DatabaseDsns) -> None:
    with psycopg.connect(database_dsns.admin, options="-c search_path=rensou,public") as connection:
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            connection.execute(
                """INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version)
                   SELECT 'bob', id, content_sha256, 1 FROM records"""
            )


def test_each_role_may_call_only_its_own_definer_functions(database_dsns: DatabaseDsns) -> None:
    with psycopg.connect(database_dsns.admin) as connection:
        allowed = {
            role: [row[0] for row in connection.execute(_FUNCTIONS, (role,))]
            for role in ("rensou_recall", "rensou_worker")
        }
    assert allowed == {
        "rensou_recall": [
            "activate_embedding_model_v1",
            "arm_cue_v1",
            "arm_retired_v1",
            "builds_summary_v1",
            "embedding_models_v1",
            "gate_words_v1",
            "list_builds_v1",
            "pending_builds_v1",
            "recall_candidates_v1",
            "register_embedding_model_v1",
            "retry_builds_v1",
        ],
        "rensou_worker": [
            "agents_with_term_deltas_v1",
            "ann_agents_to_tend_v1",
            "ann_enter_v1",
            "ann_standing_v1",
            "embedding_models_v1",
            "pending_builds_v1",
            "records_lacking_v1",
            "records_to_rebuild_v1",
            "register_building_model_v1",
            "register_embedding_model_v1",
            "trim_recall_logs_v1",
        ],
    }
