"""What a caller holds already is left out of the hits, and nothing else of the answer changes."""

import pytest

from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import found, recall, store, store_many

TEXTS = [f"The lantern of the harbour number {number} is lit." for number in range(12)]


@pytest.mark.parametrize("query", ["lantern harbour", ""])
@pytest.mark.parametrize("fusion", [pb.FUSION_CONVEX, pb.FUSION_RRF])
async def test_the_others_keep_their_order_scores_and_ranks_and_move_up(
    client: RensouClient, agent: str, query: str, fusion: pb.Fusion
) -> None:
    """B11"""
    await store_many(client, agent, TEXTS)
    whole = await recall(client, agent, query, fusion=fusion, limit=100)
    assert len(whole.hits) == len(TEXTS)
    left_out = [whole.hits[place].record.ref for place in (0, 2, 7)]
    rest = await recall(client, agent, query, fusion=fusion, limit=100, exclude=left_out)
    assert list(rest.hits) == [hit for hit in whole.hits if hit.record.ref not in left_out]
    few = await recall(client, agent, query, fusion=fusion, limit=4, exclude=left_out)
    assert list(few.hits) == list(rest.hits)[:4]
    if query:
        assert few.candidates == rest.candidates == whole.candidates


async def test_pages_by_exclude_are_the_ranking(client: RensouClient, agent: str) -> None:
    """B11"""
    await store_many(client, agent, TEXTS)
    seen: list[str] = []
    while page := await found(client, agent, "lantern", limit=5, exclude=seen):
        seen += page
    assert seen == await found(client, agent, "lantern", limit=100)


async def test_a_ref_that_names_nothing_here_leaves_nothing_out(client: RensouClient, agent: str) -> None:
    stored = (await store(client, agent, "The lantern is lit.")).ref
    number = stored.removeprefix("mem:")
    for ref in (f"ep:{number}", "mem:9223372036854775807"):
        assert await found(client, agent, "lantern", exclude=[ref]) == [stored]
    assert await found(client, agent, "lantern", exclude=[f"mem:0{number}"]) == []
    assert await found(client, agent, "lantern", limit=0, exclude=[stored]) == []
