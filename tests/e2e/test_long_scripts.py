"""Long texts whose characters are hard to count or to keep whole: divided, quoted and given back to the letter."""

import uuid
from dataclasses import dataclass

import pytest

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from rensou_shared.text.grapheme import is_grapheme_boundary
from tests.e2e.harness import builds_settle, get_contents, rows, store

KEY = "The spare key of the lighthouse lies under the blue stone."
TEXTS = {
    "four bytes": "𠮷野家の𩸽と😀。" * 120 + KEY,
    "marks": "Le\u0301on cafe\u0301 か\u3099き\u3099 " * 120 + KEY,
    "lines of Windows": "We spoke of bread.\r\n\r\nWe spoke of wine.\r\n" * 90 + KEY,
    "no spaces": "港の朝市で魚と野菜を買って帰る道すがら" * 60 + KEY,
    "families": "👩\u200d👩\u200d👧\u200d👦" * 200 + KEY,
}
_NODES = """
SELECT start_char, end_char, token_count <= token_window FROM record_nodes
WHERE agent_id = %s AND record_id = %s ORDER BY node_index
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """A record of each text, in an agent of its own."""

    agents: dict[str, str]
    refs: dict[str, str]


@pytest.fixture(scope="module")
async def stored(stack: EmbeddedStack) -> Stored:
    """The texts, stored and divided."""
    agents = {name: f"script-{uuid.uuid4().hex[:12]}" for name in TEXTS}
    async with RensouClient(stack.grpc_address) as client:
        answers = {name: await store(client, agents[name], text) for name, text in TEXTS.items()}
    assert {name: one.nodes for name, one in answers.items()} == dict.fromkeys(TEXTS, pb.NODES_STATUS_QUEUED)
    for agent in agents.values():
        await builds_settle(stack.admin_dsn, agent, 120.0)
    return Stored(agents, {name: one.ref for name, one in answers.items()})


@pytest.mark.parametrize("name", TEXTS)
async def test_nodes_cover_the_text_fit_the_window_and_begin_between_visible_characters(
    stack: EmbeddedStack, stored: Stored, name: str
) -> None:
    """B04"""
    number = int(stored.refs[name].partition(":")[2])
    nodes = await rows(stack.admin_dsn, _NODES, stored.agents[name], number)
    ends = [0, *(end for _, end, _ in nodes)]
    assert [start for start, *_ in nodes] == ends[:-1] and ends[-1] == len(TEXTS[name])
    assert len(nodes) > 1 and all(fits for *_, fits in nodes)
    assert all(is_grapheme_boundary(TEXTS[name], end) for end in ends)


@pytest.mark.parametrize("name", TEXTS)
async def test_the_sentence_at_the_end_is_quoted_from_the_last_node_by_its_code_points(
    client: RensouClient, stored: Stored, name: str
) -> None:
    """B04"""
    scope = pb.ReadScope(agent_id=stored.agents[name])
    request = rpc.ReconstructRequest(scope=scope, query="Where is the spare key of the lighthouse?", count=1)
    (item,) = (await client.recall.Reconstruct(request, timeout=60)).items
    quote = item.quote
    assert KEY in quote.content and quote.node.index == quote.node.of - 1
    assert quote.content == TEXTS[name][quote.span.start : quote.span.end]


@pytest.mark.parametrize("name", TEXTS)
async def test_such_a_text_comes_back_to_the_letter(client: RensouClient, stored: Stored, name: str) -> None:
    """B04"""
    answer = await get_contents(client, stored.agents[name], stored.refs[name])
    assert [item.quote.content for item in answer.items] == [TEXTS[name]]
