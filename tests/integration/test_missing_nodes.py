"""What a current set of nodes is, to all who ask, and what CheckHealth finds of it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from rensou_nodeworker.store.derived import load_vector_state
from rensou_nodeworker.store.sweeps import START, load_lacking
from rensou_nodeworker.types.builds import LeasedBuild
from rensou_nodeworker.types.derived import Model
from rensou_recall.store.contents import load_contents
from rensou_recall.store.evidence_records import load_scored_nodes
from rensou_recall.store.health import find_lacking, queue_builds
from rensou_recall.store.state import vector_state
from rensou_recall.types.health import Lacking
from rensou_recall.types.records import NodesOutlook
from rensou_shared.db.pool import Connection, Database, PoolSize
from rensou_shared.ids import AgentId, BuildId, ModelId, RecordId, RecordRef
from rensou_shared.scope import ReadScope
from rensou_shared.text.lexemes import TERMS_VERSION
from tests.conftest import DatabaseDsns

ANN = AgentId("ann")
TEXT = "abcdefghij"
WINDOW = 8
Span = tuple[int, int]

_NODE = """
INSERT INTO record_nodes (agent_id, record_id, node_index, start_char, end_char, token_count, token_window, model_id,
                          divider_version, embedding)
VALUES ('ann', %s, %s, %s, %s, 4, %s, %s, %s, '[1,0]')
"""
_CURRENT: list[Span] = [(0, 4), (4, 7), (7, 10)]
_BROKEN: dict[str, list[Span]] = {
    "no node": [],
    "does not start at 0": [(1, 4), (4, 10)],
    "a gap": [(0, 4), (5, 10)],
    "an overlap": [(0, 5), (4, 10)],
    "a gap and an overlap of one length": [(0, 4), (3, 6), (7, 10)],
    "ends before the text": [(0, 4), (4, 9)],
    "ends after the text": [(0, 4), (4, 11)],
    "in another order": [(4, 10), (0, 4)],
}
_FILL = (
    "ANALYZE records, record_vectors, record_nodes, node_builds",
    "INSERT INTO records (agent_id, kind, content) SELECT 'ann', 'mem', 'text ' || n FROM generate_series(1, 800) n",
    "INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, token_count, embedding)"
    " SELECT 'ann', r.id, m.id, '', '', '', 4 + 10 * (r.id % 2), '[1,0]' FROM records r CROSS JOIN embedding_models m"
    " WHERE r.id % 4 <> 0",
    "INSERT INTO record_nodes (agent_id, record_id, node_index, start_char, end_char, token_count, token_window,"
    " model_id, divider_version, embedding) SELECT 'ann', v.record_id, n, n, n + 1, 4, 8, v.model_id, 1, '[1,0]'"
    " FROM record_vectors v CROSS JOIN generate_series(0, 4) n WHERE v.token_count > 8",
    "INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version, state, finished_at)"
    " SELECT 'ann', r.id, r.content_sha256, 1, (ARRAY['done', 'pending', 'dead'])[r.id % 3 + 1], now() FROM records r",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The model of one database, and everybody who asks whether nodes are current."""

    dsns: DatabaseDsns
    recall: Database
    worker: Database
    model: int

    def run(self, statement: str, params: Any = None) -> list[tuple[Any, ...]]:
        """The rows of a statement, run by the superuser."""
        with psycopg.connect(self.dsns.admin, autocommit=True, options="-c search_path=rensou,public") as admin:
            cursor = admin.execute(statement.encode(), params)
            return cursor.fetchall() if cursor.description else []

    def record(self, spans: Sequence[Span] = (), *, tokens: int | None = 20, **more: Any) -> RecordId:
        """A record with its vector and nodes; `more`: window, divider, model, locked, kind, vector."""
        kind = more.get("kind", "mem")
        ((number,),) = self.run("SELECT count(*) FROM records")
        text = TEXT[:9] + chr(ord("j") + number)
        ((record,),) = self.run(
            "INSERT INTO records (agent_id, kind, content, locked, occurred_at, ended_at)"
            " VALUES ('ann', %s, %s, %s, %s, %s) RETURNING id",
            (kind, text, more.get("locked", False), *(["2026-01-01"] * 2 if kind == "ep" else [None] * 2)),
        )
        if more.get("vector", True):
            self.run(
                "INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding,"
                " token_count) VALUES ('ann', %s, %s, '', '', '', '[1,0]', %s)",
                (record, self.model, tokens),
            )
            self.run(
                "INSERT INTO record_terms (agent_id, record_id, terms_version, project_id, channel, source_id, hashes,"
                " words, trigrams) VALUES ('ann', %s, %s, '', '', '', '{}', '{}/999999937', '{}/999999937')",
                (record, TERMS_VERSION),
            )
        for index, (start, end) in enumerate(spans):
            window, divider = more.get("window", WINDOW), more.get("divider", 1)
            self.run(_NODE, (record, index, start, end, window, more.get("model", self.model), divider))
        return record

    async def answers(self, record: RecordId) -> dict[str, bool]:
        """Whether the record's nodes are current, by who is asked."""
        scope = ReadScope(ANN)
        model = Model(ModelId(self.model), "f", 2, WINDOW)
        claim = LeasedBuild(ANN, BuildId(1), record, b"", None, uuid4(), 0, 0, 0.0)
        async with self.recall.transaction(ANN, 20) as connection:
            full = (await load_contents(connection, scope, [record]))[RecordRef("mem", record)]
            scored = await load_scored_nodes(connection, scope, [record], None, None)
            answers = {
                "CheckHealth": (await _missing(connection)).count == 0,
                "GetContents": len(full.nodes) > 0,
                "Reconstruct": len(scored.get(record, ())) > 0,
                "Store": (await vector_state(connection, ANN, record)).nodes is NodesOutlook.NONE,
            }
        async with self.worker.transaction(ANN, 20) as connection:
            answers["worker"] = (await load_vector_state(connection, claim, model)).has_nodes
            answers["sweep"] = (await load_lacking(connection, model, START, 10))[0] == []
            cursor = await connection.execute(b"SELECT lacking FROM embedding_models_v1(1)")
            answers["models"] = await cursor.fetchall() == [(0,)]
        return answers


async def _missing(connection: Connection, keep: int = 50) -> Lacking:
    return await find_lacking(connection, "find_missing_nodes", ANN, 10, keep)


@pytest.fixture
async def asked(database_dsns: DatabaseDsns) -> AsyncIterator[Asked]:
    recall, worker = (Database(dsn, PoolSize(1, 2)) for dsn in (database_dsns.recall, database_dsns.worker))
    await recall.open(20)
    await worker.open(20)
    one = Asked(database_dsns, recall, worker, 0)
    ((model,),) = one.run(
        "INSERT INTO embedding_models (fingerprint, name, dimensions, token_window, state)"
        " VALUES ('f', 'm', 2, %s, 'active') RETURNING id",
        (WINDOW,),
    )
    yield Asked(database_dsns, recall, worker, model)
    await recall.close()
    await worker.close()


async def test_a_current_set_is_current_to_everybody(asked: Asked) -> None:
    answers = await asked.answers(asked.record(_CURRENT))
    assert set(answers.values()) == {True}, answers


@pytest.mark.parametrize("spans", _BROKEN.values(), ids=_BROKEN)
async def test_a_set_with_a_fault_is_current_to_nobody(asked: Asked, spans: list[Span]) -> None:
    answers = await asked.answers(asked.record(spans))
    assert set(answers.values()) == {False}, answers


@pytest.mark.parametrize("fault", [{"window": WINDOW - 1}, {"divider": 2}])
async def test_a_set_of_another_window_or_divider_is_current_to_nobody(asked: Asked, fault: dict[str, int]) -> None:
    answers = await asked.answers(asked.record(_CURRENT, **fault))
    assert set(answers.values()) == {False}, answers


async def test_a_set_of_another_model_is_current_to_nobody(asked: Asked) -> None:
    ((other,),) = asked.run(
        "INSERT INTO embedding_models (fingerprint, name, dimensions, token_window, state)"
        " VALUES ('g', 'm', 2, %s, 'retired') RETURNING id",
        (WINDOW,),
    )
    record = asked.record(_CURRENT, model=other)
    answers = await asked.answers(record)
    del answers["models"]
    assert set(answers.values()) == {False}, answers


async def test_what_fits_needs_no_nodes_and_what_was_never_counted_is_not_said_to_fit(asked: Asked) -> None:
    asked.record(tokens=WINDOW)
    unknown = asked.record(tokens=None)
    asked.record(vector=False)
    async with asked.recall.transaction(ANN, 20) as connection:
        found = await _missing(connection)
    assert (found.count, found.unknown, found.askable, found.refs, found.ask) == (0, 1, 1, (), (unknown,))


async def test_where_the_server_counts_nothing_all_is_unknown_and_asking_again_no_use(asked: Asked) -> None:
    asked.run("UPDATE embedding_models SET token_window = NULL")
    asked.record(tokens=None)
    asked.record(tokens=20)
    async with asked.recall.transaction(ANN, 20) as connection:
        found = await _missing(connection)
    assert (found.count, found.unknown, found.askable, found.ask) == (0, 2, 0, ())


async def test_locked_records_and_episodes_are_found_and_others_agents_are_not(asked: Asked) -> None:
    locked, episode = asked.record(locked=True), asked.record(kind="ep")
    async with asked.recall.transaction(ANN, 20) as connection:
        found = await _missing(connection)
    assert found.refs == (RecordRef("mem", locked), RecordRef("ep", episode))
    assert (found.count, found.episodes, found.ask) == (2, 1, (locked, episode))
    async with asked.recall.transaction(AgentId("bob"), 20) as connection:
        assert await find_lacking(connection, "find_missing_nodes", AgentId("bob"), 10, 50) == Lacking(
            0, 0, 0, 0, 0, (), ()
        )


@pytest.mark.parametrize("statement", ["find_missing_nodes", "find_missing_vectors"])
async def test_repairing_again_and_again_takes_up_the_rest(asked: Asked, statement: str) -> None:
    records = [asked.record(vector=statement == "find_missing_nodes") for _ in range(5)]
    asked_for: list[RecordId] = []
    for waiting in (0, 2, 4, 5):
        async with asked.recall.transaction(ANN, 20) as connection:
            found = await find_lacking(connection, statement, ANN, 10, 2)
            assert (found.count, found.waiting, found.askable) == (5, waiting, 5 - waiting)
            asked_for += found.ask
            assert len(await queue_builds(connection, ANN, found.ask)) == len(found.ask)
    assert asked_for == records


async def test_a_build_that_was_given_up_is_no_reason_not_to_ask(asked: Asked) -> None:
    record = asked.record()
    async with asked.recall.transaction(ANN, 20) as connection:
        await queue_builds(connection, ANN, [record])
    asked.run("UPDATE node_builds SET state = 'dead'")
    async with asked.recall.transaction(ANN, 20) as connection:
        assert (await _missing(connection)).ask == (record,)
        assert (await find_lacking(connection, "find_dead_builds", ANN, 10, 50)).refs == (RecordRef("mem", record),)


@pytest.mark.parametrize("statement", ["find_missing_nodes", "find_missing_vectors", "find_dead_builds"])
@pytest.mark.parametrize("analyzed", [False, True])
async def test_a_check_reads_what_an_agent_has_and_not_its_square(asked: Asked, statement: str, analyzed: bool) -> None:
    for fill in _FILL if not analyzed else (*_FILL, _FILL[0]):
        asked.run(fill)
    async with asked.recall.transaction(ANN, 20) as connection:
        found = await find_lacking(connection, statement, ANN, 10, 50)
        cursor = await connection.execute(
            b"SELECT sum(coalesce(t.idx_tup_fetch, 0) + t.seq_tup_read)::bigint FROM pg_stat_xact_user_tables t"
            b" WHERE t.schemaname = 'rensou'"
        )
        row = await cursor.fetchone()
    assert found.count > 100 and row is not None and row[0] < 20 * 800
