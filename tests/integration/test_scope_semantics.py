"""Every reading statement reads what the scope says, over every record and every scope of a small universe."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product

import numpy as np
import pytest

from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.contents import load_contents
from rensou_recall.store.records import load_newest_records, load_records
from rensou_recall.store.save import insert_record
from rensou_recall.store.time_cue import CueSearch, load_cued, load_newest_of_period, load_scope_span
from rensou_recall.types.embedding import EmbeddedText, Model
from rensou_recall.types.records import NewRecord, Source
from rensou_recall.types.retrieval import VectorQuery
from rensou_recall.types.time_cue import Period
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.ids import AgentId, ModelId, RecordId
from rensou_shared.scope import ReadScope, WriteScope
from rensou_shared.text.index import index_terms, question_terms
from tests.conftest import DatabaseDsns
from tests.integration.corpus import register

ANN, BOB = AgentId("ann"), AgentId("bob")
WORDS = "the very same words"
PROJECTS, CHANNELS = ("", "P", "Q"), ("", "C", "D")
SOURCES = ("", "chat:1", "chat:12", "chat", "CHAT:1", "chat_1", "chatx1", "a%b", "axb")
ASKED_PROJECTS = (None, "", "P", "Q", "R")
ASKED_CHANNELS = ("", "C", "D", "X")
ASKED_SOURCES = ("", "chat:1", "chat", "chat:", "chat_", "a%", "nobody", "nobody:")
SCOPES = [ReadScope(ANN, *asked) for asked in product(ASKED_PROJECTS, ASKED_CHANNELS, ASKED_SOURCES)]
TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Stored:
    """One record of the universe."""

    id: RecordId
    project_id: str
    channel: str
    source_id: str

    def is_readable(self, scope: ReadScope) -> bool:
        """The rule of the contract, said once more."""
        asked = scope.source_id
        of_source = asked == "" or self.source_id == asked
        if asked and not asked[-1].isalnum():
            of_source = self.source_id.startswith(asked)
        return scope.reads(self.project_id, self.channel) and of_source


@dataclass(frozen=True, slots=True)
class Universe:
    """Every combination of a project, a channel and a source, once for each of two agents; the records are Ann's."""

    database: Database
    model_id: ModelId
    records: tuple[Stored, ...]

    def readable(self, scope: ReadScope) -> set[RecordId]:
        """What the rule says."""
        return {one.id for one in self.records if one.is_readable(scope)}


async def fill(database: Database, model: Model, agent: AgentId) -> tuple[Stored, ...]:
    vector = np.array([1, 0, 0, 0], np.float32)
    stored: list[Stored] = []
    async with database.transaction(agent, TIMEOUT_S) as connection:
        for project, channel, source in product(PROJECTS, CHANNELS, SOURCES):
            inserted = await insert_record(
                connection,
                WriteScope(agent, project, channel),
                NewRecord("mem", WORDS, source=Source(id=source)),
                index_terms(agent, WORDS),
                EmbeddedText(model, vector, 4),
                wants_build=False,
            )
            assert inserted is not None
            stored.append(Stored(inserted.id, project, channel, source))
    return tuple(stored)


@pytest.fixture
async def universe(database_dsns: DatabaseDsns) -> AsyncIterator[Universe]:
    database = Database(database_dsns.recall, PoolSize(min_size=1, max_size=2))
    await database.open(TIMEOUT_S)
    model = Model(register(database_dsns.admin, 4), "m", "m", 4, 512)
    records = await fill(database, model, ANN)
    await fill(database, model, BOB)
    yield Universe(database, model.id, records)
    await database.close()


def test_the_scopes_tell_the_records_apart() -> None:
    assert len(SCOPES) == len(ASKED_PROJECTS) * len(ASKED_CHANNELS) * len(ASKED_SOURCES)
    one = Stored(RecordId(1), "P", "", "chat_1")
    assert one.is_readable(ReadScope(ANN, "P", "C", "chat_"))
    assert not one.is_readable(ReadScope(ANN, "P", "C", "chat"))


async def test_records_by_id_are_those_that_the_scope_reads(universe: Universe) -> None:
    ids = [one.id for one in universe.records]
    for scope in SCOPES:
        async with universe.database.transaction(ANN, TIMEOUT_S) as connection:
            assert set(await load_records(connection, scope, ids)) == universe.readable(scope), scope


async def test_contents_are_those_that_the_scope_reads(universe: Universe) -> None:
    ids = [one.id for one in universe.records]
    for scope in SCOPES:
        async with universe.database.transaction(ANN, TIMEOUT_S) as connection:
            found = await load_contents(connection, scope, ids)
        assert {ref.id for ref in found} == universe.readable(scope), scope


async def test_the_newest_records_are_those_that_the_scope_reads_newest_first(universe: Universe) -> None:
    for scope in SCOPES:
        readable = sorted(universe.readable(scope), reverse=True)
        async with universe.database.transaction(ANN, TIMEOUT_S) as connection:
            found = [record.ref.id for record in await load_newest_records(connection, scope, 1_000)]
            few = [record.ref.id for record in await load_newest_records(connection, scope, 3)]
        assert found == readable, scope
        assert few == readable[:3], scope


async def test_a_time_cue_finds_what_the_scope_reads(universe: Universe) -> None:
    search = CueSearch(question_terms(ANN, WORDS), np.array([1, 0, 0, 0], np.float32), universe.model_id)
    always = Period(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
    for scope in SCOPES:
        readable = sorted(universe.readable(scope))
        async with universe.database.transaction(ANN, TIMEOUT_S) as connection:
            found = await load_cued(connection, scope, always, search, depth=1_000)
            newest = await load_newest_of_period(connection, scope, always, depth=1_000)
            span = await load_scope_span(connection, scope)
        assert [hit.record_id for hit in found.hits] == readable, scope
        assert [hit.record_id for hit in newest.hits] == readable[::-1], scope
        assert (found.held, newest.held) == (len(readable),) * 2, scope
        assert (span is not None) == bool(readable), scope


async def test_both_arms_find_what_the_scope_reads(universe: Universe) -> None:
    terms = question_terms(ANN, WORDS)
    nearest = VectorQuery(np.array([1, 0, 0, 0], np.float32), universe.model_id)
    for scope in SCOPES:
        readable = sorted(universe.readable(scope))
        async with universe.database.transaction(ANN, TIMEOUT_S) as connection:
            candidates = await load_candidates(connection, scope, terms, nearest, 1_000)
        found = candidates.rows
        # Every score is the same, so that ranks go by id.
        assert [one.record_id for one in found] == readable, scope
        assert [one.vector_rank for one in found] == list(range(1, len(readable) + 1)), scope
        assert [one.lexical_rank for one in found] == list(range(1, len(readable) + 1)), scope


async def test_each_arm_alone_finds_what_the_scope_reads(universe: Universe) -> None:
    nearest = VectorQuery(np.array([1, 0, 0, 0], np.float32), universe.model_id)
    for scope in SCOPES:
        async with universe.database.transaction(ANN, TIMEOUT_S) as connection:
            said = await load_candidates(connection, scope, question_terms(ANN, WORDS), None, 1_000)
            near = await load_candidates(connection, scope, question_terms(ANN, "unheard"), nearest, 1_000)
        assert (
            {one.record_id for one in said.rows} == {one.record_id for one in near.rows} == universe.readable(scope)
        ), scope


async def test_another_agents_scope_reads_nothing_of_it(universe: Universe) -> None:
    ids = [one.id for one in universe.records]
    async with universe.database.transaction(BOB, TIMEOUT_S) as connection:
        assert await load_records(connection, ReadScope(BOB), ids) == {}
        assert await load_records(connection, ReadScope(ANN), ids) == {}
        found = await load_candidates(connection, ReadScope(BOB), question_terms(ANN, WORDS), None, 1_000)
        assert found.rows == []
