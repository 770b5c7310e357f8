"""What a savepoint keeps from the transaction around it, and what it does not."""

from collections.abc import AsyncIterator

import pytest

from rensou_recall.store.savepoint import StatementRefused, in_savepoint
from rensou_shared.db.pool import Connection
from rensou_shared.errors import DatabaseUnavailable, DeadlineExceeded, WriteConflict
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, TIMEOUT_S, Graph, entities, open_graph

_INSERT = """INSERT INTO entities (agent_id, project_id, channel, name, declared_by)
             VALUES ('ann', '', '', %(name)s, 'agent')"""
_REFUSED = {
    "a division": "SELECT 1 / 0",
    "a row of another agent": _INSERT.replace("'ann'", "'bob'"),
    "a table out of reach": "SELECT FROM node_builds_of_mars",
    "a check": _INSERT.replace("'agent'", "'nobody'"),
    "a key too long": "INSERT INTO entity_aliases SELECT 'ann', '', '', x, 1, 'a', true"
    " FROM (SELECT string_agg(md5(n::text), '') AS x FROM generate_series(1, 300) n) s",
    "a text that is none": "SELECT %(nul)s",
}


@pytest.fixture
async def graph(database_dsns: DatabaseDsns) -> AsyncIterator[Graph]:
    async with open_graph(database_dsns.recall) as opened:
        yield opened


async def _write(graph: Graph, statement: str, timeout_s: float = TIMEOUT_S) -> str:
    """Inserts one entity before, one in the savepoint, runs the statement there, and inserts one after."""
    reasons: list[str] = []

    async def run(connection: Connection, name: str) -> None:
        await connection.execute(_INSERT.encode(), {"name": name})

    async def part(connection: Connection) -> None:
        await run(connection, "inside")
        await connection.execute(statement.encode(), {"name": "inside", "nul": "x\0"})

    async def work(connection: Connection) -> None:
        await run(connection, "before")
        try:
            await in_savepoint(connection, lambda: part(connection))
        except StatementRefused as refused:
            reasons.append(str(refused))
        await run(connection, "after")

    await graph.database.write(AGENT, timeout_s, work)
    return reasons[-1] if reasons else ""


async def _names(graph: Graph) -> list[str]:
    return [name for (name,) in await graph.run(b"SELECT e.name FROM entities e ORDER BY e.id")]


@pytest.mark.parametrize("what", _REFUSED)
async def test_what_the_database_refuses_costs_the_part_alone(graph: Graph, what: str) -> None:
    assert await _write(graph, _REFUSED[what])
    assert await _names(graph) == ["before", "after"]


async def test_a_part_that_is_taken_stays(graph: Graph) -> None:
    assert await _write(graph, "SELECT 1") == ""
    assert await _names(graph) == ["before", "inside", "after"]


async def test_the_reason_names_no_value(graph: Graph) -> None:
    reason = await _write(graph, _INSERT.replace("'agent'", "'a secret'"))
    assert reason == "CheckViolation 23514 entities_declared_by_check"


async def test_a_row_that_is_gone_is_the_whole_transactions(graph: Graph) -> None:
    with pytest.raises(WriteConflict):
        await _write(graph, "INSERT INTO entity_mentions VALUES ('ann', 1, 999, 'agent')")
    assert await _names(graph) == []


async def test_a_deadline_is_the_whole_transactions(graph: Graph) -> None:
    with pytest.raises(DeadlineExceeded):
        await _write(graph, "SELECT pg_sleep(5)", timeout_s=0.5)
    assert await _names(graph) == []


async def test_a_lost_connection_is_the_whole_transactions(graph: Graph) -> None:
    with pytest.raises(DatabaseUnavailable):
        await _write(graph, "SELECT pg_terminate_backend(pg_backend_pid())")
    await graph.declare(entities("A"))
    assert await _names(graph) == ["A"]
