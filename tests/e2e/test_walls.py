"""A stranger sees nothing of another agent's through any method: with the whole product, and by the database alone."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import Message

from rensou.v1 import errors_pb2
from rensou.v1 import recall_service_pb2 as rpc
from rensou_embedded.client import RensouClient
from rensou_recall.server import SERVICES
from tests.conftest import DatabaseDsns
from tests.e2e.harness import OwnRecall, own_recall
from tests.e2e.walls_stripped import drop_the_wall, imported_file, strip_arms, strip_services
from tests.e2e.walls_table import TABLE, Answer, is_missing
from tests.e2e.walls_world import OWNER, SECRET, STRANGER, World, owners_rows, seed
from tests.unit.lying_embedding_server import LyingServer, lying_server

TOKEN = "a-token-of-the-stranger"
# They show no agent's text, and an operator alone gets to them: there is no wall to take away.
WITHOUT_AGENT = {
    f"rensou.v1.AdminService.{name}"
    for name in ("GetCapabilities", "ListEmbeddingModels", "ActivateEmbeddingModel", "ListBuilds", "RetryBuilds")
}
READING = {f"rensou.v1.RecallService.{name}" for name in ("Recall", "Reconstruct", "Traverse", "GetContents")}


@dataclass(frozen=True, slots=True)
class Seeded:
    """A database with both agents' data, and the embedding server that it was filled with."""

    dsns: DatabaseDsns
    server: LyingServer
    world: World

    def serve(self, folder: Path, **settings: Any) -> AbstractAsyncContextManager[OwnRecall]:
        """A recall service on it; `settings` as `own_recall` takes them."""
        return own_recall(folder, database_url=self.dsns.recall, embedding_url=self.server.url, **settings)


@pytest.fixture
async def seeded(database_dsns: DatabaseDsns, tmp_path: Path) -> AsyncIterator[Seeded]:
    async with lying_server() as server:
        addresses = {"database_url": database_dsns.recall, "embedding_url": server.url}
        async with own_recall(tmp_path, **addresses) as one, RensouClient(one.address) as client:
            world = await seed(client, database_dsns.admin)
        yield Seeded(database_dsns, server, world)


def method_of(name: str) -> MethodDescriptor:
    return Default().FindMethodByName(name)


async def ask(
    channel: grpc.aio.Channel, name: str, request: Message, metadata: tuple[tuple[str, str], ...] = ()
) -> Answer:
    """The answer or the error of one call."""
    method = method_of(name)
    assert method.input_type.full_name == request.DESCRIPTOR.full_name
    call = channel.unary_unary(
        f"/{method.containing_service.full_name}/{method.name}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
    )
    try:
        return await call(request, metadata=metadata, timeout=30)
    except grpc.aio.AioRpcError as error:
        return error


async def broken_walls(address: str, world: World) -> list[str]:
    """The methods that showed the stranger something, one entry a probe."""
    broken: list[str] = []
    async with grpc.aio.insecure_channel(address) as channel:
        for name, probes in TABLE.items():
            for position, probe in enumerate(probes):
                answer = await ask(channel, name, probe.request(world, STRANGER))
                if not probe.holds(world, answer):
                    broken.append(f"{name}[{position}]: {answer}")
    return broken


def test_every_method_of_the_contract_is_tried() -> None:
    methods = {
        method.full_name
        for service in SERVICES
        for method in Default().FindServiceByName(service).methods_by_name.values()
    }
    assert set(TABLE) == methods
    assert all(TABLE.values())


async def test_a_stranger_sees_nothing(seeded: Seeded, tmp_path: Path) -> None:
    before = owners_rows(seeded.dsns.admin)
    unfilled = {table for table in before if not before[table]}
    assert unfilled <= {"ann_agents", "scope_counts", "term_frequencies"}
    async with seeded.serve(tmp_path) as one:
        assert await broken_walls(one.address, seeded.world) == []
    assert owners_rows(seeded.dsns.admin) == before


async def test_the_database_alone_hides_everything(seeded: Seeded, tmp_path: Path) -> None:
    before = owners_rows(seeded.dsns.admin)
    python_path = strip_services(tmp_path)
    assert (await imported_file(python_path, "load_records")).is_relative_to(tmp_path)
    assert strip_arms(seeded.dsns) >= 8
    async with seeded.serve(tmp_path, python_path=python_path) as one:
        assert await broken_walls(one.address, seeded.world) == []
    assert owners_rows(seeded.dsns.admin) == before


async def test_without_the_wall_the_stranger_would_see_and_change(seeded: Seeded, tmp_path: Path) -> None:
    before = owners_rows(seeded.dsns.admin)
    python_path = strip_services(tmp_path)
    strip_arms(seeded.dsns)
    drop_the_wall(seeded.dsns)
    async with seeded.serve(tmp_path, python_path=python_path) as one:
        broken = await broken_walls(one.address, seeded.world)
    assert {entry.partition("[")[0] for entry in broken if SECRET in entry} >= READING
    assert {entry.partition("[")[0] for entry in broken} == set(TABLE) - WITHOUT_AGENT
    assert owners_rows(seeded.dsns.admin) != before


async def test_a_foreign_ref_answers_as_an_unknown_one(seeded: Seeded, tmp_path: Path) -> None:
    async with seeded.serve(tmp_path) as one, grpc.aio.insecure_channel(one.address) as channel:
        for name, probes in TABLE.items():
            for request in [probe.request(seeded.world, STRANGER) for probe in probes if probe.holds is is_missing]:
                foreign = await ask(channel, name, request)
                unknown = type(request)()
                unknown.CopyFrom(request)
                field, value = _unknown(request)
                asked = getattr(request, field)
                setattr(unknown, field, value)
                expected = await ask(channel, name, unknown)
                assert isinstance(foreign, grpc.aio.AioRpcError) and isinstance(expected, grpc.aio.AioRpcError)
                assert (foreign.code(), foreign.details()) == (
                    expected.code(),
                    (expected.details() or "").replace(value, asked),
                )


def _unknown(request: Message) -> tuple[str, str]:
    """The field by which the request names what is not the stranger's, and a value that names nothing."""
    field = next(one for one in ("entity", "end_ref", "mentioned_in", "ref") if getattr(request, one, ""))
    kind = str(getattr(request, field)).partition(":")[0]
    return field, f"{kind}:999999999" if kind in ("mem", "ep", "ent", "rel") else "nobody"


async def test_a_credential_of_one_agent_opens_no_other(seeded: Seeded, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.json"
    entry = {"name": "stranger", "token": TOKEN, "agents": [STRANGER]}
    tokens.write_text(json.dumps({"tokens": [entry]}), encoding="utf-8")
    before = owners_rows(seeded.dsns.admin)
    bearer = (("authorization", f"Bearer {TOKEN}"),)
    async with seeded.serve(tmp_path, tokens_file=str(tokens)) as one:
        async with grpc.aio.insecure_channel(one.address) as channel:
            for name, probes in TABLE.items():
                request = probes[0].request(seeded.world, OWNER)
                without = await ask(channel, name, request)
                assert isinstance(without, grpc.aio.AioRpcError)
                assert without.code() is grpc.StatusCode.UNAUTHENTICATED, name
                assert is_denied(name, await ask(channel, name, request, bearer)), name
    assert owners_rows(seeded.dsns.admin) == before


def is_denied(name: str, answer: Answer) -> bool:
    """Whether the credential did not reach; GetCapabilities names no agent and is open to every credential."""
    if name.endswith("GetCapabilities"):
        return isinstance(answer, Message)
    if isinstance(answer, rpc.BatchStoreResponse):
        return {one.error.reason for one in answer.results} == {errors_pb2.ERROR_REASON_PERMISSION_DENIED}
    return isinstance(answer, grpc.aio.AioRpcError) and answer.code() is grpc.StatusCode.PERMISSION_DENIED
