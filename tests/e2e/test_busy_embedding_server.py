"""An embedding server that is too busy and names a wait: nothing is lost, it is left alone, and all of it heals."""

import asyncio
from pathlib import Path

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from tests.e2e.harness import TIMEOUT_S, builds_settle, eventually, memory, recall
from tests.e2e.own_world import own_world
from tests.unit.lying_embedding_server import honest, says

TEXTS = [f"The lantern number {number} is lit." for number in range(8)]
WAIT_S = 6
_BUSY = says({"error": "too many requests"}, status=429, headers={"Retry-After": str(WAIT_S)})


async def test_a_server_that_names_a_wait_is_left_alone_for_it_and_every_text_gets_its_vector_after(
    postgres: str, scratch_folder: Path, agent: str
) -> None:
    """B08"""
    async with own_world(postgres, scratch_folder, worker=True) as world:
        assert not (await recall(world.client, agent, "anything")).HasField("degradation")
        world.server.always = _BUSY
        batch = rpc.BatchStoreRequest(requests=[memory(agent, text) for text in TEXTS])
        results = (await world.client.recall.BatchStore(batch, timeout=TIMEOUT_S)).results
        assert [(one.response.outcome, one.response.embedded) for one in results] == [
            (rpc.STORE_OUTCOME_STORED, False)
        ] * len(TEXTS)
        await asyncio.sleep(WAIT_S / 3)
        asked = len(world.server.requests)
        answer = await recall(world.client, agent, "which lantern?", limit=20)
        assert len(answer.hits) == len(TEXTS)
        assert answer.degradation.kind == pb.DEGRADATION_KIND_NO_QUERY_VECTOR
        await asyncio.sleep(WAIT_S / 3)
        assert len(world.server.requests) == asked
        world.server.always = honest

        async def healed() -> bool:
            return all(vector is not None for _, vector in await world.vectors(agent))

        await eventually(healed, "texts are left without a vector")

        async def whole() -> bool:
            return not (await recall(world.client, agent, "which lantern is lit?")).HasField("degradation")

        await eventually(whole, "recall stays degraded")
        await builds_settle(world.dsns.admin, agent)
        assert {state for state, *_ in await world.builds(agent)} == {"done"}
