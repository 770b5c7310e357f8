"""valid_at in Traverse, and what is said of one subject in time."""

import pytest

from rensou_recall.convert.traverse import encode_neighbourhood
from rensou_recall.pipelines.traverse import traverse
from rensou_recall.types.interval import ValidityState
from rensou_recall.types.traverse import Neighbourhood, TraverseRequest
from rensou_shared.ids import AgentId, format_relation_ref
from rensou_shared.scope import ReadScope, WriteScope
from tests.integration import rensou_world
from tests.integration.rensou_world import ANN, EVERYTHING, Rensou
from tests.integration.validity_world import declares, says, year, years

rensou = rensou_world.rensou


async def walks(
    rensou: Rensou,
    start: str,
    valid_at: int | None = None,
    hops: int = 1,
    scope: ReadScope = EVERYTHING,
    limit: int = 20,
) -> Neighbourhood:
    at = None if valid_at is None else year(valid_at)
    return await traverse(rensou.deps, rensou.call(), TraverseRequest(scope, start, start, hops, limit, valid_at=at))


def names(found: Neighbourhood) -> list[str]:
    return [one.names.name for one in found.entities]


def relations(found: Neighbourhood) -> list[str]:
    return sorted(format_relation_ref(one.id) for one in found.relations)


def left(found: Neighbourhood) -> list[str]:
    return encode_neighbourhood(found).excluded_by_validity[:]


@pytest.mark.parametrize(
    ("at", "there"),
    [(2019, []), (2020, ["Alpha"]), (2023, ["Alpha"]), (2024, ["Beta"]), (2030, ["Beta"])],
)
async def test_8_8_a_relation_outside_valid_at_is_neither_walked_nor_named(
    rensou: Rensou, at: int, there: list[str]
) -> None:
    (alpha,) = await declares(rensou, ("Ann", "works at", "Alpha"), validity=years(2020, 2024))
    (beta,) = await declares(rensou, ("Ann", "works at", "Beta"), validity=years(2024, None))
    (tea,) = await declares(rensou, ("Ann", "likes", "Tea"))
    found = await walks(rensou, "ann", at)
    assert sorted(names(found)) == sorted(["Ann", "Tea", *there])
    kept = {"Alpha": alpha, "Beta": beta}
    assert relations(found) == sorted([tea, *(kept[one] for one in there)])
    assert left(found) == [ref for name, ref in kept.items() if name not in there]


async def test_without_valid_at_every_relation_is_walked_and_an_asserted_one_says_its_state(rensou: Rensou) -> None:
    (alpha,) = await declares(rensou, ("Ann", "works at", "Alpha"), validity=years(2020, 2024))
    (tea,) = await declares(rensou, ("Ann", "likes", "Tea"))
    message = encode_neighbourhood(await walks(rensou, "ann"))
    said = {one.ref: one.HasField("validity") and one.validity.state for one in message.relations}
    assert said == {alpha: 2, tea: False}
    assert not message.excluded_by_validity and not message.timelines


async def test_the_walk_goes_no_further_over_what_is_not_true_then(rensou: Rensou) -> None:
    await declares(rensou, ("Ann", "works at", "Alpha"), validity=years(2020, 2024))
    (far,) = await declares(rensou, ("Alpha", "is in", "Rome"), validity=years(2020, 2021))
    assert names(await walks(rensou, "ann", 2020, hops=2)) == ["Ann", "Alpha", "Rome"]
    found = await walks(rensou, "ann", 2022, hops=2)
    assert names(found) == ["Ann", "Alpha"] and left(found) == [far]
    assert names(await walks(rensou, "ann", 2030, hops=2)) == ["Ann"]


async def test_a_hop_bound_is_met_only_by_what_is_true_then(rensou: Rensou) -> None:
    await declares(rensou, ("Ann", "works at", "Alpha"))
    await declares(rensou, ("Alpha", "is in", "Rome"), validity=years(2020, 2021))
    assert (await walks(rensou, "ann", 2020)).max_hops_omitted
    found = await walks(rensou, "ann", 2022)
    assert not found.max_hops_omitted and left(found) == []


async def test_an_older_relation_of_the_pair_that_holds_is_walked(rensou: Rensou) -> None:
    (old,) = await declares(rensou, ("Ann", "founded", "Alpha"), validity=years(2020, 2021))
    (new,) = await declares(rensou, ("Alpha", "employs", "Ann"), validity=years(2021, None))
    assert relations(await walks(rensou, "ann", 2020)) == [old]
    assert relations(await walks(rensou, "ann", 2021)) == [new]


async def test_the_limit_counts_what_is_true_then(rensou: Rensou) -> None:
    for number in range(4):
        await declares(rensou, ("Ann", "knows", f"Old {number}"), validity=years(2020, 2021))
    await declares(rensou, ("Ann", "knows", "Eve"), ("Ann", "knows", "Bob"))
    found = await walks(rensou, "ann", 2030, limit=3)
    assert sorted(names(found)) == ["Ann", "Bob", "Eve"] and found.entities_omitted == 0
    assert (await walks(rensou, "ann", 2020, limit=3)).entities_omitted == 4


async def test_more_than_fifty_are_counted(rensou: Rensou) -> None:
    for start in range(0, 60, 30):
        said = (("Ann", "knows", f"Old {start + number}") for number in range(30))
        await declares(rensou, *said, validity=years(2020, 2021))
    message = encode_neighbourhood(await walks(rensou, "ann", 2030))
    assert (len(message.excluded_by_validity), message.excluded_by_validity_omitted) == (50, 10)


async def test_what_is_said_of_one_subject_by_one_predicate_is_told_in_time(rensou: Rensou) -> None:
    (beta,) = await declares(rensou, ("Ann", "works at", "Beta"), validity=years(2024, None))
    (alpha,) = await declares(rensou, ("Ann", "Works  AT", "Alpha"), validity=years(None, 2024))
    (gamma,) = await declares(rensou, ("Ann", "works at", "Gamma"))
    await declares(rensou, ("Ann", "likes", "Tea"), ("Ann", "likes", "Cake"))
    found = await walks(rensou, "ann")
    (told,) = encode_neighbourhood(found).timelines
    assert told.predicate == "works at" and [one.ref for one in told.entries] == [alpha, gamma, beta]
    assert [one.HasField("record_time") for one in told.entries] == [True, False, True]


async def test_the_state_is_told_at_valid_at(rensou: Rensou) -> None:
    (alpha,) = await declares(rensou, ("Ann", "works at", "Alpha"), validity=years(2020, 2024))
    (one,) = (await walks(rensou, "ann", 2021)).relations
    assert one.validity is not None and one.validity.state is ValidityState.VALID
    await says(rensou, alpha, None, 2021)
    assert names(await walks(rensou, "ann", 2021)) == ["Ann"]


async def test_another_agents_and_a_sibling_projects_validity_is_never_read(rensou: Rensou) -> None:
    """8.8: isolation."""
    tea, bob = WriteScope(ANN, "tea", ""), WriteScope(AgentId("bob"), "", "")
    (pool,) = await declares(rensou, ("Ann", "works at", "Alpha"), validity=years(2020, None))
    await declares(rensou, ("Ann", "works at", "Alpha"), validity=years(2020, 2021), scope=tea)
    await declares(rensou, ("Ann", "works at", "Alpha"), validity=years(2020, 2021), scope=bob)
    found = await walks(rensou, "ann", 2030, scope=ReadScope(ANN, "coffee"))
    assert relations(found) == [pool] and left(found) == []


async def test_with_nothing_asserted_the_answer_is_the_same_at_every_time(rensou: Rensou) -> None:
    await declares(rensou, ("Ann", "works at", "Alpha"), ("Ann", "likes", "Tea"), ("Tea", "is from", "Assam"))
    plain = encode_neighbourhood(await walks(rensou, "ann", hops=2))
    at = encode_neighbourhood(await walks(rensou, "ann", 2030, hops=2))
    assert plain.SerializeToString(deterministic=True) == at.SerializeToString(deterministic=True)
    assert not plain.timelines
