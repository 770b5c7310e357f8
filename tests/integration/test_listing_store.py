"""Pages over what is declared, against PostgreSQL, as the service's own role."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from rensou_recall.types.listing import (
    PageRequest,
)
from rensou_shared.errors import EntityNotFound, InvalidPageToken, RecordNotFound
from rensou_shared.ids import AgentId, EntityId, RecordId, RecordRef
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, entities, open_graph, relations, scope_of
from tests.integration.listing_world import Lists, name_of, turn, written


@pytest.fixture
async def lists(database_dsns: DatabaseDsns) -> AsyncIterator[Lists]:
    async with open_graph(database_dsns.recall) as opened:
        yield Lists(opened)


async def test_every_form_of_relation_is_listed_by_number_with_what_it_says(lists: Lists) -> None:
    one, two = await lists.graph.record("one"), await lists.graph.record("two", kind="ep")
    forms = [("Ann", "Lives In", "Kobe"), (str(one), "corrects", str(two)), ("Ann", "wrote", str(one))]
    await lists.graph.declare(relations(*forms, (str(two), "shows", "Kobe")), anchor=two)
    found = await lists.relations()
    assert written(found) == [*forms, (str(two), "shows", "Kobe")]
    assert {one.anchor for one in found.items} == {two} and {it.declared_by for it in found.items} == {"agent"}
    assert found.items[0].normalized_predicate == "lives in" and found.next_token == ""


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 100])
async def test_pages_of_any_size_put_together_are_the_whole_list(lists: Lists, size: int) -> None:
    await lists.graph.declare(relations(*(("A", f"p{n}", f"B{n}") for n in range(6))))
    await lists.graph.declare(relations(*(("A", "p0", f"C{n}") for n in range(3))))
    assert await turn(lists.relations, size) == list((await lists.relations()).items)
    assert await turn(lists.entities, size) == list((await lists.entities()).items)
    assert await turn(lists.candidates, size) == list((await lists.candidates()).items)
    assert len((await lists.candidates()).items) == 6


async def test_what_stands_all_the_time_is_listed_once_while_others_come_and_go(lists: Lists) -> None:
    await lists.graph.declare(relations(*((f"S{n}", "p", f"O{n}") for n in range(9))))
    before = (await lists.relations()).items
    first = await lists.relations(page=PageRequest(3, ""))
    # The item that the page ended with goes, one that was read, one that was not; another comes.
    await lists.graph.run(
        b"DELETE FROM relations WHERE id = ANY (%(ids)s)", ids=[before[place].id for place in (0, 2, 5)]
    )
    await lists.graph.declare(relations(("S9", "p", "O9")))
    second = await lists.relations(page=PageRequest(3, first.next_token))
    third = await lists.relations(page=PageRequest(3, second.next_token))
    assert [name_of(one.subject) for one in first.items] == ["S0", "S1", "S2"]
    assert [name_of(one.subject) for one in second.items] == ["S3", "S4", "S6"]
    assert [name_of(one.subject) for one in third.items] == ["S7", "S8", "S9"] and third.next_token == ""


async def test_the_size_may_change_from_page_to_page_and_nothing_else(lists: Lists) -> None:
    await lists.graph.declare(relations(*(("A", "p", f"B{n}") for n in range(5))))
    token = (await lists.relations(page=PageRequest(2, ""))).next_token
    assert len((await lists.relations(page=PageRequest(100, token))).items) == 3
    page = PageRequest(2, token)
    ann = (await lists.entities()).items[0].id
    with pytest.raises(InvalidPageToken):
        await lists.entities(page=page)
    with pytest.raises(InvalidPageToken):
        await lists.candidates(page=page)
    for scope in (ReadScope(AGENT, ""), ReadScope(AGENT, channel="C"), ReadScope(AgentId("bob"))):
        with pytest.raises(InvalidPageToken):
            await lists.relations(scope, page=page)
    with pytest.raises(InvalidPageToken):
        await lists.relations(end=ann, page=page)
    with pytest.raises(InvalidPageToken):
        await lists.relations(predicate="p", page=page)
    with pytest.raises(InvalidPageToken):
        await replace(lists, page_key=b"l" * 32).relations(page=page)


async def test_the_relations_of_one_end_are_those_that_it_is_subject_or_object_of(lists: Lists) -> None:
    one, two = await lists.graph.record("one"), await lists.graph.record("two", kind="ep")
    forms = [
        ("Ann", "p", "Bob"),
        ("Cy", "p", "Ann"),
        ("Ann", "q", str(one)),
        (str(one), "q", str(two)),
        ("Cy", "p", "D"),
    ]
    await lists.graph.declare(relations(*forms))
    ann = (await lists.entities(name="ann")).items[0].id
    assert written(await lists.relations(end=ann)) == forms[:3]
    assert written(await lists.relations(end=ann, predicate="p")) == forms[:2]
    assert written(await lists.relations(predicate="q")) == forms[2:4]
    assert written(await lists.relations(end=one)) == forms[2:4]
    assert written(await lists.relations(end=two)) == [forms[3]]
    assert await turn(lists.relations, 1, end=ann) == list((await lists.relations(end=ann)).items)


async def test_an_end_or_a_record_that_the_call_does_not_read_is_not_found(lists: Lists) -> None:
    record = await lists.graph.record("one", scope_of("P"), source_id="s:1")
    await lists.graph.declare(relations(("Ann", "wrote", str(record))), scope_of("P"), record)
    ann = (await lists.entities(name="ann")).items[0].id
    other_kind = RecordRef("ep", record.id)
    for scope in (ReadScope(AGENT, "Q"), ReadScope(AGENT, ""), ReadScope(AgentId("bob"))):
        with pytest.raises(EntityNotFound):
            await lists.relations(scope, ann)
        with pytest.raises(RecordNotFound):
            await lists.relations(scope, record)
        with pytest.raises(RecordNotFound):
            await lists.entities(scope, record=record)
    for missing in (other_kind, RecordRef("mem", RecordId(10**9))):
        with pytest.raises(RecordNotFound):
            await lists.relations(end=missing)
    with pytest.raises(RecordNotFound):
        await lists.relations(ReadScope(AGENT, source_id="s:2"), record)
    with pytest.raises(EntityNotFound):
        await lists.relations(end=EntityId(10**9))


async def test_entities_are_listed_with_their_names_by_name_by_record_or_all(lists: Lists) -> None:
    record = await lists.graph.record("one")
    await lists.graph.declare(entities(("MizEye", "ミズアイ", "eye")), scope_of("P", "C"))
    await lists.graph.declare(entities("Ann", "Bob"), anchor=record)
    await lists.graph.declare(entities(("Eye", "the eye")))
    everything = (await lists.entities()).items
    assert [(one.name, one.aliases, one.place.project_id, one.place.channel) for one in everything] == [
        ("MizEye", ("eye", "ミズアイ"), "P", "C"),
        ("Ann", (), "", ""),
        ("Bob", (), "", ""),
        ("Eye", ("the eye",), "", ""),
    ]
    assert [one.name for one in (await lists.entities(name="eye")).items] == ["MizEye", "Eye"]
    assert [one.name for one in (await lists.entities(name="ミズアイ")).items] == ["MizEye"]
    assert [one.name for one in (await lists.entities(record=record)).items] == ["Ann", "Bob"]
    assert [one.name for one in (await lists.entities(name="ann", record=record)).items] == ["Ann"]
    assert (await lists.entities(name="eye", record=record)).items == ()
    assert (await lists.entities(name="nobody")).items == ()


async def test_more_aliases_than_are_shown_are_counted(lists: Lists) -> None:
    for part in range(2):
        await lists.graph.declare(entities(("Ann", *(f"a{part}{n:02}" for n in range(20)))))
    (ann,) = (await lists.entities()).items
    assert ann.aliases == tuple(f"a{n:03}" for n in (*range(20), *range(100, 112))) and ann.aliases_omitted == 8


async def test_the_lists_of_one_agent_hold_nothing_of_another(lists: Lists) -> None:
    bob = AgentId("bob")
    await lists.graph.declare(relations(("Ann", "p", "Bob"), ("Ann", "p", "Cy")), scope_of(agent_id=bob))
    assert (await lists.relations()).items == () == (await lists.entities()).items
    assert (await lists.candidates()).items == ()
    assert len((await lists.candidates(ReadScope(bob))).items) == 1
