"""REACH_WIDE: retired records in at most two held places."""

from dataclasses import replace

import pytest

from rensou_recall.pipelines.reconstruct import reconstruct
from rensou_recall.types.evidence import Reconstruction, ReconstructQuestion
from rensou_recall.types.reach import Reach
from rensou_recall.types.retrieval import Admission, Fusion, GateLevel
from rensou_recall.types.standing import Resolution
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration import rensou_world
from tests.integration.rensou_world import ANN, BOUNDS, EVERYTHING, Rensou
from tests.integration.retirement_world import RetirementWorld

rensou = rensou_world.rensou
PLACES = ("harbour", "market", "station", "island", "tower", "garden", "river", "school")


@pytest.fixture
def world(rensou: Rensou, database_dsns: DatabaseDsns) -> RetirementWorld:
    return RetirementWorld(rensou, database_dsns)


async def _fill(world: RetirementWorld) -> list[str]:
    return [await world.rensou.store(f"The lantern of the {place} is lit.") for place in PLACES]


async def _rebuild(world: RetirementWorld, text: str, reach: Reach, scope: ReadScope = EVERYTHING) -> Reconstruction:
    question = ReconstructQuestion(text, Fusion.CONVEX, BOUNDS, gate=GateLevel.OFF, reach=reach)
    return await reconstruct(world.rensou.deps, world.rensou.call(), scope, question)


async def test_a_retired_record_comes_back_with_wide_only_in_a_held_place(world: RetirementWorld) -> None:
    refs = await _fill(world)
    await world.retire(refs[4])
    near = await world.answer("lantern tower", limit=3)
    wide = await world.answer("lantern tower", limit=3, reach=Reach.WIDE)
    assert wide.hits[:3] == near.hits and near.far is None
    (held,) = wide.hits[3:]
    assert str(held.record.ref) == refs[4] and held.record.retired
    assert held.ranked.admission is Admission.RETIRED
    assert wide.far is not None and (wide.far.searched, wide.far.beyond, wide.far.refused) == (1, 0, 0)
    assert replace(wide, hits=near.hits, far=None) == near


async def test_at_most_two_places_are_held_for_the_best(world: RetirementWorld) -> None:
    refs = await _fill(world)
    await world.retire(*refs[3:7])
    wide = await world.answer("lantern of the tower", limit=2, reach=Reach.WIDE)
    held = [str(hit.record.ref) for hit in wide.hits if hit.ranked.admission is Admission.RETIRED]
    assert len(wide.hits) == 4 and held[0] == refs[4] and len(held) == 2
    without = await world.answer("lantern of the tower", limit=2, reach=Reach.WIDE, exclude=[refs[4]])
    kept = [str(hit.record.ref) for hit in without.hits if hit.ranked.admission is Admission.RETIRED]
    assert len(kept) == 2 and refs[4] not in kept


async def test_the_gate_judges_retired_records_as_it_does_the_others(world: RetirementWorld) -> None:
    for number in range(40):
        await world.rensou.store(
            f"Note {number} about {PLACES[number % 8]} and {PLACES[(number * 3 + 1) % 8]} {number}."
        )
    lantern = await world.rensou.store("A lantern hangs over cellar stairs.")
    engine = await world.rensou.store("Quite different engine matters apply.")
    await world.retire(lantern, engine)
    wide = await world.answer("A lantern hangs over cellar stairs.", reach=Reach.WIDE, gate=GateLevel.STRICT)
    held = [str(hit.record.ref) for hit in wide.hits if hit.ranked.admission is Admission.RETIRED]
    assert held == [lantern] and wide.far is not None and wide.far.refused == 1


@pytest.mark.parametrize("scope", [ReadScope(AgentId("bob")), ReadScope(ANN, "Q"), ReadScope(ANN, "P", source_id="x")])
async def test_the_far_list_holds_nothing_that_the_call_does_not_read(world: RetirementWorld, scope: ReadScope) -> None:
    ref = await world.rensou.store("The lantern is lit.", project="P")
    await world.retire(ref)
    wide = await world.answer("lantern", reach=Reach.WIDE, scope=scope)
    assert wide.hits == () and wide.far is not None and wide.far.searched == 0
    assert (await _rebuild(world, "lantern", Reach.WIDE, scope)).items == ()


async def test_without_its_server_the_far_list_goes_by_words(world: RetirementWorld) -> None:
    refs = await _fill(world)
    await world.retire(refs[4])
    world.rensou.server.down = True
    assert (await world.found("tower", reach=Reach.WIDE))[-1] == refs[4]


async def test_nothing_is_held_where_nothing_is_asked_for(world: RetirementWorld) -> None:
    refs = await _fill(world)
    await world.retire(refs[4])
    assert await world.found("tower", reach=Reach.WIDE, limit=0) == []
    assert refs[4] not in await world.found("", reach=Reach.WIDE)


async def test_reconstruct_holds_places_behind_its_items_and_changes_none(world: RetirementWorld) -> None:
    refs = await _fill(world)
    await world.retire(*refs[3:7])
    near = await _rebuild(world, "lantern of the tower", Reach.NEAR)
    wide = await _rebuild(world, "lantern of the tower", Reach.WIDE)
    count = len(near.items)
    assert wide.items[:count] == near.items and count == 4
    held = wide.items[count:]
    assert [item.retired for item in held] == [True, True] and str(held[0].head_ref) == refs[4]
    assert held[0].quote.content == "The lantern of the tower is lit."
    assert wide.used_budget_chars == near.used_budget_chars + sum(len(item.quote.content) for item in held)
    assert wide.shortfall == near.shortfall


async def test_reconstruct_holds_places_where_nothing_else_is_found(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    await world.retire(ref)
    answer = await _rebuild(world, "lantern", Reach.WIDE)
    assert [str(item.head_ref) for item in answer.items] == [ref]


async def test_retiring_a_successor_does_not_revive_what_it_replaced(world: RetirementWorld) -> None:
    old, new = await world.rensou.store("She works at the mill."), await world.rensou.store("She is at the harbour.")
    await world.relate(new, "corrects", old)
    await world.retire(new)
    (hit,) = (await world.answer("works mill", resolution=Resolution.CURRENT)).hits
    assert str(hit.record.ref) == old and hit.quote.content == ""
    assert hit.standing is not None and hit.standing.is_replaced
    assert [str(one.ref) for one in hit.standing.successors] == [new]


async def test_a_held_place_says_that_its_record_is_replaced_and_withholds_its_text(world: RetirementWorld) -> None:
    old, new = await world.rensou.store("She works at the mill."), await world.rensou.store("She is at the harbour.")
    await world.relate(new, "corrects", old)
    await world.retire(old)
    *_, held = (await world.answer("works mill", reach=Reach.WIDE, resolution=Resolution.CURRENT)).hits
    assert str(held.record.ref) == old and held.quote.content == ""
    assert held.standing is not None and held.standing.is_replaced
    question = ReconstructQuestion(
        "works mill", Fusion.CONVEX, BOUNDS, gate=GateLevel.OFF, reach=Reach.WIDE, resolution=Resolution.ANNOTATE
    )
    *_, item = (await reconstruct(world.rensou.deps, world.rensou.call(), EVERYTHING, question)).items
    assert str(item.head_ref) == old and item.quote.content == "" and item.claims[0].standing is not None
