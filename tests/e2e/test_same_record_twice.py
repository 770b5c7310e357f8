"""One record, however often and by however many callers it is stored."""

import asyncio
from collections import Counter

import grpc.aio

from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import failure_of, memory, read_failure, rows, store, store_many

TEXT = "Ann waters the plants on Friday."
PARALLEL = 50


async def _count(stack: EmbeddedStack, agent: str) -> int:
    ((count,),) = await rows(stack.admin_dsn, "SELECT count(*) FROM records WHERE agent_id = %s", agent)
    return count


async def test_fifty_parallel_stores_under_one_caller_id_make_one_record(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B09"""
    answers = await asyncio.gather(*(store(client, agent, TEXT, caller_id="k") for _ in range(PARALLEL)))
    assert len({answer.ref for answer in answers}) == 1
    assert Counter(answer.outcome for answer in answers)[rpc.STORE_OUTCOME_STORED] == 1
    assert await _count(stack, agent) == 1


async def test_fifty_parallel_stores_of_one_content_make_one_record(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B09"""
    answers = await asyncio.gather(*(store(client, agent, TEXT) for _ in range(PARALLEL)))
    assert len({answer.ref for answer in answers}) == 1
    assert Counter(answer.outcome for answer in answers)[rpc.STORE_OUTCOME_STORED] == 1
    assert await _count(stack, agent) == 1


async def test_a_caller_id_with_another_text_is_a_conflict_and_writes_nothing(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B09"""
    stored = await store(client, agent, TEXT, caller_id="k")
    failure = await failure_of(store(client, agent, "Bob does.", caller_id="k"))
    assert (failure.code.name, failure.reason, failure.domain) == ("ABORTED", "CALLER_ID_CONFLICT", "rensou.v1")
    assert stored.ref in failure.message and await _count(stack, agent) == 1


async def test_two_texts_that_race_for_one_caller_id_leave_one_winner(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B09"""
    texts = [TEXT if turn % 2 else "Bob does." for turn in range(PARALLEL)]
    calls = [store(client, agent, text, caller_id="k") for text in texts]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    refused = [read_failure(one).reason for one in answers if isinstance(one, grpc.aio.AioRpcError)]
    assert refused == ["CALLER_ID_CONFLICT"] * (PARALLEL // 2)
    assert await _count(stack, agent) == 1


async def test_a_caller_id_is_a_name_inside_one_project_and_channel(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B09"""
    scopes = [
        pb.WriteScope(agent_id=agent),
        pb.WriteScope(agent_id=agent, project_id="p"),
        pb.WriteScope(agent_id=agent, channel="c"),
    ]
    answers = [await store(client, agent, f"text {place}", scope=s, caller_id="k") for place, s in enumerate(scopes)]
    assert len({answer.ref for answer in answers}) == len(scopes) == await _count(stack, agent)


async def test_one_batch_with_the_same_record_twice_stores_it_once(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B09"""
    refs = await store_many(client, agent, [TEXT, "Bob does.", TEXT])
    assert refs[0] == refs[2] != refs[1] and await _count(stack, agent) == 2


async def test_a_replay_after_a_revision_finds_the_record_and_leaves_the_new_text(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B09"""
    stored = await store(client, agent, TEXT, caller_id="k")
    await client.lifecycle.ReviseRecord(
        life.ReviseRecordRequest(agent_id=agent, ref=stored.ref, content="Ann waters them on Monday."), timeout=30
    )
    replayed = await store(client, agent, TEXT, caller_id="k")
    assert (replayed.ref, replayed.outcome) == (stored.ref, rpc.STORE_OUTCOME_SKIPPED_DUPLICATE)
    kept = await rows(stack.admin_dsn, "SELECT content FROM records WHERE agent_id = %s", agent)
    assert kept == [("Ann waters them on Monday.",)]


async def test_two_batches_that_name_the_same_caller_ids_in_opposite_order_both_end(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B09"""
    items = [memory(agent, f"item {number}", caller_id=f"k{number}") for number in range(20)]
    batches = [rpc.BatchStoreRequest(requests=order) for order in (items, items[::-1]) for _ in range(3)]
    answers = await asyncio.gather(*(client.recall.BatchStore(batch, timeout=60) for batch in batches))
    assert all(result.HasField("response") for answer in answers for result in answer.results)
    assert await _count(stack, agent) == len(items)
