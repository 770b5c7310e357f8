"""Revising and locking through the public door."""

import asyncio
from typing import Any

import grpc.aio
import pytest

from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import failure_of, found, get_contents, read_failure, rows, store

FIRST = "The umbrella hangs in the hall."
SECOND = "The bicycle stands behind the shed."


async def _revise(client: RensouClient, agent: str, ref: str, content: str, **fields: Any) -> life.ReviseRecordResponse:
    request = life.ReviseRecordRequest(agent_id=agent, ref=ref, content=content, **fields)
    return await client.lifecycle.ReviseRecord(request, timeout=60)


async def _lock(client: RensouClient, agent: str, ref: str) -> bool:
    return (await client.lifecycle.LockRecord(life.LockRecordRequest(agent_id=agent, ref=ref), timeout=60)).changed


async def test_a_revised_record_keeps_its_ref_and_its_former_text(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """Lifecycle"""
    ref = (await store(client, agent, FIRST)).ref
    revised = await _revise(client, agent, ref, SECOND)
    assert (revised.ref, revised.revision, revised.embedded) == (ref, 2, True)
    (item,) = (await get_contents(client, agent, ref)).items
    assert (item.quote.content, item.record.revision) == (SECOND, 2)
    kept = await rows(
        stack.admin_dsn,
        "SELECT revision, content, current_from < current_to FROM record_revisions WHERE agent_id = %s",
        agent,
    )
    assert kept == [(1, FIRST, True)]


async def test_a_revised_record_is_found_by_its_new_words_and_not_by_its_old_ones(
    client: RensouClient, lexical: RensouClient, agent: str
) -> None:
    """Lifecycle"""
    ref = (await store(client, agent, FIRST)).ref
    await _revise(client, agent, ref, SECOND)
    assert await found(lexical, agent, "bicycle") == [ref] and await found(lexical, agent, "umbrella") == []


async def test_the_same_text_again_is_no_revision(client: RensouClient, stack: EmbeddedStack, agent: str) -> None:
    """Lifecycle"""
    ref = (await store(client, agent, FIRST)).ref
    assert (await _revise(client, agent, ref, FIRST)).revision == 1
    assert await rows(stack.admin_dsn, "SELECT FROM record_revisions WHERE agent_id = %s", agent) == []


async def test_a_text_that_another_record_holds_is_refused_as_a_duplicate(client: RensouClient, agent: str) -> None:
    """Lifecycle"""
    first, second = [(await store(client, agent, text)).ref for text in (FIRST, SECOND)]
    failure = await failure_of(_revise(client, agent, first, SECOND))
    assert (failure.code.name, failure.reason) == ("ALREADY_EXISTS", "DUPLICATE_CONTENT")
    answer = await get_contents(client, agent, first, second)
    assert [item.quote.content for item in answer.items] == [FIRST, SECOND]


async def test_of_two_revisions_of_what_both_saw_one_wins(client: RensouClient, agent: str) -> None:
    """Lifecycle"""
    ref = (await store(client, agent, FIRST)).ref
    calls = [_revise(client, agent, ref, f"{SECOND} ({number})", expected_revision=1) for number in range(8)]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    refused = [read_failure(one) for one in answers if isinstance(one, grpc.aio.AioRpcError)]
    assert {(one.code.name, one.reason) for one in refused} == {("ABORTED", "REVISION_MISMATCH")}
    assert len(refused) == len(calls) - 1
    (item,) = (await get_contents(client, agent, ref)).items
    assert item.record.revision == 2


async def test_a_locked_record_is_neither_revised_nor_forgotten_until_it_is_unlocked(
    client: RensouClient, agent: str
) -> None:
    """Lifecycle"""
    ref = (await store(client, agent, FIRST)).ref
    assert [await _lock(client, agent, ref), await _lock(client, agent, ref)] == [True, False]
    failure = await failure_of(_revise(client, agent, ref, SECOND))
    assert (failure.code.name, failure.reason) == ("FAILED_PRECONDITION", "RECORD_LOCKED")
    forget = life.ForgetRequest(agent_id=agent, refs=[ref], mode=life.FORGET_MODE_HARD)
    (refused,) = (await client.lifecycle.Forget(forget, timeout=60)).results
    assert refused.WhichOneof("result") == "refused"
    (item,) = (await get_contents(client, agent, ref)).items
    assert (item.quote.content, item.record.locked) == (FIRST, True)
    unlock = life.UnlockRecordRequest(agent_id=agent, ref=ref)
    assert (await client.lifecycle.UnlockRecord(unlock, timeout=60)).changed
    assert (await _revise(client, agent, ref, SECOND)).revision == 2


async def test_a_lock_changes_no_ranking_and_store_still_finds_its_duplicate(client: RensouClient, agent: str) -> None:
    """Lifecycle"""
    refs = [(await store(client, agent, text)).ref for text in (FIRST, SECOND)]
    before = await found(client, agent, "Where is the umbrella?")
    await _lock(client, agent, refs[0])
    assert await found(client, agent, "Where is the umbrella?") == before
    assert (await store(client, agent, FIRST)).outcome == rpc.STORE_OUTCOME_SKIPPED_DUPLICATE


@pytest.mark.parametrize("ref", ["mem:999999999", "ep:{number}"])
async def test_an_unknown_record_and_one_of_another_kind_are_not_found(
    client: RensouClient, agent: str, ref: str
) -> None:
    """Lifecycle"""
    number = (await store(client, agent, FIRST)).ref.partition(":")[2]
    asked = ref.format(number=number)
    for call in (_revise(client, agent, asked, SECOND), _lock(client, agent, asked)):
        failure = await failure_of(call)
        assert (failure.code.name, failure.reason) == ("NOT_FOUND", "RECORD_NOT_FOUND")
