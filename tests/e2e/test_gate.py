"""The relevance gate through the public door: an agent's own questions are answered, another's are not."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as associations
from rensou.v1 import gate_pb2
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.gate_corpora import BAKERY, BAKERY_QUESTIONS, OBSERVATORY, OBSERVATORY_QUESTIONS
from tests.e2e.harness import TIMEOUT_S, failure_of, recall, rpc, store, store_many


@dataclass(frozen=True, slots=True)
class Agents:
    """Two agents with nothing in common."""

    bakery: str
    observatory: str


@pytest.fixture(scope="module")
async def agents(stack: EmbeddedStack) -> Agents:
    both = Agents(f"bakery-{uuid4().hex[:8]}", f"observatory-{uuid4().hex[:8]}")
    async with RensouClient(stack.grpc_address) as client:
        await store_many(client, both.bakery, BAKERY)
        await store_many(client, both.observatory, OBSERVATORY)
    return both


async def _answers(client: RensouClient, agent: str, questions: Sequence[str], **fields: object) -> list[int]:
    """How many hits each question gets."""
    return [len((await recall(client, agent, one, **fields)).hits) for one in questions]


async def test_own_questions_are_answered_and_anothers_at_most_half_as_often(
    client: RensouClient, agents: Agents
) -> None:
    own = await _answers(client, agents.bakery, BAKERY_QUESTIONS)
    own += await _answers(client, agents.observatory, OBSERVATORY_QUESTIONS)
    foreign = await _answers(client, agents.bakery, OBSERVATORY_QUESTIONS)
    foreign += await _answers(client, agents.observatory, BAKERY_QUESTIONS)
    assert sum(map(bool, own)) >= 23
    assert sum(map(bool, foreign)) <= sum(map(bool, own)) / 2
    assert sum(foreign) <= sum(own) / 2


async def test_levels_admit_less_and_less_and_off_refuses_nothing(client: RensouClient, agents: Agents) -> None:
    levels = (gate_pb2.GATE_OFF, gate_pb2.GATE_LENIENT, gate_pb2.GATE_BALANCED, gate_pb2.GATE_STRICT)
    counts = [sum(await _answers(client, agents.bakery, OBSERVATORY_QUESTIONS, gate=level)) for level in levels]
    assert counts[0] == 10 * len(OBSERVATORY_QUESTIONS)
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < counts[0]


async def test_an_answer_counts_what_was_refused_and_says_what_was_measured(
    client: RensouClient, agents: Agents
) -> None:
    (question,) = [one for one in BAKERY_QUESTIONS if "Quentin" in one]
    answer = await recall(client, agents.bakery, question)
    assert answer.hits[0].explanation.relevance >= 0.75
    assert answer.hits[0].explanation.relevance_signal == gate_pb2.RELEVANCE_SIGNAL_CLOSENESS
    foreign = await recall(client, agents.observatory, question)
    assert (len(foreign.hits), foreign.refused) == (0, foreign.candidates)
    off = await recall(client, agents.observatory, question, gate=gate_pb2.GATE_OFF)
    assert (off.refused, off.candidates) == (0, foreign.candidates)
    assert not any(hit.explanation.HasField("relevance") for hit in off.hits)
    unmeasured = {hit.explanation.relevance_signal for hit in off.hits}
    assert unmeasured == {gate_pb2.RELEVANCE_SIGNAL_UNSPECIFIED}


async def test_the_gate_changes_neither_order_nor_scores(client: RensouClient, agents: Agents) -> None:
    for question in BAKERY_QUESTIONS[:4]:
        gated = await recall(client, agents.bakery, question)
        off = await recall(client, agents.bakery, question, gate=gate_pb2.GATE_OFF)
        scores = [(hit.record.ref, hit.explanation.score) for hit in gated.hits]
        assert scores == [(hit.record.ref, hit.explanation.score) for hit in off.hits]


async def test_reconstruct_says_that_there_is_no_relevant_evidence(client: RensouClient, agents: Agents) -> None:
    scope = pb.ReadScope(agent_id=agents.observatory)
    question = "How did Quentin hurt his thumb?"
    request = rpc.ReconstructRequest(scope=scope, query=question)
    answer = await client.recall.Reconstruct(request, timeout=TIMEOUT_S)
    assert (len(answer.items), answer.shortfall) == (0, rpc.SHORTFALL_NO_RELEVANT_EVIDENCE)
    request.gate = gate_pb2.GATE_OFF
    assert (await client.recall.Reconstruct(request, timeout=TIMEOUT_S)).items


async def test_reading_6_other_names_of_what_a_question_names_vote_and_open_no_gate(
    client: RensouClient, lexical: RensouClient, agent: str
) -> None:
    await store_many(client, agent, OBSERVATORY)
    request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query="How did Quentin hurt his thumb?")
    request.gate = gate_pb2.GATE_OFF
    before = await lexical.recall.Reconstruct(request, timeout=TIMEOUT_S)
    named = pb.Associations(entities=[pb.EntityDeclaration(name="Quentin", aliases=["dachshund"])])
    declared = associations.DeclareAssociationsRequest(scope=pb.WriteScope(agent_id=agent), associations=named)
    await client.associations.DeclareAssociations(declared, timeout=TIMEOUT_S)
    after = await lexical.recall.Reconstruct(request, timeout=TIMEOUT_S)
    assert not any("dachshund" in item.quote.content for item in before.items)
    assert any("dachshund" in item.quote.content for item in after.items)
    request.gate = gate_pb2.GATE_BALANCED
    for door in (client, lexical):
        answer = await door.recall.Reconstruct(request, timeout=TIMEOUT_S)
        assert (len(answer.items), answer.shortfall) == (0, rpc.SHORTFALL_NO_RELEVANT_EVIDENCE)


async def test_a_word_that_one_record_holds_finds_it_whatever_its_vector_says(
    client: RensouClient, agents: Agents
) -> None:
    await store(client, agents.bakery, "Order number ZX-88317-Q is paid.")
    answer = await recall(client, agents.bakery, "ZX-88317-Q")
    assert answer.hits[0].quote.content == "Order number ZX-88317-Q is paid."


async def test_words_alone_open_the_gate_while_there_is_no_query_vector(
    client: RensouClient, lexical: RensouClient, agents: Agents
) -> None:
    own = await _answers(lexical, agents.bakery, BAKERY_QUESTIONS)
    foreign = await _answers(lexical, agents.bakery, OBSERVATORY_QUESTIONS)
    assert sum(map(bool, own)) >= 11
    assert sum(map(bool, foreign)) <= sum(map(bool, own)) / 2


async def test_a_record_that_was_stored_without_a_vector_is_found(
    client: RensouClient, lexical: RensouClient, agents: Agents
) -> None:
    """The worker may have embedded it meanwhile: then its vector says the same."""
    text = "The walnut strudel is made by Agathe on Thursdays."
    await store(lexical, agents.bakery, text)
    answer = await recall(client, agents.bakery, "Who makes the walnut strudel?")
    assert text in [hit.quote.content for hit in answer.hits]


async def test_three_records_are_enough_to_answer(client: RensouClient, agent: str) -> None:
    await store_many(client, agent, ["Mina keeps bees.", "The shed key hangs in the hall.", "Mina was born in Osaka."])
    answer = await recall(client, agent, "Where does Mina come from?")
    assert answer.hits[0].quote.content == "Mina was born in Osaka."


async def test_a_blank_query_is_never_gated(client: RensouClient, agents: Agents) -> None:
    answer = await recall(client, agents.bakery, " ", gate=gate_pb2.GATE_STRICT)
    assert (len(answer.hits), answer.refused) == (10, 0)


async def test_an_unknown_gate_is_refused_by_name_and_the_known_ones_are_listed(
    client: RensouClient, agent: str
) -> None:
    request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent), query="tea")
    request.MergeFromString(b"\x80\x01\x63")
    assert (await failure_of(client.recall.Recall(request, timeout=TIMEOUT_S))).fields == ("gate",)
    listed = await client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=TIMEOUT_S)
    assert list(listed.gates) == [
        gate_pb2.GATE_LENIENT,
        gate_pb2.GATE_BALANCED,
        gate_pb2.GATE_STRICT,
        gate_pb2.GATE_OFF,
    ]
