"""Invariants of what is declared, by their numbers (docs/proofs.md), as far as the database has a part in them."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from rensou_recall.convert.traverse import encode_neighbourhood
from rensou_recall.pipelines.declare import declare
from rensou_recall.pipelines.traverse import traverse
from rensou_recall.types.call import Principal
from rensou_recall.types.evidence import EvidenceBounds
from rensou_recall.types.graph import Associations, DeclareRequest
from rensou_recall.types.traverse import TraverseRequest
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.embedding.port import Embedded, Side
from rensou_shared.ids import RecordKind
from rensou_shared.scope import ReadScope, WriteScope
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, Graph, entities, open_graph, relations
from tests.integration.rensou_world import Rensou, deps_on
from tests.integration.word_embedding import WordEmbedding

SCOPE, HERE = ReadScope(AGENT), WriteScope(AGENT, "", "")
BOUNDS = EvidenceBounds(10, 20, 3, 40, 20_000)


class CountingEmbedding(WordEmbedding):
    """An embedding server that remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        self.asked += texts
        return await super().embed(texts, side, timeout_s, with_counts=with_counts)


@pytest.fixture
async def rensou(database_dsns: DatabaseDsns) -> AsyncIterator[Rensou]:
    """The pipelines on a database of the test's own."""
    database, server = Database(database_dsns.recall, PoolSize(1, 2)), CountingEmbedding()
    await database.open(10)
    yield Rensou(deps_on(database, server), server)
    await database.close()


@pytest.fixture
async def graph(database_dsns: DatabaseDsns) -> AsyncIterator[Graph]:
    """The graph of a database of the test's own."""
    async with open_graph(database_dsns.recall) as opened:
        yield opened


async def test_invariant_4_declaring_and_walking_ask_no_model_and_the_question_is_asked_as_it_is(
    rensou: Rensou,
) -> None:
    assert isinstance(rensou.server, CountingEmbedding)
    first = await rensou.store("The camera app got a release.")
    last = await rensou.store("Snow lies in the north.")
    await rensou.ask("a question that measures the agent")
    rensou.server.asked.clear()
    named = entities(("MizEye", "camera app", "ミズアイ"), "Kirari")
    related = relations(("Kirari", "maintains", "MizEye"), ("Kirari", "lives in", "Sapporo"))
    for declared, anchor in ((named, first), (entities("Sapporo"), last), (related, "")):
        await declare(rensou.deps, rensou.call(), HERE, DeclareRequest(declared, anchor))
    walked = await traverse(rensou.deps, rensou.call(), TraverseRequest(SCOPE, "mizeye", "mizeye", 5, 100))
    assert len(walked.entities) == 3
    assert rensou.server.asked == []
    await rensou.ask("what of the camera app?", BOUNDS)
    assert rensou.server.asked == ["what of the camera app?"]


async def test_invariant_6_a_relation_says_who_declared_it_and_on_which_record(graph: Graph) -> None:
    await graph.record("before")
    record = await graph.record("x", kind="ep")
    by_agent, by_operator = relations(("A", "Looks After", "B")), relations(("B", "knows", "C"))
    call = graph.call()
    operator = replace(call, principal=Principal("test", frozenset({AGENT}), operator=True))
    deps: object = graph
    await declare(deps, call, HERE, DeclareRequest(by_agent, str(record)))  # type: ignore[arg-type]
    await declare(deps, operator, HERE, DeclareRequest(by_operator))  # type: ignore[arg-type]
    found = await traverse(deps, call, TraverseRequest(SCOPE, "a", "a", 2, 10))  # type: ignore[arg-type]
    shown = encode_neighbourhood(found).relations
    said = {(one.predicate, one.declared_by, one.anchor_ref) for one in shown}
    assert said == {("Looks After", "agent", str(record)), ("knows", "operator", "")}
    assert all(one.declare_time.seconds > 0 for one in shown)


async def test_invariant_6_every_claim_says_why_it_is_there_and_a_walked_one_how_far_away(rensou: Rensou) -> None:
    one = await rensou.store("Tea time.", entities=["Tea"])
    other = await rensou.store("Tea time again.")
    far = await rensou.store("Snow lies in the north.", entities=["Sapporo"])
    nearer = await rensou.store("A pot stands there.", entities=["Pot"])
    related = [("Tea", "Comes In", "Pot"), ("Pot", "was made in", "Sapporo"), (other, "Repeats", one)]
    await rensou.store("unrelated", relations=related)
    answer = await rensou.ask("tea time", replace(BOUNDS, top_k=2))
    said = {str(claim.ref): (claim.why, claim.hops) for item in answer.items for claim in item.claims}
    assert said == {
        one: ("relation:repeats", None),
        other: ("relation:repeats", None),
        nearer: ("relation:comes in", 1),
        far: ("relation:was made in", 2),
    }


@pytest.mark.parametrize("kind", ["mem", "ep"])
async def test_invariant_8_what_is_declared_of_a_record_leaves_with_it(graph: Graph, kind: RecordKind) -> None:
    gone, stays = await graph.record("gone", kind=kind), await graph.record("stays")
    named = entities("Ann", "Bob").entities
    await graph.declare(Associations(named, relations(("Ann", "p", "Bob")).relations), anchor=gone)
    await graph.declare(relations((str(gone), "p", str(stays)), (str(stays), "q", str(gone)), ("Ann", "r", str(gone))))
    await graph.declare(Associations(entities("Ann").entities, relations(("Ann", "s", "Cy")).relations), anchor=stays)
    await graph.run(b"DELETE FROM records r WHERE r.id = %(id)s", id=gone.id)
    assert await graph.run(b"SELECT record_id FROM entity_mentions") == [(stays.id,)]
    assert await graph.run(b"SELECT predicate FROM relations") == [("s",)]
    assert [await graph.count(table) for table in ("entities", "entity_aliases", "entity_edges")] == [3, 3, 2]
