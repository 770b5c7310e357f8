"""Invariant 7: what a call may not read of the graph may just as well not be there, whatever its shape."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rensou_recall.convert.reconstruct import encode_reconstruct
from rensou_recall.convert.retrieval import encode_recall
from rensou_recall.convert.traverse import encode_neighbourhood
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.recall import RecallQuestion, recall
from rensou_recall.pipelines.reconstruct import reconstruct
from rensou_recall.pipelines.store import store
from rensou_recall.pipelines.traverse import traverse
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.evidence import EvidenceBounds, ReconstructQuestion
from rensou_recall.types.profile import Profile
from rensou_recall.types.records import NewRecord, Source
from rensou_recall.types.retrieval import Fusion
from rensou_recall.types.storing import StoreItem
from rensou_recall.types.traverse import TraverseRequest
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.errors import EntityNotFound
from rensou_shared.ids import AgentId, EntityId
from rensou_shared.scope import ReadScope, WriteScope
from tests.conftest import DatabaseDsns
from tests.integration.declared_world import DeclaredEntity, DeclaredRelation, DeclaredWorld, Spot
from tests.integration.rensou_world import deps_on
from tests.integration.word_embedding import WordEmbedding

ANN, BOB = AgentId("ann"), AgentId("bob")
TIMEOUT_S = 30.0
NAMES, OTHER_NAMES = ("tea", "pot", "cup"), ("chai", "kettle", "mug")
SPOTS = [*(Spot(ANN, *place) for place in (("", ""), ("P", ""), ("Q", ""), ("", "C"), ("", "D"))), Spot(BOB)]
SCOPES = st.builds(
    ReadScope, st.just(ANN), st.sampled_from(["P", "", None]), st.sampled_from(["C", ""]), st.sampled_from(["a:", ""])
)
RECORDS = [(spot, source) for spot in SPOTS for source in ("", "a:1")]
Draft = tuple[list[DeclaredEntity], list[tuple[int, int]], list[DeclaredRelation]]


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Entities numbered from 1, whom the records (numbered from 1, too) mention, and relations of every shape."""
    entities: list[DeclaredEntity] = []
    taken: set[tuple[Spot, str]] = set()
    for spot in draw(st.lists(st.sampled_from(SPOTS), min_size=4, max_size=8)):
        drawn = (draw(st.sampled_from(NAMES)), draw(st.sampled_from(OTHER_NAMES)))
        names = tuple(name for name in drawn if (spot, name) not in taken) or (f"x{len(entities)}",)
        taken |= {(spot, name) for name in names}
        entities.append(DeclaredEntity(len(entities) + 1, spot, names))
    ends = [*range(1, len(entities) + 1), *range(-len(RECORDS), 0)]
    agent_of = {end: (entities[end - 1].spot if end > 0 else RECORDS[-end - 1][0]).agent for end in ends}
    records = st.integers(1, len(RECORDS))
    some = st.tuples(st.integers(1, len(entities)), records).filter(lambda one: agent_of[one[0]] == agent_of[-one[1]])
    relations: list[DeclaredRelation] = []
    for _ in range(draw(st.integers(4, 16))):
        subject = draw(st.sampled_from(ends))
        others = [end for end in ends if end != subject and agent_of[end] == agent_of[subject]]
        # Most relations are between entities: those are the ones that are walked.
        alike = [end for end in others if (end > 0) == (subject > 0)]
        here = [spot for spot in SPOTS if spot.agent == agent_of[subject]]
        anchors = [None, *(-end for end in others if end < 0)]
        target = draw(st.sampled_from(others if not alike or draw(st.booleans()) else alike))
        place, anchor, second = draw(st.tuples(st.sampled_from(here), st.sampled_from(anchors), st.integers(0, 2)))
        number = len(relations) + 1
        relations.append(DeclaredRelation(number, place, subject, f"p{number}", target, anchor, second))
    return entities, draw(st.lists(some, min_size=8, max_size=24, unique=True)), relations


class Answering:
    """The pipelines on a database with a record in every spot, under a graph that is changed beneath them."""

    def __init__(self, deps: Deps, admin: psycopg.Connection) -> None:
        self._deps = deps
        self._admin = admin
        self._records: list[int] = []

    def _call(self) -> Call:
        return Call(Principal("test", frozenset({"*"}), operator=False), asyncio.get_running_loop().time() + TIMEOUT_S)

    async def store_records(self) -> None:
        for number, (spot, source) in enumerate(RECORDS):
            words = f"{NAMES[number % 3]} beside a {OTHER_NAMES[number % 2]}, number {number}"
            item = StoreItem(
                WriteScope(AgentId(spot.agent), spot.project, spot.channel),
                NewRecord("mem", words, source=Source(id=source)),
                None,
            )
            self._records.append((await store(self._deps, self._call(), item)).ref.id)

    def world(self, draft: Draft) -> DeclaredWorld:
        """The draft with the records' own numbers."""
        entities, mentions, relations = draft
        spots = {
            number: replace(spot, source=source) for number, (spot, source) in zip(self._records, RECORDS, strict=True)
        }
        real = {-place: -number for place, number in enumerate(self._records, start=1)}
        return DeclaredWorld(
            spots,
            entities,
            [(entity, -real[-record]) for entity, record in mentions],
            [
                replace(
                    one,
                    subject=real.get(one.subject, one.subject),
                    object=real.get(one.object, one.object),
                    anchor=None if one.anchor is None else -real[-one.anchor],
                )
                for one in relations
            ],
        )

    async def answers(self, world: DeclaredWorld, scope: ReadScope, max_hops: int, limit: int) -> list[bytes]:
        """What Reconstruct, Recall under GRAPH and Traverse say over `world`, as it goes over the wire."""
        world.write(self._admin)
        bounds = EvidenceBounds(3, 2, max_hops, limit, 20_000)
        answers: list[bytes] = []
        for name in NAMES:
            question = ReconstructQuestion(name, Fusion.CONVEX, bounds)
            found = encode_reconstruct(await reconstruct(self._deps, self._call(), scope, question))
            answers.append(found.SerializeToString(deterministic=True))
            asked = RecallQuestion(name, 3, 100, Fusion.CONVEX, (), profile=Profile.GRAPH)
            hits = encode_recall(await recall(self._deps, self._call(), scope, asked))
            answers.append(hits.SerializeToString(deterministic=True))
        for start in (*NAMES, *OTHER_NAMES, *(EntityId(number) for number in range(1, 5))):
            request = TraverseRequest(scope, str(start), start, max_hops, limit)
            try:
                walked = encode_neighbourhood(await traverse(self._deps, self._call(), request))
                answers.append(walked.SerializeToString(deterministic=True))
            except EntityNotFound:
                answers.append(b"not found")
        return answers


@pytest.fixture
async def answering(database_dsns: DatabaseDsns) -> AsyncIterator[Answering]:
    """The pipelines of one service, and the superuser, whom no policy binds."""
    database = Database(database_dsns.recall, PoolSize(1, 2))
    await database.open(TIMEOUT_S)
    with psycopg.connect(database_dsns.admin, autocommit=True) as admin:
        ready = Answering(deps_on(database, WordEmbedding()), admin)
        await ready.store_records()
        yield ready
    await database.close()


@settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(draft=drafts(), scope=SCOPES, max_hops=st.integers(1, 3), limit=st.sampled_from([1, 2, 40]))
async def test_invariant_7_what_a_call_may_not_read_changes_no_byte_of_its_answers(
    answering: Answering, draft: Draft, scope: ReadScope, max_hops: int, limit: int
) -> None:
    world = answering.world(draft)
    whole = await answering.answers(world, scope, max_hops, limit)
    assert whole == await answering.answers(world.cut_to(scope), scope, max_hops, limit)
