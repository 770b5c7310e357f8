"""Writers that meet: nothing is lost, nothing is doubled, and nobody is told of an internal error."""

import asyncio
import random

import grpc.aio

from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou_embedded.client import RensouClient
from tests.e2e.harness import TIMEOUT_S, failure_of, memory, store

_ROUNDS = 40


async def test_a_store_that_meets_a_forget_of_the_same_text_ends_well(client: RensouClient, agent: str) -> None:
    refs: list[str] = []

    async def keep(number: int) -> None:
        for turn in range(_ROUNDS):
            answer = await store(client, agent, "the same text", caller_id=f"{number}-{turn}")
            refs.append(answer.ref)

    async def forget() -> None:
        for _ in range(3 * _ROUNDS):
            if refs:
                request = life.ForgetRequest(agent_id=agent, refs=[refs[-1]], mode=life.FORGET_MODE_HARD)
                await client.lifecycle.Forget(request, timeout=TIMEOUT_S)
            await asyncio.sleep(0)

    await asyncio.gather(*(keep(number) for number in range(3)), forget())
    assert len(refs) == 3 * _ROUNDS


async def test_batches_of_the_same_texts_in_other_orders_wait_for_each_other(client: RensouClient, agent: str) -> None:
    texts = [f"text {number} of the many" for number in range(40)]
    chance = random.Random(5)

    async def send() -> list[str]:
        mine = chance.sample(texts, len(texts))
        request = rpc.BatchStoreRequest(requests=[memory(agent, text) for text in mine])
        response = await client.recall.BatchStore(request, timeout=TIMEOUT_S)
        by_text = {text: one.response.ref for text, one in zip(mine, response.results, strict=True)}
        return [by_text[text] for text in texts]

    answers = await asyncio.gather(*(send() for _ in range(10)))
    assert len({tuple(answer) for answer in answers}) == 1
    assert len(set(answers[0])) == len(texts)


async def test_a_revision_to_a_text_of_another_record_names_that_record(client: RensouClient, agent: str) -> None:
    first, second = await store(client, agent, "one"), await store(client, agent, "two")
    request = life.ReviseRecordRequest(agent_id=agent, ref=second.ref, content="one")
    failure = await failure_of(client.lifecycle.ReviseRecord(request, timeout=TIMEOUT_S))
    assert (failure.code, failure.reason) == (grpc.StatusCode.ALREADY_EXISTS, "DUPLICATE_CONTENT")
    assert first.ref in failure.message
