"""Pairs of relations that may contradict each other are listed, and judged by nobody."""

from collections.abc import AsyncIterator

import pytest

from rensou_recall.types.listing import (
    ContradictionCandidate,
    EntityEnd,
    Page,
)
from rensou_shared.ids import EntityId
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, entities, open_graph, relations, scope_of
from tests.integration.listing_world import Lists, name_of


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
