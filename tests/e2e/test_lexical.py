"""What the words alone find: no embedding server is there, in any script and with any punctuation."""

import asyncio

import pytest

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import found, get_contents, recall, store_many

OTHERS = ["The train was late.", "昨日は雨が降った。", "Nothing of note happened."]
DECOMPOSED = "Zu\u0308rich"
COMPOSED = "Z\u00fcrich"

CJK = [
    ("明日は京都で会議", "京都"),
    ("明日は京都で会議", "会"),
    ("明日は京都で会議", "京都の会議"),
    ("新しいAPI鍵", "API"),
    ("新しいAPI鍵", "鍵"),
    ("내일 서울에서 회의", "서울"),
    ("รถไฟไปเชียงใหม่", "เชียงใหม่"),
]


@pytest.mark.parametrize(("content", "query"), CJK)
async def test_one_and_two_characters_of_a_script_without_spaces_are_found(
    lexical: RensouClient, agent: str, content: str, query: str
) -> None:
    """B12"""
    *_, wanted = await store_many(lexical, agent, [*OTHERS, content])
    answer = await recall(lexical, agent, query)
    assert answer.hits[0].record.ref == wanted
    assert answer.degradation.kind == pb.DEGRADATION_KIND_NO_QUERY_VECTOR


SPELLINGS = [
    (COMPOSED, DECOMPOSED),
    (DECOMPOSED, COMPOSED),
    ("か\u3099くせい", "がくせい"),
    ("か゛くせい", "がくせい"),
    ("ＡＢＣ", "abc"),
    ("abc", "ＡＢＣ"),
    ("ｶﾞﾗｽ", "ガラス"),
    ("STRASSE", "Straße"),
]


@pytest.mark.parametrize(("stored", "asked"), SPELLINGS)
async def test_another_spelling_of_the_same_characters_finds_the_record_as_it_was_written(
    lexical: RensouClient, agent: str, stored: str, asked: str
) -> None:
    """B14"""
    content = f"A note on {stored} and more"
    *_, wanted = await store_many(lexical, agent, [*OTHERS, content])
    assert (await found(lexical, agent, asked))[0] == wanted
    (item,) = (await get_contents(lexical, agent, wanted)).items
    assert item.quote.content == content


PUNCTUATION = [
    "it's a & b | !c:*",
    "'",
    "''",
    "<->",
    "a <-> b",
    "＇",
    ":*",
    "!",
    "&",
    "|",
    "(",
    ")))",
    "\\",
    "\\'",
    "%",
    "%s %(agent_id)s",
    "_",
    '"',
    "$1 $$",
    "'; DROP TABLE records; --",
    "*",
    "a:B",
    "{1,2}",
    "\x01\x1f",
    "\u202e",
]


@pytest.mark.parametrize("query", PUNCTUATION)
async def test_punctuation_is_never_a_syntax_error(lexical: RensouClient, agent: str, query: str) -> None:
    """B17"""
    await store_many(lexical, agent, OTHERS)
    request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query=query)
    await asyncio.gather(recall(lexical, agent, query), lexical.recall.Reconstruct(request, timeout=60))


IDENTIFIERS = ["foo-bar.baz/v2", "ERR_42::x", "C++", "10.0.0.17", "user@example.org", "snake_case_name"]
NEAR_MISSES = [
    "We spoke of foo and of bar, then of baz and v2 of it.",
    "There was an ERR in 42 places, x of them new.",
    "C is a language.",
    "10 apples, 0 pears, 17 plums",
    "The user saw an example of an org chart.",
    "The snake had a case with a name.",
]


@pytest.mark.parametrize("identifier", IDENTIFIERS)
async def test_an_identifier_is_found_exactly(lexical: RensouClient, agent: str, identifier: str) -> None:
    """B17"""
    *_, wanted = await store_many(lexical, agent, [*OTHERS, *NEAR_MISSES, f"The log says {identifier} at night."])
    assert (await found(lexical, agent, identifier))[0] == wanted


async def test_a_record_of_punctuation_alone_is_found_by_it(lexical: RensouClient, agent: str) -> None:
    """B17"""
    *_, wanted = await store_many(lexical, agent, [*OTHERS, "it's a & b | !c:* <->"])
    assert wanted in await found(lexical, agent, "a & b | !c:*")


@pytest.mark.parametrize("query", ["", "   ", "\u200b", "\t\n\u3000", "\ufeff\u2060"])
async def test_a_blank_question_lists_the_newest_up_to_the_limit(client: RensouClient, agent: str, query: str) -> None:
    """B25"""
    refs = await store_many(client, agent, [f"note {number}" for number in range(6)])
    answer = await recall(client, agent, query, limit=3)
    assert [hit.record.ref for hit in answer.hits] == refs[:2:-1]
    arms = {vote.arm for hit in answer.hits for vote in hit.explanation.votes}
    assert arms == {pb.ARM_RECENT} and not answer.HasField("degradation")


@pytest.mark.parametrize("query", ["!!!", "🙂", "…", "、"])
async def test_a_question_of_symbols_alone_is_a_question_and_no_list_of_everything(
    lexical: RensouClient, agent: str, query: str
) -> None:
    """B25"""
    await store_many(lexical, agent, OTHERS)
    assert await found(lexical, agent, query) == []


async def test_a_blank_question_to_reconstruct_lists_the_newest(client: RensouClient, agent: str) -> None:
    """B25"""
    refs = await store_many(client, agent, [f"note {number}" for number in range(3)])
    request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query=" \u200b", count=2)
    answer = await client.recall.Reconstruct(request, timeout=60)
    assert [item.head_ref for item in answer.items] == refs[:0:-1]
