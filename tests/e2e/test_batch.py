"""A batch: each item stands or falls by itself, and says so."""

from rensou.v1 import errors_pb2
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import found, memory, rows, store


async def _batch(client: RensouClient, *items: rpc.StoreRequest) -> list[rpc.BatchStoreResult]:
    return list((await client.recall.BatchStore(rpc.BatchStoreRequest(requests=items), timeout=60)).results)


async def test_one_bad_item_of_ten_is_refused_and_the_nine_are_stored(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B30"""
    items = [memory(agent, f"item {number}" if number != 7 else "tea\0pot") for number in range(10)]
    results = await _batch(client, *items)
    assert [result.WhichOneof("result") for result in results] == ["response"] * 7 + ["error"] + ["response"] * 2
    error = results[7].error
    assert (error.reason, error.field) == (errors_pb2.ERROR_REASON_INVALID_TEXT, "memory.content") and error.message
    stored = await rows(stack.admin_dsn, "SELECT 'mem:' || id FROM records WHERE agent_id = %s ORDER BY id", agent)
    assert [ref for (ref,) in stored] == [result.response.ref for result in results if result.HasField("response")]


async def test_an_item_whose_caller_id_is_taken_is_refused_by_itself(client: RensouClient, agent: str) -> None:
    """B30"""
    await store(client, agent, "first", caller_id="k")
    good, bad = await _batch(client, memory(agent, "second"), memory(agent, "third", caller_id="k"))
    assert good.response.outcome == rpc.STORE_OUTCOME_STORED
    assert bad.error.reason == errors_pb2.ERROR_REASON_CALLER_ID_CONFLICT
    assert await found(client, agent, "") == [good.response.ref, (await store(client, agent, "first")).ref]


async def test_an_item_of_another_agent_is_refused_and_written_nowhere(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B30"""
    results = await _batch(client, memory(agent, "mine"), memory(f"{agent}-b", "not mine"), memory(agent, "mine too"))
    assert [result.WhichOneof("result") for result in results] == ["response", "error", "response"]
    assert results[1].error.field == "scope.agent_id"
    assert await rows(stack.admin_dsn, "SELECT FROM records WHERE agent_id = %s", f"{agent}-b") == []


async def test_a_batch_of_nothing_good_stores_nothing_and_says_so_for_each(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B30"""
    results = await _batch(client, memory(agent, " "), memory(agent, "x" * 16_001))
    reasons = [result.error.reason for result in results]
    assert reasons == [errors_pb2.ERROR_REASON_INVALID_FIELD, errors_pb2.ERROR_REASON_TOO_LARGE]
    assert await rows(stack.admin_dsn, "SELECT FROM records WHERE agent_id = %s", agent) == []


async def test_an_item_with_a_bad_declaration_is_kept_and_the_drop_reported(client: RensouClient, agent: str) -> None:
    """B30"""
    names = pb.Associations(relations=[pb.RelationDeclaration(subject="Ann", predicate="is", object="mem:999999999")])
    one, two = await _batch(client, memory(agent, "one", associations=names), memory(agent, "two"))
    (dropped,) = one.response.associations.dropped
    assert (dropped.item, dropped.reason) == ("relations[0].object", pb.DROP_REASON_RECORD_NOT_FOUND)
    assert two.response.outcome == rpc.STORE_OUTCOME_STORED


async def test_a_hundred_items_are_answered_in_their_order(client: RensouClient, agent: str) -> None:
    """B30"""
    results = await _batch(client, *(memory(agent, f"item {number}") for number in range(100)))
    refs = [result.response.ref for result in results]
    assert len(set(refs)) == 100 and await found(client, agent, "", limit=100) == refs[::-1]
