"""Profiles through the public door: what they do is told, what is not there is refused, nobody alike bleeds in."""

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import gate_pb2
from rensou.v1 import profile_pb2 as profiles
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import TIMEOUT_S, failure_of, found, own_recall, recall, store, store_many
from tests.unit.fake_reranker import Answer, FakeReranker, fake_reranker, hangs, honest, says

FLAT, DIVERSE = profiles.PROFILE_FLAT, profiles.PROFILE_DIVERSE
GRAPH, RERANK = profiles.PROFILE_GRAPH, profiles.PROFILE_RERANK

# Two people of one name, one project, one fact beside the other.
FACTS = [
    ("{} plays the cello in the town orchestra.", "cello"),
    ("{} keeps bees behind the old mill.", "bees"),
    ("{} is allergic to walnuts.", "walnuts"),
    ("{} wrote the parser of the lighthouse project.", "parser"),
    ("{} will present the lighthouse project in Osaka.", "Osaka"),
]
OTHER_FACTS = [
    ("{} plays the trumpet in the town orchestra.", "trumpet"),
    ("{} keeps goats behind the old mill.", "goats"),
    ("{} is allergic to pollen.", "pollen"),
    ("{} wrote the scheduler of the lighthouse project.", "scheduler"),
    ("{} will present the lighthouse project in Nagoya.", "Nagoya"),
]
QUESTIONS = [
    "Which instrument does {} play?",
    "Which animals does {} keep?",
    "What is {} allergic to?",
    "What did {} write for the lighthouse project?",
    "Where will {} present the lighthouse project?",
]
HIROSHI, YUKI = "Hiroshi Tanaka", "Yuki Tanaka"
FILLER = [
    "The town orchestra rehearses on Thursdays.",
    "The old mill was sold last spring.",
    "Pollen counts are high this week.",
    "The lighthouse project has a new budget.",
    "The hall in Osaka holds four hundred people.",
    "Goats and bees are welcome at the fair.",
]


async def declared(client: RensouClient, agent: str, content: str, *entities: str, **fields: object) -> str:
    """The ref of a record that mentions these."""
    relations = fields.get("relations", ())
    graph = pb.Associations(
        entities=[pb.EntityDeclaration(name=name) for name in entities],
        relations=[pb.RelationDeclaration(subject=s, predicate=p, object=o) for s, p, o in relations],  # pyright: ignore
    )
    return (await store(client, agent, content, associations=graph)).ref


async def two_people(client: RensouClient, agent: str, *, related: bool) -> tuple[list[str], list[str]]:
    """The refs of what is stored about the one and the other."""
    works = [(one, "works on", "lighthouse project") for one in (HIROSHI, YUKI)] if related else []
    of: dict[str, list[str]] = {HIROSHI: [], YUKI: []}
    for own, other in zip(FACTS, OTHER_FACTS, strict=True):
        for name, (text, _) in ((HIROSHI, own), (YUKI, other)):
            shared = ["lighthouse project"] if "lighthouse" in text else ["town orchestra"] if "town" in text else []
            of[name].append(await declared(client, agent, text.format(name), name, *shared, relations=works))
    # The other is spoken of less: a walk comes back to each of these few records more often.
    for number in range(12):
        of[HIROSHI].append(await declared(client, agent, f"{HIROSHI} walked {number + 2} miles.", HIROSHI))
    await store_many(client, agent, FILLER)
    return of[HIROSHI], of[YUKI]


@pytest.mark.parametrize("related", [False, True])
@pytest.mark.parametrize("fusion", [pb.FUSION_CONVEX, pb.FUSION_RRF])
async def test_two_people_of_one_name_do_not_bleed_into_each_other(
    client: RensouClient, agent: str, related: bool, fusion: pb.Fusion
) -> None:
    of = await two_people(client, agent, related=related)
    for name, own, others in ((HIROSHI, *of), (YUKI, *reversed(of))):
        for question in QUESTIONS:
            query = question.format(name)
            flat = await found(client, agent, query, limit=40, fusion=fusion)
            graph = await found(client, agent, query, limit=40, fusion=fusion, profile=GRAPH)
            assert flat[0] in own, query
            assert sorted(graph) == sorted(flat)
            for other in others:
                assert graph.index(other) >= flat.index(other), (query, other)
                above = {one for one in own if flat.index(one) < flat.index(other)}
                assert above <= set(graph[: graph.index(other)]), (query, other)


async def test_graph_tells_what_it_did_and_lifts_what_belongs_to_the_first_hit(
    client: RensouClient, agent: str
) -> None:
    first = await declared(client, agent, f"{HIROSHI} plays the cello.", HIROSHI)
    await store_many(client, agent, [f"Does anybody play a cello of {year}?" for year in range(1900, 1910)])
    own = await declared(client, agent, "Who of us still plays an old cello of 1911, I wonder?", HIROSHI)
    query = f"Which instrument does {HIROSHI} play?"
    flat = await found(client, agent, query, limit=40)
    answer = await recall(client, agent, query, limit=40, profile=GRAPH)
    assert (answer.profile.profile, answer.profile.applied, answer.profile.window) == (GRAPH, True, 12)
    assert answer.profile.graph == profiles.GraphReach(entities=1, records=12)
    assert answer.hits[0].record.ref == flat[0] == first
    for hit in answer.hits:
        assert flat[hit.explanation.profile.fused_rank - 1] == hit.record.ref
        assert hit.explanation.admission == rpc.ADMISSION_RANKED
    places = {hit.record.ref: place for place, hit in enumerate(answer.hits)}
    assert places[own] < flat.index(own)
    assert answer.hits[places[own]].explanation.profile.page_rank > 0
    assert answer.hits[-1].explanation.profile.page_rank == 0


async def test_diverse_moves_what_says_the_same_down_and_tells_how_alike_it_is(
    client: RensouClient, agent: str
) -> None:
    texts = [f"The ferry to the island leaves at {hour} from pier four." for hour in ("nine", "ten", "noon", "one")]
    await store_many(client, agent, [*texts, "The island has no bank.", "Tickets for the ferry are sold on board."])
    query = "When does the ferry to the island leave?"
    flat = await recall(client, agent, query)
    diverse = await recall(client, agent, query, profile=DIVERSE)
    assert sorted(hit.record.ref for hit in diverse.hits) == sorted(hit.record.ref for hit in flat.hits)
    assert diverse.hits[0].record.ref == flat.hits[0].record.ref
    assert [hit.record.ref for hit in diverse.hits] != [hit.record.ref for hit in flat.hits]
    assert not diverse.hits[0].explanation.profile.HasField("similarity")
    assert all(0 < hit.explanation.profile.similarity <= 1 for hit in diverse.hits[1:])
    assert all(not hit.explanation.HasField("profile") for hit in flat.hits)
    assert not flat.HasField("profile")
    scores = {hit.record.ref: hit.explanation.score for hit in flat.hits}
    assert {hit.record.ref: hit.explanation.score for hit in diverse.hits} == scores


@pytest.mark.parametrize("profile", [DIVERSE, GRAPH])
async def test_a_shorter_answer_is_the_same_order_cut(client: RensouClient, agent: str, profile: int) -> None:
    await two_people(client, agent, related=True)
    query = f"What is {YUKI} allergic to?"
    whole = await found(client, agent, query, limit=40, profile=profile)
    for limit in (0, 1, 5):
        assert await found(client, agent, query, limit=limit, profile=profile) == whole[:limit]
    answers = [await recall(client, agent, query, profile=profile) for _ in range(5)]
    assert len({answer.SerializeToString(deterministic=True) for answer in answers}) == 1


async def test_what_the_deployment_has_not_is_refused_and_not_listed(client: RensouClient, agent: str) -> None:
    capabilities = await client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=TIMEOUT_S)
    assert list(capabilities.profiles) == [FLAT, DIVERSE, GRAPH]
    failure = await failure_of(recall(client, agent, "tea", profile=RERANK))
    assert (failure.code, failure.reason) == (grpc.StatusCode.UNIMPLEMENTED, "UNSUPPORTED_MODE")
    failure = await failure_of(recall(client, agent, "tea", profile=99))
    assert failure.fields == ("profile",)


@pytest.fixture(scope="module")
async def reranker() -> AsyncIterator[FakeReranker]:
    async with fake_reranker() as one:
        yield one


@pytest.fixture(scope="module")
async def reranking_address(stack: EmbeddedStack, scratch_folder: Path, reranker: FakeReranker) -> AsyncIterator[str]:
    """A recall service on the stack's data whose operator has set a cross-encoder."""
    settings = {
        "database_url": stack.recall_dsn,
        "embedding_url": stack.embedding_url,
        "embedding_token": stack.embedding_token,
        "rerank_url": reranker.url,
        "rerank_token": "token-of-the-reranker",
    }
    async with own_recall(scratch_folder, **settings) as one:
        yield one.address


@pytest.fixture
async def reranking(reranking_address: str, reranker: FakeReranker) -> AsyncIterator[RensouClient]:
    reranker.always = honest
    reranker.bodies.clear()
    async with RensouClient(reranking_address) as one:
        yield one


async def test_rerank_is_the_order_of_the_cross_encoder(
    reranking: RensouClient, reranker: FakeReranker, agent: str
) -> None:
    refs = await store_many(reranking, agent, ["Tea with milk.", "Milk and bread.", "Bread and butter and tea today."])
    query = "milk tea bread and butter"
    flat = await recall(reranking, agent, query)
    assert not reranker.bodies
    answer = await recall(reranking, agent, query, profile=RERANK)
    (body,) = reranker.bodies
    assert body["query"] == query
    assert sorted(body["texts"]) == sorted(hit.quote.content for hit in flat.hits)
    assert reranker.headers[-1]["authorization"] == "Bearer token-of-the-reranker"
    assert not answer.HasField("degradation")
    assert (answer.profile.profile, answer.profile.applied, answer.profile.window) == (RERANK, True, 3)
    assert answer.hits[0].record.ref == refs[2]
    assert [hit.explanation.profile.score for hit in answer.hits] == [4.0, 3.0, 2.0]
    by_fusion = [hit.record.ref for hit in flat.hits]
    assert [by_fusion[hit.explanation.profile.fused_rank - 1] for hit in answer.hits] == [
        hit.record.ref for hit in answer.hits
    ]
    capabilities = await reranking.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=TIMEOUT_S)
    assert list(capabilities.profiles) == [FLAT, DIVERSE, GRAPH, RERANK]


async def test_rerank_sends_fifty_texts_cut_and_none_for_an_answer_without_hits(
    reranking: RensouClient, reranker: FakeReranker, agent: str
) -> None:
    await store_many(reranking, agent, [f"boat {number} " + "of the harbour " * 150 for number in range(60)])
    answer = await recall(reranking, agent, "boat " * 400, limit=60, profile=RERANK, gate=gate_pb2.GATE_OFF)
    assert [len(body["texts"]) for body in reranker.bodies] == [32, 18]
    assert {len(text) for body in reranker.bodies for text in body["texts"]} == {2_000}
    assert {len(body["query"]) for body in reranker.bodies} == {1_000}
    told = [hit.explanation.HasField("profile") for hit in answer.hits]
    assert told == [True] * 50 + [False] * 10
    reranker.bodies.clear()
    assert not (await recall(reranking, agent, "boat", limit=0, profile=RERANK)).hits
    assert (await recall(reranking, agent, " ", profile=RERANK)).hits
    assert not reranker.bodies


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        (says({"error": "overloaded"}, 429), "status 429"),
        (says([{"index": 0, "score": 1.0}]), "1 scores for 3 texts"),
        (says('[{"index":0,"score":NaN},{"index":1,"score":1},{"index":2,"score":1}]'), "no finite number"),
        (says({"error": "no"}, 401), "status 401"),
        (says("<html>"), "no JSON"),
        (hangs, "no answer within"),
    ],
)
async def test_a_reranker_that_fails_leaves_the_fused_order_and_says_so(
    reranking: RensouClient, reranker: FakeReranker, agent: str, lie: Answer, reason: str
) -> None:
    await store_many(reranking, agent, ["Tea with milk.", "Milk and bread.", "Bread and butter and tea today."])
    query = "milk tea"
    flat = await found(reranking, agent, query)
    reranker.always = lie
    answer = await recall(reranking, agent, query, profile=RERANK)
    assert [hit.record.ref for hit in answer.hits] == flat
    assert answer.degradation.kind == pb.DEGRADATION_KIND_RERANKER_UNAVAILABLE
    assert reason in answer.degradation.reason
    assert answer.degradation.HasField("since_time")
    assert not answer.profile.applied
    assert not any(hit.explanation.HasField("profile") for hit in answer.hits)
    health = await reranking.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent), timeout=TIMEOUT_S)
    assert [one.name for one in health.dependencies] == ["embedding", "postgres", "redis", "reranker"]
    reranker.always = honest
    assert (await recall(reranking, agent, query, profile=RERANK)).profile.applied
