"""What the service says of itself: health names, reflection, CheckHealth, GetCapabilities."""

from collections.abc import AsyncIterator
from pathlib import Path

import grpc.aio
import pytest
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import (
    NOBODY,
    SERVING,
    OwnRecall,
    eventually,
    failure_of,
    health_of,
    memory,
    own_recall,
    recall,
    rows,
    send_bytes,
    store,
)

SERVICES = {f"rensou.v1.{name}Service" for name in ("Recall", "Association", "Lifecycle", "Admin")}
SHORT_BOUND = 100
# A replacement as no declaration makes it: the other way round stands already.
_CORRECTS = """
INSERT INTO relations (agent_id, project_id, channel, subject_record, object_record, predicate, normalized_predicate,
                       declared_by)
VALUES (%s, '', '', %s, %s, 'corrects', 'corrects', 'agent')
"""


@pytest.fixture(scope="module")
async def other(stack: EmbeddedStack, scratch_folder: Path) -> AsyncIterator[OwnRecall]:
    """A recall service with reflection, a bound of its own on texts, and no embedding server."""
    settings = {"reflection": "true", "max_content_chars": str(SHORT_BOUND)}
    addresses = {"database_url": stack.recall_dsn, "embedding_url": f"http://{NOBODY}/embed"}
    async with own_recall(scratch_folder, **addresses, **settings) as one:
        yield one


async def _reflected(address: str) -> set[str]:
    """The services that reflection names."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")])
        answers = [one async for one in stub.ServerReflectionInfo(asked, timeout=10)]
    return {service.name for answer in answers for service in answer.list_services_response.service}


REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


async def _check(client: RensouClient, agent: str, *, repair: bool = False) -> admin.CheckHealthResponse:
    return await client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent, repair=repair), timeout=60)


async def _capabilities(address: str) -> admin.GetCapabilitiesResponse:
    async with RensouClient(address) as client:
        return await client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=60)


@pytest.mark.parametrize("name", ["", "liveness", "readiness", *sorted(SERVICES)])
async def test_each_health_name_of_a_ready_service_is_serving(stack: EmbeddedStack, name: str) -> None:
    """Health"""
    assert await health_of(stack.grpc_address, name) == SERVING


async def test_an_unknown_health_name_is_not_found(stack: EmbeddedStack) -> None:
    """Health"""
    async with grpc.aio.insecure_channel(stack.grpc_address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        failure = await failure_of(stub.Check(health_pb2.HealthCheckRequest(service="nobody"), timeout=10))
    assert failure.code.name == "NOT_FOUND"


async def test_reflection_is_off_unless_it_is_set(stack: EmbeddedStack) -> None:
    """Health"""
    # As one request: a stream that is refused while it is still sent ends in UNIMPLEMENTED or INTERNAL, as it happens.
    async with grpc.aio.insecure_channel(stack.grpc_address) as channel:
        call = channel.unary_unary(REFLECTION, lambda sent: sent, lambda received: received)
        assert (await failure_of(call(b"", timeout=10))).code.name == "UNIMPLEMENTED"


async def test_reflection_names_every_service_when_it_is_set(other: OwnRecall) -> None:
    """Health"""
    assert await _reflected(other.address) >= SERVICES


async def test_a_method_that_does_not_exist_is_unimplemented(stack: EmbeddedStack) -> None:
    """Health"""
    async with grpc.aio.insecure_channel(stack.grpc_address) as channel:
        call = channel.unary_unary("/rensou.v1.RecallService/Guess", lambda sent: sent, lambda received: received)
        assert (await failure_of(call(b"", timeout=10))).code.name == "UNIMPLEMENTED"


async def test_an_agent_without_findings_is_healthy_and_every_check_is_named(client: RensouClient, agent: str) -> None:
    """Health"""
    await store(client, agent, "The lantern is lit.")
    answer = await _check(client, agent)
    assert answer.status == admin.HEALTH_STATUS_HEALTHY and answer.records == 1 and not answer.issues
    assert list(answer.checks) == [
        "ambiguous_aliases",
        "association_consistency",
        "dead_builds",
        "expired_assertions",
        "logs_past_age",
        "missing_nodes",
        "missing_vectors",
        "orphan_entities",
    ]
    assert [(one.name, one.healthy) for one in answer.dependencies] == [
        ("embedding", True),
        ("postgres", True),
        ("redis", True),
    ]
    assert all(one.HasField("since_time") for one in answer.dependencies)
    assert (await _check(client, agent)).dependencies == answer.dependencies


async def test_a_record_that_lost_its_vector_is_found_and_repaired(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """Health"""
    ref = (await store(client, agent, "The lantern is lit.")).ref

    async def repaired() -> bool:
        return not (await _check(client, agent)).issues

    # It would repair by itself.
    await stack.stop_child("reconciler")
    try:
        await rows(stack.admin_dsn, "DELETE FROM record_vectors WHERE agent_id = %s", agent)
        (issue,) = (await _check(client, agent)).issues
        assert (issue.check, issue.count, issue.repairable, issue.queued) == ("missing_vectors", 1, 1, 0)
        assert list(issue.refs) == [ref]
        (issue,) = (await _check(client, agent, repair=True)).issues
        assert issue.queued == 1
        await eventually(repaired, "the vector did not come back")
    finally:
        await stack.start_child("reconciler")
    (hit,) = (await recall(client, agent, "lantern")).hits
    assert pb.ARM_VECTOR in {vote.arm for vote in hit.explanation.votes}


async def test_odd_declarations_are_reported_and_repairing_leaves_them_to_their_maker(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """Health"""
    one, two = [(await store(client, agent, text)).ref for text in ("The lantern is lit.", "The lantern is out.")]
    for project in ("P", ""):
        names = pb.Associations(entities=[pb.EntityDeclaration(name="Ann", aliases=["Annie"])])
        scope = pb.WriteScope(agent_id=agent, project_id=project)
        await client.recall.Store(memory(agent, f"Ann {project}", associations=names, scope=scope), timeout=60)
    for subject, target in ((one, two), (two, one)):
        await rows(stack.admin_dsn, _CORRECTS, agent, *(int(ref.partition(":")[2]) for ref in (subject, target)))
    for repair in (False, True):
        answer = await _check(client, agent, repair=repair)
        found = [(issue.check, issue.severity, issue.count, issue.repairable) for issue in answer.issues]
        assert found == [
            ("ambiguous_aliases", admin.SEVERITY_WARNING, 2, 0),
            ("association_consistency", admin.SEVERITY_WARNING, 2, 0),
        ]
        assert answer.status == admin.HEALTH_STATUS_DEGRADED
    retract = assoc.Retraction(relations=answer.issues[1].refs[:1])
    request = assoc.DeclareAssociationsRequest(scope=pb.WriteScope(agent_id=agent), retract=retract)
    await client.associations.DeclareAssociations(request, timeout=60)
    await client.associations.DeleteEntity(
        assoc.DeleteEntityRequest(agent_id=agent, ref=answer.issues[0].refs[0]), timeout=60
    )
    assert not (await _check(client, agent)).issues


async def test_health_shows_nothing_of_another_agent(client: RensouClient, stack: EmbeddedStack, agent: str) -> None:
    """Health"""
    await store(client, f"{agent}-b", "The lantern is lit.")
    await rows(stack.admin_dsn, "DELETE FROM record_vectors WHERE agent_id = %s", f"{agent}-b")
    answer = await _check(client, agent)
    assert answer.records == 0 and not answer.issues
    await _check(client, f"{agent}-b", repair=True)


async def test_capabilities_name_the_active_model_and_the_newest_migration(stack: EmbeddedStack) -> None:
    """Health"""
    answer = await _capabilities(stack.grpc_address)
    ((fingerprint, dimensions, window),) = await rows(
        stack.admin_dsn, "SELECT fingerprint, dimensions, token_window FROM embedding_models WHERE state = 'active'"
    )
    model = answer.embedding
    assert (model.fingerprint, model.dimensions, model.window_tokens) == (fingerprint, dimensions, window)
    assert model.token_counting and model.model
    newest = await rows(stack.admin_dsn, "SELECT max(version) FROM schema_migrations")
    assert [(answer.schema_version,)] == newest and answer.version


async def test_every_mode_and_fusion_that_capabilities_list_works(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """Health"""
    answer = await _capabilities(stack.grpc_address)
    assert set(answer.fusions) == {pb.FUSION_CONVEX, pb.FUSION_RRF}
    for fusion in answer.fusions:
        await store(client, agent, "The lantern is lit.")
        (hit,) = (await recall(client, agent, "lantern", fusion=fusion)).hits
        assert hit.explanation.fusion == fusion
    for mode in answer.forget_modes:
        ref = (await store(client, agent, "The lantern is lit.")).ref
        request = life.ForgetRequest(agent_id=agent, refs=[ref], mode=mode)
        (result,) = (await client.lifecycle.Forget(request, timeout=60)).results
        assert result.WhichOneof("result") in ("forgotten", "retired")


def _requests(agent: str, name: str, size: int) -> tuple[str, Message]:
    """A request that uses `size` of the limit."""
    read = pb.ReadScope(agent_id=agent)
    match name:
        case "store.content_chars":
            return "RecallService/Store", memory(agent, "x" * size)
        case "store.caller_id_bytes":
            return "RecallService/Store", memory(agent, "x", caller_id="k" * size)
        case "store.name_bytes":
            return "RecallService/Store", memory(agent, "x", session_id="s" * size)
        case "batch_store.requests":
            return "RecallService/BatchStore", rpc.BatchStoreRequest(requests=[memory(agent, "x")] * size)
        case "recall.query_chars":
            return "RecallService/Recall", rpc.RecallRequest(scope=read, query="q" * size)
        case "recall.exclude":
            return "RecallService/Recall", rpc.RecallRequest(scope=read, query="q", exclude=["mem:1"] * size)
        case "get_contents.selectors":
            selectors = [rpc.ContentSelector(ref="mem:1")] * size
            return "RecallService/GetContents", rpc.GetContentsRequest(scope=read, selectors=selectors)
        case _:
            refs = [f"mem:{number}" for number in range(1, size + 1)]
            request = life.ForgetRequest(agent_id=agent, refs=refs, mode=life.FORGET_MODE_HARD)
            return "LifecycleService/Forget", request


CHECKED = (
    "store.content_chars",
    "store.caller_id_bytes",
    "store.name_bytes",
    "batch_store.requests",
    "recall.query_chars",
    "recall.exclude",
    "get_contents.selectors",
    "forget.refs",
)


@pytest.mark.parametrize("name", CHECKED)
async def test_a_limit_of_capabilities_is_taken_and_one_more_refused(
    stack: EmbeddedStack, agent: str, name: str
) -> None:
    """Health"""
    limit = {one.name: one.value for one in (await _capabilities(stack.grpc_address)).limits}[name]
    method, request = _requests(agent, name, limit)
    await send_bytes(stack.grpc_address, method, request.SerializeToString())
    method, request = _requests(agent, name, limit + 1)
    failure = await failure_of(send_bytes(stack.grpc_address, method, request.SerializeToString()))
    assert (failure.code.name, failure.reason) == ("INVALID_ARGUMENT", "TOO_LARGE")


async def test_a_bound_that_the_operator_set_is_listed_and_kept(other: OwnRecall, agent: str) -> None:
    """Health"""
    limits = {one.name: one.value for one in (await _capabilities(other.address)).limits}
    assert limits["store.content_chars"] == SHORT_BOUND
    async with RensouClient(other.address) as client:
        await store(client, agent, "x" * SHORT_BOUND)
        failure = await failure_of(store(client, agent, "x" * (SHORT_BOUND + 1)))
    assert failure.fields == ("memory.content",)
