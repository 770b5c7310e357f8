"""Every statement of the recall service names its agent once for every table of agents' data that it reads."""

import re
from importlib.resources import files

import pytest

_FOLDER = files("rensou_recall.store").joinpath("sql")
STATEMENTS = {one.name: one.read_text(encoding="utf-8") for one in _FOLDER.iterdir() if one.name.endswith(".sql")}
_MIGRATIONS = files("rensou_shared.db").joinpath("migrations")
_CREATED = re.compile(r"CREATE TABLE rensou\.(\w+) \(\n  agent_id text", re.MULTILINE)
TABLES = {table for one in _MIGRATIONS.iterdir() for table in _CREATED.findall(one.read_text(encoding="utf-8"))}
_READ = re.compile(rf"\b(?:FROM|JOIN|USING|UPDATE)\s+(?:rensou\.)?({'|'.join(sorted(TABLES))})\s+(?:AS\s+)?(\w+)")
_NAMED = re.compile(r"^ *(?:WHERE|AND|ON) (\w+)\.agent_id = %\(agent_id\)s$", re.MULTILINE)


def code_of(statement: str) -> str:
    return "\n".join(line for line in statement.splitlines() if not line.startswith("--"))


def test_the_tables_and_the_statements_are_all_there() -> None:
    assert {"records", "record_vectors", "node_builds", "entity_edges", "relations"} <= TABLES
    assert len(STATEMENTS) > 40


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_a_statement_names_its_agent_for_every_table_on_a_line_of_its_own(name: str) -> None:
    code = code_of(STATEMENTS[name])
    read = sorted(alias for _, alias in _READ.findall(code))
    assert sorted(_NAMED.findall(code)) == read


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_a_statement_reads_no_table_without_an_alias(name: str) -> None:
    bare = re.findall(rf"\b(?:FROM|JOIN|USING|UPDATE)\s+({'|'.join(sorted(TABLES))})\s*(?:$|WHERE|ON|SET|,|\))",
                      code_of(STATEMENTS[name]), re.MULTILINE)  # fmt: skip
    assert bare == []
