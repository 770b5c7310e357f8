"""Requests built to hurt the reader: deep nesting and long keys are refused, and the server lives."""

import math

import grpc
import pytest
from google.protobuf.struct_pb2 import Struct

from rensou.v1 import recall_service_pb2 as rpc
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import TIMEOUT_S, failure_of, memory, send_bytes, store

_METADATA = 7


def _field(number: int, content: bytes) -> bytes:
    length, size = b"", len(content)
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def _nested_metadata(agent: str, levels: int) -> bytes:
    """A StoreRequest whose metadata holds lists in structs, `levels` deep, which no client could build."""
    value = _field(3, b"x")
    for _ in range(levels):
        value = _field(6, _field(1, value))
    struct = _field(1, _field(1, b"a") + _field(2, value))
    return memory(agent, "x").SerializeToString() + _field(_METADATA, struct)


@pytest.mark.parametrize("levels", [60, 340, 3_000])
async def test_metadata_nested_too_deeply_is_refused_and_named(stack: EmbeddedStack, agent: str, levels: int) -> None:
    pid = stack.pid("recall")
    request = _nested_metadata(agent, levels)
    failure = await failure_of(send_bytes(stack.grpc_address, "RecallService/Store", request))
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
    assert failure.fields[0].startswith("metadata")
    assert stack.pid("recall") == pid


async def test_a_long_key_is_not_repeated_to_the_caller(client: RensouClient, agent: str) -> None:
    metadata = Struct()
    metadata.fields["k" * 20_000].number_value = math.nan
    request = memory(agent, "x")
    request.metadata.CopyFrom(metadata)
    failure = await failure_of(client.recall.Store(request, timeout=TIMEOUT_S))
    assert (failure.code, failure.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert len(failure.fields[0]) < 500
    good_and_bad = rpc.BatchStoreRequest(requests=[memory(agent, "good"), request])
    good, bad = (await client.recall.BatchStore(good_and_bad, timeout=TIMEOUT_S)).results
    assert good.response.ref and len(bad.error.field) < 500
    assert (await store(client, agent, "good")).ref == good.response.ref
