"""Pairs of relations that may contradict each other are listed, and judged by nobody."""

from collections.abc import AsyncIterator
from itertools import combinations
from random import Random
from typing import Any

import pytest

from rensou_recall.stages.isolation import crosses_isolation
from rensou_recall.types.graph import Associations, RelationDeclaration
from rensou_recall.types.listing import (
    ContradictionCandidate,
    EntityEnd,
    ListedRelation,
    Page,
)
from rensou_shared.ids import EntityId
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, entities, open_graph, relations, scope_of
from tests.integration.listing_world import EVERYTHING, Lists, name_of, turn
from tests.integration.validity_world import years


@pytest.fixture
async def lists(database_dsns: DatabaseDsns) -> AsyncIterator[Lists]:
    async with open_graph(database_dsns.recall) as opened:
        yield Lists(opened)


def pairs(found: Page[ContradictionCandidate]) -> list[tuple[str, str, str, str]]:
    return [
        (name_of(one.first.subject), one.predicate, name_of(one.first.object), name_of(one.second.object))
        for one in found.items
    ]


async def test_candidates_are_pairs_of_one_subject_and_predicate_with_another_object(lists: Lists) -> None:
    forms = [
        ("Ann", "Lives in", "Kobe"),
        ("Ann", "knows", "Bob"),
        ("Bob", "lives in", "Nara"),
        ("Ann", "lives in", "Nara"),
    ]
    record = await lists.graph.record("one")
    await lists.graph.declare(relations(*forms, ("Ann", "lives in", "Uji"), ("Ann", "lives in", str(record))))
    found = await lists.candidates()
    assert pairs(found) == [
        ("Ann", "lives in", "Kobe", "Nara"),
        ("Ann", "lives in", "Kobe", "Uji"),
        ("Ann", "lives in", "Nara", "Uji"),
    ]
    assert all(one.first.id < one.second.id and one.subject == subject_of(one) for one in found.items)


def subject_of(candidate: ContradictionCandidate) -> EntityId:
    subjects = {one.subject for one in (candidate.first, candidate.second)}
    (subject,) = [one for one in subjects if isinstance(one, EntityEnd)]
    return subject.id


async def test_what_repeats_a_relation_with_another_anchor_makes_no_more_pairs(lists: Lists) -> None:
    for number in range(20):
        anchor = await lists.graph.record(f"record {number}")
        await lists.graph.declare(relations(("Ann", "lives in", "Kobe"), ("Ann", "lives in", "Nara")), anchor=anchor)
    found = await lists.candidates()
    assert pairs(found) == [("Ann", "lives in", "Kobe", "Nara")]
    assert (found.items[0].first.id, found.items[0].second.id) == tuple(
        one.id for one in (await lists.relations()).items[:2]
    )


async def test_relations_of_places_that_nobody_reads_together_are_no_candidates(lists: Lists) -> None:
    await lists.graph.declare(entities("Ann", "Kobe"))
    for project, channel, home in (("P", "", "Uji"), ("Q", "", "Nara"), ("", "C", "Ise"), ("", "", "Kobe")):
        await lists.graph.declare(relations(("Ann", "lives in", home)), scope_of(project, channel))
    seen = {(first, second) for _, _, first, second in pairs(await lists.candidates())}
    assert seen == {("Uji", "Ise"), ("Uji", "Kobe"), ("Nara", "Ise"), ("Nara", "Kobe"), ("Ise", "Kobe")}
    of_p = {(first, second) for _, _, first, second in pairs(await lists.candidates(ReadScope(AGENT, "P", "D")))}
    assert of_p == {("Uji", "Kobe")}


def naive(found: Page[ListedRelation]) -> list[tuple[int, int]]:
    """The numbers of the pairs, by the rule said once more."""
    lowest: dict[Any, ListedRelation] = {}
    for one in found.items:
        if isinstance(one.subject, EntityEnd) and isinstance(one.object, EntityEnd):
            lowest.setdefault((one.subject, one.normalized_predicate, one.object, one.place), one)
    together = [
        (one, other)
        for one, other in combinations(lowest.values(), 2)
        if (one.subject, one.normalized_predicate) == (other.subject, other.normalized_predicate)
        and one.object != other.object
        and not crosses_isolation([one.place, other.place])
    ]
    together.sort(key=lambda pair: (pair[0].subject.id, pair[0].normalized_predicate, pair[0].id, pair[1].id))
    return [(one.id, other.id) for one, other in together]


@pytest.mark.parametrize("seed", range(4))
async def test_the_pairs_of_any_graph_are_those_that_the_rule_says(lists: Lists, seed: int) -> None:
    random = Random(seed)
    names = ["A", "B", "C", "D"]
    await lists.graph.declare(entities(*names))
    records = [await lists.graph.record(f"record {number}") for number in range(3)]
    for _ in range(40):
        subject, obj = random.sample(names, 2)
        place = scope_of(random.choice(["", "P", "Q"]), random.choice(["", "C", "D"]))
        anchor = random.choice([None, *records])
        await lists.graph.declare(relations((subject, random.choice(["p", "q"]), obj)), place, anchor)
    for scope in (EVERYTHING, ReadScope(AGENT, "P"), ReadScope(AGENT, "", "C"), ReadScope(AGENT, "Q", "D")):
        expected = naive(await lists.relations(scope))
        found = await turn(lists.candidates, random.randint(1, 9), scope=scope)
        assert [(one.first.id, one.second.id) for one in found] == expected
    assert len(naive(await lists.relations())) > 20


@pytest.mark.parametrize(
    ("first", "second", "meet"),
    [
        ((2020, 2022), (2021, 2023), True),
        ((2020, 2022), (2022, 2024), False),
        ((2020, None), (2022, 2024), True),
        ((None, 2020), (2020, None), False),
        (None, (2020, 2022), True),
        (None, None, True),
    ],
)
async def test_what_is_true_at_no_common_instant_is_no_candidate(
    lists: Lists, first: tuple[int | None, int | None] | None, second: tuple[int, int] | None, meet: bool
) -> None:
    for home, said in (("Kobe", first), ("Nara", second)):
        interval = None if said is None else years(*said)
        await lists.graph.declare(Associations(relations=(RelationDeclaration("Ann", "lives in", home, interval),)))
    assert pairs(await lists.candidates()) == ([("Ann", "lives in", "Kobe", "Nara")] if meet else [])


async def test_the_same_said_of_another_time_is_looked_at_by_itself(lists: Lists) -> None:
    anchors = [await lists.graph.record(f"record {number}") for number in range(2)]
    for anchor, said in zip(anchors, ((2018, 2019), (2020, 2022)), strict=True):
        home = RelationDeclaration("Ann", "lives in", "Kobe", years(*said))
        await lists.graph.declare(Associations(relations=(home,)), anchor=anchor)
    other = RelationDeclaration("Ann", "lives in", "Nara", years(2021, None))
    await lists.graph.declare(Associations(relations=(other,)))
    assert pairs(await lists.candidates()) == [("Ann", "lives in", "Kobe", "Nara")]
