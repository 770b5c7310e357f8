"""Texts past every guess about their length: refused whole, or kept whole and found at their end."""

import uuid
from dataclasses import dataclass

import pytest

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import builds_settle, failure_of, found, get_contents, recall, rows, store

ENGLISH_END = "The spare key of the lighthouse lies under the blue stone."
JAPANESE_END = "灯台の合鍵は青い石の下に置いてある。"
# Of few tokens for its length: each window that is embedded takes the model the better part of a second.
WORD = "lighthouse" * 1_600
TEXTS = {
    "english": "We talked about the garden, the weather and the price of bread. " * 75 + ENGLISH_END,
    "japanese": "庭の手入れと天気とパンの値段について長く話した。" * 110 + JAPANESE_END,
    "word": WORD,
}


@dataclass(frozen=True, slots=True)
class LongRecords:
    """One agent's long records, their nodes built."""

    agent: str
    refs: dict[str, str]


@pytest.fixture(scope="module")
async def records(stack: EmbeddedStack) -> LongRecords:
    """The texts, stored and divided, and short ones about other things beside them."""
    agent = f"agent-{uuid.uuid4().hex[:12]}"
    async with RensouClient(stack.grpc_address) as client:
        answers = {name: await store(client, agent, text) for name, text in TEXTS.items()}
        for number in range(12):
            await store(client, agent, f"Note {number}: the train was {number} minutes late.")
    assert all(answer.embedded and answer.nodes == pb.NODES_STATUS_QUEUED for answer in answers.values())
    await builds_settle(stack.admin_dsn, agent)
    return LongRecords(agent, {name: answer.ref for name, answer in answers.items()})


async def _quote(client: RensouClient, records: LongRecords, query: str) -> tuple[str, pb.Quote]:
    """The first item of a reconstruction: its head and its quote."""
    request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=records.agent), query=query, count=1, budget_chars=800)
    (item,) = (await client.recall.Reconstruct(request, timeout=60)).items
    return item.head_ref, item.quote


async def test_two_megabytes_of_text_are_refused_by_the_name_of_the_field(client: RensouClient, agent: str) -> None:
    """B04"""
    failure = await failure_of(store(client, agent, "tea " * 500_000))
    assert (failure.code.name, failure.reason, failure.fields) == (
        "INVALID_ARGUMENT",
        "TOO_LARGE",
        ("memory.content",),
    )


async def test_a_message_past_the_size_limit_is_refused_and_the_next_one_answered(
    client: RensouClient, agent: str
) -> None:
    """B04"""
    failure = await failure_of(store(client, agent, "x" * 9_000_000))
    assert failure.code.name == "RESOURCE_EXHAUSTED"
    assert (await store(client, agent, "tea")).ref


@pytest.mark.parametrize("name", TEXTS)
async def test_nodes_of_a_long_text_cover_it_without_gap_and_fit_the_window(
    stack: EmbeddedStack, records: LongRecords, name: str
) -> None:
    """B04"""
    ref = records.refs[name]
    nodes = await rows(
        stack.admin_dsn,
        "SELECT start_char, end_char, token_count <= token_window, l2_norm(embedding) > 0.99 FROM record_nodes"
        " WHERE agent_id = %s AND record_id = %s ORDER BY node_index",
        records.agent,
        int(ref.partition(":")[2]),
    )
    ends = [0, *(end for _, end, _, _ in nodes)]
    assert [start for start, *_ in nodes] == ends[:-1] and ends[-1] == len(TEXTS[name])
    assert len(nodes) > 1 and all(fits and is_unit for _, _, fits, is_unit in nodes)


@pytest.mark.parametrize(("name", "query"), [("english", ENGLISH_END), ("japanese", JAPANESE_END)])
async def test_a_long_text_is_found_by_the_sentence_at_its_end(
    client: RensouClient, lexical: RensouClient, records: LongRecords, name: str, query: str
) -> None:
    """B04"""
    for one in (client, lexical):
        assert (await found(one, records.agent, query))[0] == records.refs[name]


@pytest.mark.parametrize(
    ("name", "query", "end"),
    [
        ("english", "Where is the spare key of the lighthouse?", ENGLISH_END),
        ("japanese", "灯台の合鍵はどこにある？", JAPANESE_END),
    ],
)
async def test_a_question_about_the_end_of_a_long_text_is_answered_from_its_last_node(
    client: RensouClient, records: LongRecords, name: str, query: str, end: str
) -> None:
    """B04"""
    head, quote = await _quote(client, records, query)
    assert head == records.refs[name] and end in quote.content
    assert quote.basis == pb.QUOTE_BASIS_NODE and quote.node.index == quote.node.of - 1


async def test_one_word_of_sixteen_thousand_letters_is_found_by_its_beginning(
    client: RensouClient, records: LongRecords
) -> None:
    """B04"""
    answer = await recall(client, records.agent, WORD[:400], limit=3)
    assert answer.hits[0].record.ref == records.refs["word"]


async def test_long_texts_come_back_to_the_letter(client: RensouClient, records: LongRecords) -> None:
    """B04"""
    answer = await get_contents(client, records.agent, *records.refs.values())
    assert [item.quote.content for item in answer.items] == list(TEXTS.values())
