"""What an agent costs that statistics do not know grows with its declarations, not with their square."""

from collections.abc import AsyncIterator

import psycopg
import pytest

from rensou_recall.stages.contradictions import pair_groups
from rensou_recall.stages.replacement import REPLACEMENT_PREDICATES
from rensou_recall.store.consistency import find_ambiguous_aliases, find_orphan_entities, load_replacement_edges
from rensou_recall.store.listing import load_stated
from rensou_recall.store.traverse import load_details, walk
from rensou_recall.types.health import Ambiguity
from rensou_shared.db.pool import Connection
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, TIMEOUT_S, Graph, open_graph

LEAVES = 800
_FILL = (
    b"ANALYZE rensou.entities, rensou.relations, rensou.records, rensou.entity_edges, rensou.entity_mentions",
    b"INSERT INTO rensou.entities (agent_id, project_id, channel, name, declared_by)"
    b" SELECT 'ann', '', '', 'e' || n, 'agent' FROM generate_series(0, 800) n",
    b"INSERT INTO rensou.records (agent_id, kind, content) SELECT 'ann', 'mem', n FROM generate_series(0, 800) n",
    b"INSERT INTO rensou.relations (agent_id, project_id, channel, subject_entity, predicate, normalized_predicate,"
    b" object_entity, declared_by) SELECT 'ann', '', '', h.id, 'p', 'p', e.id, 'agent' FROM rensou.entities e"
    b" CROSS JOIN (SELECT min(x.id) AS id FROM rensou.entities x) h WHERE e.id <> h.id",
    b"INSERT INTO rensou.relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,"
    b" object_record, declared_by) SELECT 'ann', '', '', r.id, 'corrects', 'corrects', lag(r.id) OVER (ORDER BY r.id),"
    b" 'agent' FROM rensou.records r ORDER BY r.id OFFSET 1",
)


@pytest.fixture
async def graph(database_dsns: DatabaseDsns) -> AsyncIterator[Graph]:
    with psycopg.connect(database_dsns.admin, autocommit=True) as admin:
        for statement in _FILL:
            admin.execute(statement)
    async with open_graph(database_dsns.recall) as opened:
        yield opened


async def _rows_read(connection: Connection) -> int:
    cursor = await connection.execute(
        b"SELECT sum(coalesce(t.idx_tup_fetch, 0) + t.seq_tup_read)::bigint FROM pg_stat_xact_user_tables t"
        b" WHERE t.schemaname = 'rensou'"
    )
    row = await cursor.fetchone()
    assert row is not None
    return row[0]


async def test_orphans_of_an_agent_that_statistics_do_not_know_are_looked_up(graph: Graph) -> None:
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        assert await find_orphan_entities(connection, AGENT, 10) == (0, [])
        assert await _rows_read(connection) < 20 * LEAVES


async def test_replacements_of_an_agent_that_statistics_do_not_know_are_looked_up(graph: Graph) -> None:
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        found = await load_replacement_edges(connection, AGENT, REPLACEMENT_PREDICATES, LEAVES)
        assert len(found) == LEAVES - 2
        assert await _rows_read(connection) < 20 * LEAVES


async def test_one_name_in_many_places_is_compared_with_those_alone_that_are_read_with_it(
    graph: Graph, database_dsns: DatabaseDsns
) -> None:
    with psycopg.connect(database_dsns.admin, autocommit=True) as admin:
        for project, channel, name in ((b"''", b"'c' || n", b"'user'"), (b"'p' || n", b"''", b"'reader'")):
            admin.execute(
                b"WITH e AS (INSERT INTO rensou.entities (agent_id, project_id, channel, name, declared_by)"
                b" SELECT 'ann', %b, %b, %b, 'agent' FROM generate_series(1, 800) n RETURNING *)"
                b" INSERT INTO rensou.entity_aliases"
                b" (agent_id, project_id, channel, normalized, entity_id, alias, is_name)"
                b" SELECT 'ann', e.project_id, e.channel, e.name, e.id, e.name, true FROM e" % (project, channel, name)
            )
        admin.execute(b"ANALYZE rensou.entity_aliases")
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        assert await find_ambiguous_aliases(connection, AGENT, 10) == Ambiguity(0, ())
        assert await _rows_read(connection) < 20 * LEAVES


async def test_what_is_stated_in_many_places_is_read_once_a_page(graph: Graph) -> None:
    await graph.run(
        b"INSERT INTO relations (agent_id, project_id, channel, subject_entity, predicate, normalized_predicate,"
        b" object_entity, declared_by) SELECT 'ann', '', 'c' || e.id, h.id, 'q', 'q', e.id, 'agent' FROM entities e"
        b" CROSS JOIN (SELECT max(x.id) AS id FROM entities x) h WHERE e.id <> h.id"
    )
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        before = await _rows_read(connection)
        groups = await load_stated(connection, ReadScope(AGENT), (0, "", 0), 100)
        assert [len(group.stated) for group in groups] == [LEAVES, LEAVES]
        assert await _rows_read(connection) - before <= 3 * LEAVES
    assert pair_groups(groups[1:], (0, "", 0, 0), 101) == []


async def test_a_walk_of_an_agent_that_statistics_do_not_know_reads_as_much_as_it_may_name(graph: Graph) -> None:
    await graph.run(
        b"INSERT INTO entity_mentions (agent_id, entity_id, record_id, declared_by)"
        b" SELECT 'ann', e.id, r.id, 'agent' FROM entities e JOIN records r ON r.content = substr(e.name, 2)"
    )
    ((hub, leaf),) = await graph.run(b"SELECT min(e.id), max(e.id) FROM entities e")
    for _ in range(7):  # by a plan of its own, then by one for everybody
        async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
            before = await _rows_read(connection)
            reached = await walk(connection, ReadScope(AGENT), [leaf], 5, 20)
            assert (reached.entities[:2], len(reached.entities), reached.unfollowed) == ([leaf, hub], 20, False)
            details = await load_details(connection, ReadScope(AGENT), reached.entities, 20)
            assert (len(details.relations), details.relations_omitted) == (19, 0)
            assert await _rows_read(connection) - before < LEAVES


async def test_deleting_a_hub_reads_the_edges_of_each_pair_alone(graph: Graph) -> None:
    async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
        await connection.execute(b"DELETE FROM entities WHERE name = 'e0'")
        cursor = await connection.execute(b"SELECT count(*) FROM entity_edges")
        assert await cursor.fetchone() == (0,)
        assert await _rows_read(connection) < 40 * LEAVES
