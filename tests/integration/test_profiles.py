"""GRAPH and DIVERSE on a real database, with an embedding server that is a function of the words."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

import psycopg
import pytest

from rensou_recall.pipelines.active_model import ActiveModel
from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.pipelines.deps import Deps, Limits
from rensou_recall.pipelines.embedder import Embedder
from rensou_recall.pipelines.recall import RecallAnswer, RecallQuestion, recall
from rensou_recall.pipelines.store import store
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.graph import Associations, EntityDeclaration, RelationDeclaration
from rensou_recall.types.profile import Profile
from rensou_recall.types.records import NewRecord, Source
from rensou_recall.types.retrieval import Admission, Fusion, GateLevel
from rensou_recall.types.storing import StoreItem
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.guard import GuardedEmbedding
from rensou_shared.embedding.health import EmbeddingHealth
from rensou_shared.errors import UnsupportedMode
from rensou_shared.ids import AgentId, RecordRef
from rensou_shared.jobs.hints import NoHints
from rensou_shared.scope import ReadScope, WriteScope
from tests.conftest import DatabaseDsns
from tests.integration.word_embedding import WordEmbedding

ANN = AgentId("ann")


class Rensou:
    """The recall service's pipelines around one database."""

    def __init__(self, deps: Deps, server: WordEmbedding) -> None:
        self.deps = deps
        self.server = server

    def call(self) -> Call:
        return Call(Principal("test", frozenset({"*"}), operator=False), asyncio.get_running_loop().time() + 30)

    async def store(
        self,
        content: str,
        *mentions: str,
        relations: Sequence[tuple[str, str, str]] = (),
        scope: WriteScope | None = None,
        source: str = "",
    ) -> str:
        declared = Associations(
            tuple(EntityDeclaration(name) for name in mentions),
            tuple(RelationDeclaration(*relation) for relation in relations),
        )
        record = NewRecord("mem", content, source=Source("User", source))
        result = await store(self.deps, self.call(), StoreItem(scope or WriteScope(ANN, "", ""), record, declared))
        assert result.report is None or not result.report.dropped
        return str(result.ref)

    async def fill(self, count: int) -> None:
        """Records that answer every question below better than those which share no word with it."""
        for number in range(count):
            await self.store(f"the boat the boat number {number}")

    async def ask(
        self,
        text: str,
        profile: Profile,
        *,
        limit: int = 10,
        scope: ReadScope | None = None,
        exclude: frozenset[RecordRef] = frozenset(),
    ) -> RecallAnswer:
        # The gate is another test's: its measure of a function of the words says nothing.
        question = RecallQuestion(text, limit, 1_000, Fusion.CONVEX, (), exclude, gate=GateLevel.OFF, profile=profile)
        return await recall(self.deps, self.call(), scope or ReadScope(ANN), question)


@pytest.fixture
async def rensou(database_dsns: DatabaseDsns) -> AsyncIterator[Rensou]:
    server = WordEmbedding()
    guard = GuardedEmbedding(server, EmbeddingHealth(lambda: datetime.now(UTC)), CircuitBreaker(time.monotonic))
    database = Database(database_dsns.recall, PoolSize(1, 2))
    await database.open(10)
    active = ActiveModel([guard], database, 5.0)
    embedder, calibrator = Embedder(active, 5.0), Calibrator(active, database)
    yield Rensou(Deps(database, embedder, calibrator, NoHints(), Limits(), "test", "test"), server)
    await database.close()


def refs(answer: RecallAnswer) -> list[str]:
    return [str(hit.record.ref) for hit in answer.hits]


def page_ranks(answer: RecallAnswer) -> list[float | None]:
    return [hit.ranked.effect and hit.ranked.effect.page_rank for hit in answer.hits]


def held(answer: RecallAnswer) -> list[str]:
    return [str(hit.record.ref) for hit in answer.hits if hit.ranked.admission is Admission.GRAPH]


async def test_diverse_puts_what_says_the_same_behind_what_says_something_else(rensou: Rensou) -> None:
    first = await rensou.store("red boat is old now")
    same = await rensou.store("old is red boat now")
    other = await rensou.store("red boat near Lisbon yesterday")
    await rensou.store("bread, butter and salt for breakfast")
    assert set(refs(await rensou.ask("red boat", Profile.FLAT, limit=3))) == {first, same, other}
    answer = await rensou.ask("red boat is", Profile.DIVERSE)
    assert refs(answer)[:3] == [first, other, same]
    assert answer.profile is not None
    assert (answer.profile.applied, answer.profile.window, answer.profile.graph) == (True, 4, None)
    effects = [hit.ranked.effect for hit in answer.hits]
    assert [effect and effect.fused_rank for effect in effects][:3] == [1, 3, 2]
    assert [effect is not None and effect.similarity is None for effect in effects] == [True, False, False, False]


async def test_diverse_without_a_query_vector_keeps_the_order(rensou: Rensou) -> None:
    await rensou.store("the boat is red")
    await rensou.store("the boat is red too")
    rensou.server.down = True
    flat, diverse = [await rensou.ask("boat red", one) for one in (Profile.FLAT, Profile.DIVERSE)]
    assert refs(flat) == refs(diverse)
    assert diverse.degradation is not None


async def test_without_anything_declared_graph_is_flat(rensou: Rensou) -> None:
    await rensou.fill(12)
    flat, graph = [await rensou.ask("boat 3", one, limit=12) for one in (Profile.FLAT, Profile.GRAPH)]
    assert refs(flat) == refs(graph)
    assert graph.profile is not None
    assert graph.profile.graph is not None
    assert (graph.profile.graph.entities, graph.profile.graph.records) == (0, 12)


async def test_graph_holds_two_places_behind_the_limit_for_what_only_it_reached(rensou: Rensou) -> None:
    first = await rensou.store("the camera app got a release", "MizEye")
    relations = [("Kirari", "maintains", "MizEye"), ("Kirari", "lives in", "Sapporo")]
    mention = await rensou.store("lens", "MizEye", relations=relations)
    city = await rensou.store("hail", "Sapporo")
    far = await rensou.store("tower", "Sapporo", "Tokyo")
    for number in range(210):
        await rensou.store(f"camera app notes {number} release of the app")
    for profile, limit, expected in (
        (Profile.FLAT, 10, []),
        (Profile.GRAPH, 10, [mention, city]),
        (Profile.GRAPH, 1, [mention, city]),
        (Profile.GRAPH, 0, []),
    ):
        answer = await rensou.ask("the camera app got a release", profile, limit=limit)
        assert held(answer) == expected
        assert refs(answer)[limit:] == expected
    answer = await rensou.ask("the camera app got a release", Profile.GRAPH)
    assert refs(answer)[0] == first
    assert far not in refs(answer)
    assert [hit.ranked.votes for hit in answer.hits[10:]] == [(), ()]
    without = await rensou.ask(
        "the camera app got a release", Profile.GRAPH, exclude=frozenset({answer.hits[10].record.ref})
    )
    assert held(without) == [city]


async def test_a_relation_between_records_leads_to_a_record_that_no_arm_found(rensou: Rensou) -> None:
    first = await rensou.store("the camera app got a release")
    far = await rensou.store("ten")
    await rensou.store("nothing", relations=[(far, "corrects", first)])
    for number in range(210):
        await rensou.store(f"camera app notes {number} release of the app")
    assert held(await rensou.ask("the camera app got a release", Profile.GRAPH)) == [far]


@pytest.mark.parametrize(
    ("writes", "reads"),
    [
        (WriteScope(ANN, "Q", ""), ReadScope(ANN, "P")),
        (WriteScope(ANN, "", "D"), ReadScope(ANN, None, "C")),
        (WriteScope(AgentId("bob"), "", ""), ReadScope(ANN)),
    ],
)
async def test_graph_reads_nothing_that_the_scope_does_not(
    rensou: Rensou, writes: WriteScope, reads: ReadScope
) -> None:
    first = await rensou.store("the camera app got a release", "MizEye")
    for number in range(210):
        await rensou.store(f"camera app notes {number} release of the app")
    before = await rensou.ask("the camera app got a release", Profile.GRAPH, scope=reads)
    relations = [("MizEye", "is made by", "Kirari")]
    relations += [] if writes.agent_id != ANN else [(first, "supports", "Kirari")]
    far = await rensou.store("lens", "MizEye", "Kirari", relations=relations, scope=writes)
    after = await rensou.ask("the camera app got a release", Profile.GRAPH, scope=reads)
    # Word weights count every record of the agent; the graph and the order that it makes are the scope's.
    assert (refs(after), after.profile) == (refs(before), before.profile)
    assert page_ranks(after) == page_ranks(before)
    if writes.agent_id == ANN:
        assert held(await rensou.ask("the camera app got a release", Profile.GRAPH)) == [far]


async def test_the_source_of_a_scope_holds_for_what_the_graph_reaches(rensou: Rensou) -> None:
    await rensou.store("the camera app got a release", "MizEye", source="chat:1")
    for number in range(210):
        await rensou.store(f"camera app notes {number} release of the app", source="chat:1")
    mine = await rensou.store("lens", "MizEye", source="chat:2")
    await rensou.store("shutter", "MizEye", source="mail:1")
    scope = ReadScope(ANN, source_id="chat:")
    assert held(await rensou.ask("the camera app got a release", Profile.GRAPH, scope=scope)) == [mine]


async def test_the_same_question_gives_the_same_answer_also_after_a_vacuum(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    people = ("Mira", "Kenji", "Aya")
    for number in range(40):
        who, whom = people[number % 3], people[(number + 1) % 3]
        await rensou.store(f"the boat number {number} of {who}", who, whom, relations=[(who, "knows", whom)])
    for profile in (Profile.DIVERSE, Profile.GRAPH):
        first = await rensou.ask("boat of Mira", profile)
        for statement in (b"SELECT 1", b"VACUUM (FULL)", b"VACUUM (ANALYZE)"):
            with psycopg.connect(database_dsns.admin, autocommit=True) as connection:
                connection.execute(statement)
            assert await rensou.ask("boat of Mira", profile) == first


async def test_a_blank_question_lists_the_newest_whatever_the_profile(rensou: Rensou) -> None:
    await rensou.fill(3)
    flat = await rensou.ask(" ", Profile.FLAT)
    for profile in (Profile.DIVERSE, Profile.GRAPH):
        assert await rensou.ask(" ", profile) == flat


async def test_a_profile_that_the_deployment_has_not_is_refused(rensou: Rensou) -> None:
    for text in ("boat", " "):
        with pytest.raises(UnsupportedMode, match="PROFILE_RERANK"):
            await rensou.ask(text, Profile.RERANK)
