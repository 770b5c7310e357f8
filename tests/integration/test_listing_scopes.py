"""Lists hold what the scope reads, and read it from their indexes, however much there is."""

from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import psycopg
import pytest

from rensou_recall.types.listing import (
    ListedRelation,
)
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import RecordRef, RelationId
from rensou_shared.scope import ReadScope, scope_params
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, TIMEOUT_S, entities, open_graph, relations, scope_of
from tests.integration.listing_world import EVERYTHING, Lists, name_of


@pytest.fixture
async def lists(database_dsns: DatabaseDsns) -> AsyncIterator[Lists]:
    async with open_graph(database_dsns.recall) as opened:
        yield Lists(opened)


PROJECTS, CHANNELS, SOURCES = ("", "P", "Q"), ("", "C", "D"), ("", "s:1")
SCOPES = [
    ReadScope(AGENT, project, channel, source)
    for project, channel, source in product((None, *PROJECTS, "R"), (*CHANNELS, "X"), ("", "s:1", "s:"))
]


async def test_each_scope_lists_what_it_reads_of_a_small_universe(lists: Lists) -> None:
    """Every place holds an entity, two records, and relations of every form to those of the global pool."""
    pool = await lists.graph.record("pool", source_id="s:1")
    await lists.graph.declare(entities("Pool"))
    for project, channel in product(PROJECTS, CHANNELS):
        place, name = scope_of(project, channel), f"E{project}{channel}"
        records = [await lists.graph.record(f"{name}{source}", place, source_id=source) for source in SOURCES]
        forms = [(name, "p", "Pool"), *((str(one), "p", "Pool") for one in records), (str(records[0]), "p", str(pool))]
        report = await lists.graph.declare(relations(*forms), place, records[1])
        assert not report.dropped
    sources = {
        RecordRef(row[0], row[1]): row[2:]
        for row in await lists.graph.run(b"SELECT kind, id, project_id, channel, source_id FROM records")
    }
    everything = (await lists.relations()).items
    assert len(everything) == 36

    def reads(scope: ReadScope, record: RecordRef) -> bool:
        project, channel, source = sources[record]
        of_source = source.startswith(scope.source_id) if scope.source_is_prefix else scope.source_id in ("", source)
        return scope.reads(project, channel) and of_source

    for scope in SCOPES:
        expected = [
            one.id
            for one in everything
            if scope.reads(one.place.project_id, one.place.channel)
            and all(reads(scope, end) for end in (one.subject, one.object) if isinstance(end, RecordRef))
        ]
        listed = (await lists.relations(scope)).items
        assert [one.id for one in listed] == expected, scope
        assert all((one.anchor is not None) == reads(scope, anchor_of(everything, one.id)) for one in listed)
        places = [one.place for one in (await lists.entities(scope)).items]
        assert all(scope.reads(one.project_id, one.channel) for one in places)
        assert len(places) == sum(scope.reads(*place) for place in product(PROJECTS, CHANNELS)) + 1
        pool_end = (await lists.entities(name="pool")).items[0].id
        of_pool = [one.id for one in (await lists.relations(scope, pool_end)).items]
        assert of_pool == [one.id for one in listed if name_of(one.object) == "Pool"]


def anchor_of(everything: tuple[ListedRelation, ...], relation: RelationId) -> RecordRef:
    (anchor,) = [one.anchor for one in everything if one.id == relation]
    assert anchor is not None
    return anchor


_FILL = (
    b"INSERT INTO rensou.records (agent_id, kind, content) SELECT 'ann', 'mem', n FROM generate_series(1, 999) n",
    # Without triggers and foreign keys: the lists read no edge.
    b"SET session_replication_role = replica",
    b"""
INSERT INTO rensou.entities (agent_id, project_id, channel, name, declared_by)
SELECT 'ann', (ARRAY['', 'P', 'Q'])[1 + n % 3], '', 'e' || n, 'agent' FROM generate_series(1, 3000) n
""",
    b"""
WITH one AS (
  SELECT e.id, e.project_id, row_number() OVER (PARTITION BY e.project_id ORDER BY e.id) AS n FROM rensou.entities e
)
INSERT INTO rensou.relations (agent_id, project_id, channel, subject_entity, predicate, normalized_predicate,
                              object_entity, declared_by)
SELECT 'ann', s.project_id, '', s.id, 'p' || k % 17, 'p' || k % 17, o.id, 'agent'
FROM one s CROSS JOIN generate_series(0, 33) k
JOIN one o ON o.project_id = s.project_id AND o.n = 1 + (s.n + k * 7) % 1000 AND o.id <> s.id
""",
    b"""
INSERT INTO rensou.relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,
                              object_record, declared_by)
SELECT 'ann', '', '', r.id, 'after', 'after', lag(r.id) OVER (ORDER BY r.id), 'agent'
FROM rensou.records r ORDER BY r.id OFFSET 1
""",
    b"UPDATE rensou.relations SET project_id = 'R' WHERE id % 10000 = 0",
    b"ANALYZE rensou.relations, rensou.entities, rensou.records",
)


async def _plan(lists: Lists, statement: str, **params: Any) -> tuple[str, int]:
    """The plan of a statement as it is run, and how many buffers it reads."""
    async with lists.database.transaction(AGENT, TIMEOUT_S) as connection:
        explain = b"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) " + load_statement("rensou_recall.store", statement)
        cursor = await connection.execute(explain, params)
        lines = [row[0] for row in await cursor.fetchall()]
    hits = next(line for line in lines if "Buffers: shared" in line)
    return "\n".join(lines), sum(int(part.split("=")[1]) for part in hits.split() if part.startswith(("hit=", "read=")))


async def test_a_page_of_100000_relations_is_read_from_its_index(lists: Lists, database_dsns: DatabaseDsns) -> None:
    async with await psycopg.AsyncConnection.connect(database_dsns.admin, autocommit=True) as admin:
        for statement in _FILL:
            await admin.execute(statement)
    ((count, middle, hub),) = await lists.graph.run(
        b"SELECT count(*), percentile_disc(.5) WITHIN GROUP (ORDER BY id), min(subject_entity) FROM relations"
    )
    assert count > 95_000
    page = {"predicate": "", "after": middle, "keep": 101}
    of_hub = {"entity_id": hub, "record_id": None}
    pair = {"after_subject": hub + 1500, "after_predicate": "p3", "after_first": 1, "groups": 100}
    asked = [
        ("find_relations", EVERYTHING, page, "relations_pkey"),
        ("find_relations", ReadScope(AGENT, "P"), page, "relations_place"),
        ("find_relations", ReadScope(AGENT, "R"), page, "relations_place"),
        ("find_relations_of", EVERYTHING, page | of_hub | {"after": 0}, "relations_subject_entity_id"),
        ("find_entities", EVERYTHING, {"after": hub + 1500, "keep": 101}, "entities_pkey"),
        ("find_entities", ReadScope(AGENT, "P"), {"after": hub + 1500, "keep": 101}, "entities_place"),
        ("load_stated", EVERYTHING, pair, "relations_statements"),
    ]
    for statement, scope, params, index in asked:
        plan, buffers = await _plan(lists, statement, **scope_params(scope), **params)
        assert index in plan and "Seq Scan" not in plan, plan
        assert buffers < 3_000 or statement == "load_stated", plan
