"""Bad input is refused by the name of its field and leaves nothing behind; a bound past its maximum is lowered."""

import pytest
from google.protobuf.struct_pb2 import Struct

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.bad_request import AGENT, Bad
from tests.e2e.bad_requests import BAD_REQUESTS
from tests.e2e.harness import failure_of, get_contents, memory, recall, rows, send_bytes, store

_WRITTEN = """
SELECT FROM records WHERE agent_id = %(agent)s
UNION ALL SELECT FROM record_terms WHERE agent_id = %(agent)s
UNION ALL SELECT FROM entities WHERE agent_id = %(agent)s
UNION ALL SELECT FROM node_builds WHERE agent_id = %(agent)s
UNION ALL SELECT FROM record_caller_ids WHERE agent_id = %(agent)s
UNION ALL SELECT FROM validity_assertions WHERE agent_id = %(agent)s
"""


@pytest.mark.parametrize("bad", BAD_REQUESTS, ids=lambda bad: f"{bad.method}-{bad.field}")
async def test_bad_input_is_an_invalid_argument_that_names_the_field(stack: EmbeddedStack, bad: Bad) -> None:
    """Bad input"""
    failure = await failure_of(send_bytes(stack.grpc_address, bad.method, bad.request.SerializeToString()))
    assert (failure.code.name, failure.fields) == ("INVALID_ARGUMENT", (bad.field,))
    assert (failure.reason, failure.domain) == (bad.reason, "rensou.v1")


async def test_refused_requests_have_written_nothing(stack: EmbeddedStack) -> None:
    """Bad input"""
    for bad in BAD_REQUESTS:
        await failure_of(send_bytes(stack.grpc_address, bad.method, bad.request.SerializeToString()))
    assert await rows(stack.admin_dsn, _WRITTEN.replace("%(agent)s", f"'{AGENT}'")) == []


@pytest.mark.parametrize(("field", "maximum"), [("limit", 100), ("quote_chars", 16_000)])
async def test_a_bound_of_recall_above_its_maximum_is_lowered_and_reported(
    client: RensouClient, agent: str, field: str, maximum: int
) -> None:
    """Bad input"""
    answer = await recall(client, agent, "", **{field: 2**31 - 1})
    assert [(one.field, one.requested, one.applied) for one in answer.lowered] == [(field, 2**31 - 1, maximum)]


@pytest.mark.parametrize(
    ("field", "asked", "applied"),
    [
        ("count", 11, 10),
        ("top_k", 101, 100),
        ("max_hops", 6, 5),
        ("max_evidence", 101, 100),
        ("budget_chars", 20_001, 20_000),
        ("budget_chars", 1, 800),
    ],
)
async def test_a_bound_of_reconstruct_outside_its_range_is_moved_and_reported(
    client: RensouClient, agent: str, field: str, asked: int, applied: int
) -> None:
    """Bad input"""
    request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query="tea", **{field: asked})
    answer = await client.recall.Reconstruct(request, timeout=60)
    assert [(one.field, one.requested, one.applied) for one in answer.bounds.lowered] == [(field, asked, applied)]


@pytest.mark.parametrize(("field", "maximum"), [("max_hops", 5), ("limit", 100)])
async def test_a_bound_of_traverse_above_its_maximum_is_lowered_and_reported(
    client: RensouClient, agent: str, field: str, maximum: int
) -> None:
    """Bad input"""
    await store(client, agent, "x", associations=pb.Associations(entities=[pb.EntityDeclaration(name="Ann")]))
    request = rpc.TraverseRequest(scope=pb.ReadScope(agent_id=agent), entity="Ann", **{field: maximum + 1})
    answer = await client.recall.Traverse(request, timeout=60)
    lowered = [(one.field, one.requested, one.applied) for one in answer.bounds.lowered]
    assert lowered == [(field, maximum + 1, maximum)]


async def test_a_limit_of_zero_asks_for_no_hits(client: RensouClient, agent: str) -> None:
    """Bad input"""
    await store(client, agent, "tea")
    assert list((await recall(client, agent, "tea", limit=0)).hits) == []


def _nested(depth: int) -> Struct:
    struct = Struct()
    inner = struct
    for _ in range(depth):
        inner = inner.fields["in"].struct_value
    inner.fields["end"].string_value = "here"
    return struct


def _field(number: int, data: bytes) -> bytes:
    """A length-delimited field as the wire has it."""
    length, size = b"", len(data)
    while size > 0x7F:
        length, size = length + bytes([size & 0x7F | 0x80]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


async def test_metadata_thirty_deep_is_kept_as_given(client: RensouClient, agent: str) -> None:
    """Bad input"""
    ref = (await store(client, agent, "a text", metadata=_nested(30))).ref
    (item,) = (await get_contents(client, agent, ref)).items
    assert item.metadata == _nested(30)


async def test_metadata_deeper_than_a_message_may_be_is_an_invalid_argument(stack: EmbeddedStack, agent: str) -> None:
    """Bad input"""
    nested = b""
    for _ in range(300):
        nested = _field(1, _field(1, b"in") + _field(2, _field(5, nested)))
    data = memory(agent, "a text").SerializeToString() + _field(7, nested)
    failure = await failure_of(send_bytes(stack.grpc_address, "RecallService/Store", data))
    assert failure.code.name == "INVALID_ARGUMENT" and len(failure.fields) == 1


@pytest.mark.parametrize("seconds", [-62_135_596_800, 253_402_300_799])
async def test_the_first_and_the_last_second_of_the_years_are_kept(
    client: RensouClient, agent: str, seconds: int
) -> None:
    """Bad input"""
    request = memory(agent, "a text")
    request.occurred_time.seconds = seconds
    request.occurred_time.nanos = 999_999_999
    stored = await client.recall.Store(request, timeout=60)
    (item,) = (await get_contents(client, agent, stored.ref)).items
    kept = item.record.occurred_time
    assert (kept.seconds, kept.nanos) == (seconds, 999_999_000)


async def test_an_unknown_ref_of_the_right_form_is_not_found(client: RensouClient, agent: str) -> None:
    """Bad input"""
    answer = await get_contents(client, agent, "mem:9223372036854775807")
    assert [one.reason for one in answer.unresolved] == [rpc.UNRESOLVED_REASON_NOT_FOUND]
