"""Who may call: bearer tokens, and a service that does not open itself by mistake."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rensou.v1 import (
    admin_service_pb2,
    association_service_pb2,
    errors_pb2,
    feedback_service_pb2,
    lifecycle_service_pb2,
    recall_service_pb2,
)
from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import (
    NOBODY,
    SERVING,
    failure_of,
    free_port,
    health_of,
    memory,
    own_recall,
    rows,
    send_bytes,
    service,
    service_environ,
)
from tests.e2e.rpc_calls import calls

ANN_TOKEN, BOTH_TOKEN, ALL_TOKEN = ("ann-" + "x" * 20, "both-" + "y" * 20, "all-" + "z" * 20)
Send = Callable[..., Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Guarded:
    """A recall service whose tokens name `ann` alone, `ann` and `bob`, and, for an operator, everybody."""

    address: str
    ann: str
    bob: str


@pytest.fixture(scope="module")
async def guarded(stack: EmbeddedStack, scratch_folder: Path) -> AsyncIterator[Guarded]:
    ann, bob = (f"agent-{uuid.uuid4().hex[:12]}" for _ in range(2))
    entries = [
        {"name": "ann", "token": ANN_TOKEN, "agents": [ann]},
        {"name": "both", "token": BOTH_TOKEN, "agents": [ann, bob]},
        {"name": "all", "token": ALL_TOKEN, "agents": ["*"], "operator": True},
    ]
    path = scratch_folder / "tokens.json"
    path.write_text(json.dumps({"tokens": entries}))
    settings = {"database_url": stack.recall_dsn, "embedding_url": f"http://{NOBODY}/embed", "tokens_file": str(path)}
    async with own_recall(scratch_folder, **settings) as one:
        yield Guarded(one.address, ann, bob)


@pytest.fixture
async def guest(guarded: Guarded) -> AsyncIterator[RensouClient]:
    async with RensouClient(guarded.address) as client:
        yield client


def _with(*values: str | bytes) -> dict[str, Any]:
    return {"metadata": [("authorization", value) for value in values], "timeout": 30}


def _bearer(token: str) -> dict[str, Any]:
    return _with(f"Bearer {token}")


MODULES = (
    recall_service_pb2,
    association_service_pb2,
    lifecycle_service_pb2,
    feedback_service_pb2,
    admin_service_pb2,
)
RPCS = sorted(
    method.name
    for module in MODULES
    for service_descriptor in module.DESCRIPTOR.services_by_name.values()
    for method in service_descriptor.methods
    if method.name != "GetCapabilities"
)

NO_CREDENTIAL = {
    "none": (),
    "empty": ("",),
    "a scheme alone": ("Bearer",),
    "an empty token": ("Bearer ",),
    "another scheme": (f"Basic {ANN_TOKEN}",),
    "no scheme": (ANN_TOKEN,),
    "unknown": ("Bearer who-is-this-xxxxxxxxxx",),
    "a beginning of one": (f"Bearer {ANN_TOKEN[:-1]}",),
    "two": (f"Bearer {ANN_TOKEN}", f"Bearer {ANN_TOKEN}"),
    "two tokens in one": (f"Bearer {ANN_TOKEN}, Bearer {BOTH_TOKEN}",),
}


@pytest.mark.parametrize("values", NO_CREDENTIAL.values(), ids=NO_CREDENTIAL)
async def test_a_call_without_a_known_token_is_unauthenticated(
    guest: RensouClient, guarded: Guarded, stack: EmbeddedStack, values: tuple[str, ...]
) -> None:
    """B39"""
    failure = await failure_of(guest.recall.Store(memory(guarded.bob, "a text"), **_with(*values)))
    assert (failure.code.name, failure.reason) == ("UNAUTHENTICATED", "UNAUTHENTICATED")
    assert failure.domain == "rensou.v1" and ANN_TOKEN not in failure.message
    assert await rows(stack.admin_dsn, "SELECT 1 FROM records WHERE agent_id = %s", guarded.bob) == []


@pytest.mark.parametrize("name", [*RPCS, "GetCapabilities"])
async def test_no_rpc_answers_without_a_token(guest: RensouClient, guarded: Guarded, name: str) -> None:
    """B39"""
    open_call = (guest.admin.GetCapabilities, admin.GetCapabilitiesRequest())
    send, request = (calls(guest, guarded.ann) | {"GetCapabilities": open_call})[name]
    assert (await failure_of(send(request, timeout=30))).code.name == "UNAUTHENTICATED"


@pytest.mark.parametrize("name", RPCS)
async def test_no_rpc_reaches_an_agent_that_the_token_does_not_name(
    guest: RensouClient, guarded: Guarded, stack: EmbeddedStack, name: str
) -> None:
    """B39"""
    send, request = calls(guest, guarded.bob)[name]
    if name == "BatchStore":
        (result,) = (await send(request, **_bearer(ANN_TOKEN))).results
        assert result.error.reason == errors_pb2.ERROR_REASON_PERMISSION_DENIED
    else:
        failure = await failure_of(send(request, **_bearer(ANN_TOKEN)))
        assert (failure.code.name, failure.reason) == ("PERMISSION_DENIED", "PERMISSION_DENIED")
    assert await rows(stack.admin_dsn, "SELECT 1 FROM records WHERE agent_id = %s", guarded.bob) == []


async def test_a_token_of_one_agent_stands_for_it_when_none_is_named(guest: RensouClient, guarded: Guarded) -> None:
    """B39"""
    request = memory("", "said by Ann", scope=pb.WriteScope())
    stored = await guest.recall.Store(request, **_bearer(ANN_TOKEN))
    read = rpc.RecallRequest(scope=pb.ReadScope(agent_id=guarded.ann), query="Ann")
    hits = (await guest.recall.Recall(read, **_bearer(BOTH_TOKEN))).hits
    assert [hit.record.ref for hit in hits] == [stored.ref]


@pytest.mark.parametrize("token", [BOTH_TOKEN, ALL_TOKEN])
async def test_a_token_of_several_agents_must_name_one(guest: RensouClient, token: str) -> None:
    """B39"""
    failure = await failure_of(guest.recall.Recall(rpc.RecallRequest(), **_bearer(token)))
    assert failure.code.name in ("INVALID_ARGUMENT", "PERMISSION_DENIED")


async def test_a_scheme_is_read_in_any_case(guest: RensouClient, guarded: Guarded) -> None:
    """B39"""
    request = admin.CheckHealthRequest(agent_id=guarded.ann)
    await guest.admin.CheckHealth(request, **_with(f"bEaReR {ANN_TOKEN}"))


@pytest.mark.parametrize(("token", "declared_by"), [(BOTH_TOKEN, "agent"), (ALL_TOKEN, "operator")])
async def test_a_declaration_says_whether_an_operator_made_it(
    guest: RensouClient, guarded: Guarded, token: str, declared_by: str
) -> None:
    """B39"""
    subject = f"S-{declared_by}"
    relation = pb.RelationDeclaration(subject=subject, predicate="knows", object="Bob")
    scope = pb.WriteScope(agent_id=guarded.ann)
    request = assoc.DeclareAssociationsRequest(scope=scope, associations=pb.Associations(relations=[relation]))
    await guest.associations.DeclareAssociations(request, **_bearer(token))
    walk = rpc.TraverseRequest(scope=pb.ReadScope(agent_id=guarded.ann), entity=subject)
    (found,) = (await guest.recall.Traverse(walk, **_bearer(token))).relations
    assert found.declared_by == declared_by


async def test_a_request_that_is_no_message_is_looked_at_after_the_token(guarded: Guarded) -> None:
    failure = await failure_of(send_bytes(guarded.address, "RecallService/Store", b"\x12\x03\x0a\x01\xff"))
    assert failure.code.name == "UNAUTHENTICATED"


async def test_health_is_answered_without_a_token(guarded: Guarded) -> None:
    """B39"""
    assert [await health_of(guarded.address, name) for name in ("liveness", "readiness", "")] == [SERVING] * 3


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def _header(name: bytes, value: bytes) -> bytes:
    """A header as HPACK writes one that is in no table and not compressed (RFC 7541, 6.2.2)."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


async def test_a_token_that_is_not_ascii_is_unauthenticated(guarded: Guarded) -> None:
    """B39"""
    headers = {
        b":method": b"POST",
        b":scheme": b"http",
        b":path": b"/rensou.v1.AdminService/GetCapabilities",
        b":authority": guarded.address.encode(),
        b"te": b"trailers",
        b"content-type": b"application/grpc",
        b"authorization": "Bearer пароль-日本".encode(),
    }
    block = b"".join(_header(name, value) for name, value in headers.items())
    host, _, port = guarded.address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    writer.write(preface + _frame(4, 0, 0) + _frame(1, 0x4, 1, block) + _frame(0, 0x1, 1, bytes(5)))
    received = b""
    async with asyncio.timeout(20):
        while b"grpc-status" not in received:
            chunk = await reader.read(4096)
            assert chunk, received
            received += chunk
    writer.close()
    # A literal of two digits: no table of HPACK holds a grpc-status.
    assert b"grpc-status\x0216" in received, received


BAD_TOKEN_FILES = {
    "no file": None,
    "an empty token": {"tokens": [{"name": "a", "token": "", "agents": ["a"]}]},
    "a token that is not ASCII": {"tokens": [{"name": "a", "token": "пароль" * 4, "agents": ["a"]}]},
}


async def _start(stack: EmbeddedStack, folder: Path, **settings: str) -> tuple[int, str]:
    """Exit code and output of a recall service that does not start."""
    defaults = {"database_url": stack.recall_dsn, "embedding_url": f"http://{NOBODY}/embed"}
    environ = service_environ(**(defaults | {"redis_url": f"redis://{NOBODY}/0"} | settings))
    log_path = folder / f"refused-{uuid.uuid4().hex[:8]}.log"
    async with service(log_path, "rensou_recall", environ=environ) as refused:
        code = await asyncio.wait_for(refused.process.wait(), 30)
    return code, log_path.read_text()


@pytest.mark.parametrize("content", BAD_TOKEN_FILES.values(), ids=BAD_TOKEN_FILES)
async def test_a_service_does_not_start_on_a_token_file_that_says_nothing_clear(
    stack: EmbeddedStack, tmp_path: Path, content: Any
) -> None:
    """B39"""
    path = tmp_path / "tokens.json"
    if content is not None:
        path.write_text(json.dumps(content))
    listen = f"127.0.0.1:{free_port()}"
    code, output = await _start(stack, tmp_path, tokens_file=str(path), listen=listen)
    assert code == 2 and "RENSOU_TOKENS_FILE" in output and "Traceback" not in output and "пароль" not in output


@pytest.mark.parametrize("host", ["0.0.0.0", "example.org"])
async def test_a_service_does_not_open_itself_beyond_loopback_without_being_told(
    stack: EmbeddedStack, tmp_path: Path, host: str
) -> None:
    """B39"""
    code, output = await _start(stack, tmp_path, listen=f"{host}:{free_port()}")
    assert code == 2 and "RENSOU_ALLOW_UNAUTHENTICATED" in output and "Traceback" not in output
