"""A queue at its cap, through the public door: Store never refuses, and every long record has its nodes in the end."""

from contextlib import AsyncExitStack
from pathlib import Path

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import lifecycle_service_pb2 as lifecycle
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from tests.e2e.harness import TIMEOUT_S, eventually, get_contents, memory, service, service_environ, store
from tests.e2e.own_world import OwnWorld, own_world

CAP = 2
QUEUED, DEFERRED = pb.NODES_STATUS_QUEUED, pb.NODES_STATUS_DEFERRED


def long(number: int) -> str:
    return f"Lantern {number} hangs by the door. It is lit at dusk."


async def _missing(world: OwnWorld, agent: str) -> int:
    answer = await world.client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent), timeout=TIMEOUT_S)
    return sum(one.count for one in answer.issues if one.check == "missing_nodes")


async def test_records_past_the_cap_are_stored_deferred_reported_missing_and_get_their_nodes_when_there_is_room(
    postgres: str, scratch_folder: Path, agent: str
) -> None:
    caps = {"max_pending_builds": str(CAP), "max_pending_builds_in_all": "50"}
    async with own_world(postgres, scratch_folder, **caps) as world, AsyncExitStack() as processes:
        answer = await world.client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=TIMEOUT_S)
        limits = {one.name: one.value for one in answer.limits}
        assert (limits["store.pending_builds"], limits["store.pending_builds_in_all"]) == (CAP, 50)

        first = [await store(world.client, agent, long(number)) for number in range(3)]
        assert [one.nodes for one in first] == [QUEUED, QUEUED, DEFERRED]
        batch = rpc.BatchStoreRequest(requests=[memory(agent, long(number)) for number in range(3, 8)])
        results = (await world.client.recall.BatchStore(batch, timeout=TIMEOUT_S)).results
        assert [one.response.nodes for one in results] == [DEFERRED] * 5
        request = lifecycle.ReviseRecordRequest(agent_id=agent, ref=first[2].ref, content=long(9))
        revised = await world.client.lifecycle.ReviseRecord(request, timeout=TIMEOUT_S)
        assert revised.nodes == DEFERRED and revised.revision == 2
        refs = [one.ref for one in first] + [one.response.ref for one in results]
        assert all((*(one.outcome == rpc.STORE_OUTCOME_STORED for one in first), len(set(refs)) == 8))
        assert await _missing(world, agent) == 8

        environ = service_environ(
            database_url=world.dsns.worker,
            embedding_url=world.server.url,
            reconcile_interval_s="0.2",
            sweep_interval_s="0.3",
            max_pending_builds=str(CAP),
        )
        for name, *arguments in (("worker",), ("reconciler", "reconciler")):
            log_path = scratch_folder / f"deferred-{name}.log"
            await processes.enter_async_context(service(log_path, "rensou_nodeworker", *arguments, environ=environ))

        async def all_have_nodes() -> bool:
            return all(item.node_count > 1 for item in (await get_contents(world.client, agent, *refs)).items)

        await eventually(all_have_nodes, "deferred records are left without nodes")
        assert await _missing(world, agent) == 0
        items = (await get_contents(world.client, agent, *refs)).items
        assert items[2].quote.content == long(9)
