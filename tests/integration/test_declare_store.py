"""Declaring against PostgreSQL, as the service's own role."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from rensou_recall.pipelines.declare import declare, declare_in
from rensou_recall.store.declaration import retract, save_mentions
from rensou_recall.types.declaration import RetractionPlan
from rensou_recall.types.graph import (
    Associations,
    DeclareRequest,
    DropReason,
    EntityDeclaration,
    RelationDeclaration,
    Retraction,
    RetractionReport,
    Warned,
    WarningReason,
)
from rensou_shared.db.pool import Connection
from rensou_shared.errors import WriteConflict
from rensou_shared.ids import AgentId, EntityId, RecordId, RecordRef, RelationId
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, TIMEOUT_S, Graph, entities, open_graph, relations, scope_of

BOB = AgentId("bob")


@pytest.fixture
async def graph(database_dsns: DatabaseDsns) -> AsyncIterator[Graph]:
    async with open_graph(database_dsns.recall) as opened:
        yield opened


async def _retract(graph: Graph, agent_id: AgentId, retraction: RetractionPlan) -> tuple[int, int]:
    async def work(connection: Connection) -> tuple[int, int]:
        report = await retract(connection, agent_id, retraction)
        return report.relations, report.mentions

    return await graph.database.write(agent_id, TIMEOUT_S, work)


async def test_a_declaration_registers_mentions_and_relates(graph: Graph) -> None:
    record = await graph.record("Kirari keeps the eye.")
    declared = Associations(
        entities=(EntityDeclaration("MizEye", ("mizeye", "ミズアイ")),),
        relations=(RelationDeclaration("Kirari", "Maintains  it", "ﾐｽﾞｱｲ"),),
    )
    report = await graph.declare(declared, anchor=record)
    assert [(one.name, one.created) for one in report.entities] == [("MizEye", True), ("Kirari", True)]
    assert report.mentions == 1 and [one.created for one in report.relations] == [True] and report.dropped == ()
    (row,) = await graph.run(b"SELECT predicate, normalized_predicate, anchor_record, declared_by FROM relations")
    assert row == ("Maintains  it", "maintains it", record.id, "agent")


async def test_the_same_declaration_again_changes_nothing(graph: Graph) -> None:
    record = await graph.record("x")
    declared = Associations(entities("A", ("B", "b2")).entities, relations(("A", "knows", "b2")).relations)
    first = await graph.declare(declared, anchor=record)
    again = await graph.declare(declared, anchor=record)
    assert [one.id for one in again.entities] == [one.id for one in first.entities]
    assert not any(one.created for one in again.entities) and again.mentions == 0
    assert [(one.id, one.created) for one in again.relations] == [(first.relations[0].id, False)]


async def test_a_relation_named_twice_is_created_once(graph: Graph) -> None:
    report = await graph.declare(relations(("A", "knows", "B"), ("a", "KNOWS", "b")))
    assert [one.created for one in report.relations] == [True, False]
    assert len({one.id for one in report.relations}) == 1


async def test_the_first_spelling_stays(graph: Graph) -> None:
    await graph.declare(entities("Zürich"))
    report = await graph.declare(entities("ZU\u0308RICH"))
    assert [(one.name, one.created) for one in report.entities] == [("Zürich", False)]


async def test_an_alias_gives_a_project_its_own_entity_beside_the_global_one(graph: Graph) -> None:
    (shared,) = (await graph.declare(entities("Ann"))).entities
    (plain,) = (await graph.declare(entities("Ann"), scope_of("P"))).entities
    (own,) = (await graph.declare(entities(("Ann", "Sparrow")), scope_of("P"))).entities
    assert plain.id == shared.id and own.created and own.id != shared.id


async def test_an_alias_taken_in_a_visible_place_is_dropped(graph: Graph) -> None:
    await graph.declare(entities(("MizEye", "ミズアイ")))
    report = await graph.declare(entities(("Other", "ﾐｽﾞｱｲ")), scope_of("P"))
    assert [(one.item, one.reason) for one in report.dropped] == [("entities[0].aliases[0]", DropReason.ALIAS_TAKEN)]
    assert [one.created for one in report.entities] == [True]


async def test_another_project_or_agent_shares_no_name(graph: Graph) -> None:
    places = [scope_of("P"), scope_of("Q"), scope_of("P", "C"), scope_of(agent_id=BOB)]
    found = [(await graph.declare(entities("Ann"), place)).entities[0] for place in places]
    assert [one.created for one in found] == [True, True, False, True]


async def test_bad_items_are_dropped_by_path_and_the_rest_stands(graph: Graph) -> None:
    foreign = await graph.record("x", scope_of(agent_id=BOB))
    declared = Associations(
        entities=(EntityDeclaration("tea\0pot"), EntityDeclaration("A", ("a\0",)), EntityDeclaration(" ")),
        relations=(
            RelationDeclaration("A", "p\0", "B"),
            RelationDeclaration("A", "is", "a"),
            RelationDeclaration(str(foreign), "is", "mem:x"),
            RelationDeclaration(str(foreign), "is", "A"),
            RelationDeclaration("A", "knows", "B"),
        ),
    )
    report = await graph.declare(declared)
    assert [(one.item, one.reason) for one in report.dropped] == [
        ("entities[0]", DropReason.INVALID_TEXT),
        ("entities[1].aliases[0]", DropReason.INVALID_TEXT),
        ("entities[2]", DropReason.EMPTY),
        ("relations[0]", DropReason.INVALID_TEXT),
        ("relations[1]", DropReason.SELF_RELATION),
        ("relations[2].object", DropReason.INVALID_REF),
        ("relations[3].subject", DropReason.RECORD_NOT_FOUND),
    ]
    assert [one.name for one in report.entities] == ["A", "B"] and len(report.relations) == 1


async def test_an_anchor_that_is_gone_is_dropped(graph: Graph) -> None:
    report = await graph.declare(entities("A"), anchor=RecordRef("mem", RecordId(99)))
    assert [(one.item, one.reason) for one in report.dropped] == [("anchor_ref", DropReason.RECORD_NOT_FOUND)]
    assert report.mentions == 0 and len(report.entities) == 1


async def test_every_form_of_relation_is_found_again(graph: Graph) -> None:
    one, two, anchor = [await graph.record(text) for text in ("one", "two", "anchor")]
    declared = relations(("A", "p", "B"), ("A", "p", str(one)), (str(one), "p", "A"), (str(one), "p", str(two)))
    for at in (None, anchor):
        first = await graph.declare(declared, anchor=at)
        again = await graph.declare(declared, anchor=at)
        assert [it.created for it in first.relations] == [True] * 4
        assert [(it.id, it.created) for it in again.relations] == [(it.id, False) for it in first.relations]


async def test_a_replacement_that_leads_back_is_dropped(graph: Graph) -> None:
    one, two, three = [str(await graph.record(text)) for text in ("one", "two", "three")]
    await graph.declare(relations((two, "corrects", one)))
    report = await graph.declare(
        relations((three, "Supersedes", two), (one, "corrects", three), (one, "qualifies", three))
    )
    assert [(it.item, it.reason) for it in report.dropped] == [("relations[1]", DropReason.CYCLE)]
    assert [it.created for it in report.relations] == [True, True]


async def test_a_replacement_of_another_project_closes_no_cycle_here(graph: Graph) -> None:
    one, two = [str(await graph.record(text)) for text in ("one", "two")]
    await graph.declare(relations((two, "corrects", one)), scope_of("Q"))
    report = await graph.declare(relations((one, "corrects", two)), scope_of("P"))
    assert report.dropped == ()


async def test_a_long_chain_of_replacements_is_searched_to_its_bound(graph: Graph) -> None:
    refs = [str(await graph.record(f"text {number}")) for number in range(300)]
    for first in range(0, 299, 60):
        await graph.declare(
            relations(*((refs[n + 1], "corrects", refs[n]) for n in range(first, min(first + 60, 299))))
        )
    near = await graph.declare(relations((refs[0], "corrects", refs[250])))
    far = await graph.declare(relations((refs[0], "corrects", refs[299])))
    assert [it.reason for it in near.dropped] == [DropReason.CYCLE] and near.warnings == ()
    assert far.dropped == () and [it.created for it in far.relations] == [True]
    assert far.warnings == (Warned("relations[0]", WarningReason.CYCLE_NOT_EXCLUDED),)


async def test_relations_across_isolation_are_dropped(graph: Graph) -> None:
    here, there = [str(await graph.record("x", scope_of(project))) for project in ("P", "Q")]
    report = await graph.declare(relations((here, "corrects", there), ("A", "is in", there)), scope_of("P"))
    assert [it.reason for it in report.dropped] == [DropReason.CROSSES_ISOLATION] * 2
    assert report.entities == ()


async def test_a_relation_of_another_project_is_declared_from_no_other_place(graph: Graph) -> None:
    one, two = [await graph.record(text, scope_of("Q")) for text in ("one", "two")]
    for writer in (scope_of(), scope_of("P")):
        report = await graph.declare(relations((str(one), "corrects", str(two))), writer, two)
        assert [it.item for it in report.dropped] == ["relations[0].subject", "relations[0].object", "anchor_ref"]
        assert {it.reason for it in report.dropped} == {DropReason.CROSSES_ISOLATION}
    assert (await graph.declare(relations((str(one), "corrects", str(two))), scope_of("Q", "C"), two)).dropped == ()


async def test_a_writer_without_a_channel_meets_replacements_of_every_channel(graph: Graph) -> None:
    one, two = [str(await graph.record(text)) for text in ("one", "two")]
    await graph.declare(relations((two, "corrects", one)), scope_of("", "C"))
    assert (await graph.declare(relations((one, "corrects", two)), scope_of("", "D"))).dropped == ()
    await _retract(graph, AGENT, RetractionPlan(relations=(RelationId(2),)))
    report = await graph.declare(relations((one, "corrects", two)))
    assert [it.reason for it in report.dropped] == [DropReason.CYCLE]


async def test_an_alias_of_a_narrow_place_keeps_no_wider_one_from_it_and_stays(graph: Graph) -> None:
    (narrow,) = (await graph.declare(entities(("MizEye", "ミズアイ")), scope_of("P"))).entities
    report = await graph.declare(entities(("Other", "ﾐｽﾞｱｲ")))
    assert report.dropped == () and report.entities[0].created
    (inside,) = (await graph.declare(entities("ミズアイ"), scope_of("P"))).entities
    (outside,) = (await graph.declare(entities("ミズアイ"))).entities
    assert (inside.id, outside.id) == (narrow.id, report.entities[0].id)


async def test_what_a_row_refers_to_may_be_gone_and_the_writer_is_told_to_come_again(graph: Graph) -> None:
    record = await graph.record("x")

    async def work(connection: Connection) -> None:
        await save_mentions(connection, AGENT, "agent", [EntityId(999)], record.id)

    with pytest.raises(WriteConflict):
        await graph.database.write(AGENT, TIMEOUT_S, work)


async def test_retracting_takes_only_this_agents_rows_and_counts_them(graph: Graph) -> None:
    record = await graph.record("x")
    report = await graph.declare(
        Associations(entities("A").entities, relations(("A", "p", "B")).relations), anchor=record
    )
    entity, relation = report.entities[0].id, report.relations[0].id
    asked = RetractionPlan((relation, RelationId(999)), ((entity, record), (EntityId(999), record)))
    wrong_kind = RetractionPlan((), ((entity, RecordRef("ep", record.id)),))
    assert await _retract(graph, BOB, asked) == (0, 0)
    assert await _retract(graph, AGENT, wrong_kind) == (0, 0)
    assert await _retract(graph, AGENT, asked) == (1, 1)
    assert await _retract(graph, AGENT, asked) == (0, 0)
    assert (await graph.count("entities"), await graph.count("entity_edges")) == (2, 0)


async def test_an_operator_takes_back_and_declares_in_one_call(graph: Graph) -> None:
    record = await graph.record("x", kind="ep")
    first = await graph.declare(relations(("A", "p", "B")), anchor=record)
    request = DeclareRequest(
        relations(("A", "p", "B")), f"ep:0{record.id}", Retraction((f"rel:{first.relations[0].id}",))
    )
    deps: Any = graph
    report, retracted = await declare(deps, graph.call(operator=True), scope_of(), request)
    assert retracted == RetractionReport(1, 0) and report.relations[0].created
    assert await graph.run(b"SELECT declared_by, anchor_record FROM relations") == [("operator", record.id)]


@pytest.mark.parametrize(("ref", "reason"), [("mem:1", DropReason.RECORD_NOT_FOUND), ("x", DropReason.INVALID_REF)])
async def test_a_bad_anchor_ref_costs_only_the_anchor(graph: Graph, ref: str, reason: DropReason) -> None:
    assert (await graph.record("x", kind="ep")).id == 1
    deps: Any = graph
    report, retracted = await declare(deps, graph.call(), scope_of(), DeclareRequest(entities("A"), ref))
    assert [(it.item, it.reason) for it in report.dropped] == [("anchor_ref", reason)]
    assert len(report.entities) == 1 and report.mentions == 0 and retracted is None


async def test_a_declaration_that_is_rolled_back_leaves_nothing(graph: Graph) -> None:
    async def work(connection: Connection) -> None:
        await declare_in(connection, scope_of(), "operator", relations(("A", "p", "B")), None)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await graph.database.write(AGENT, TIMEOUT_S, work)
    assert [await graph.count(table) for table in ("entities", "entity_aliases", "relations")] == [0, 0, 0]


async def test_the_largest_declaration_fits(graph: Graph) -> None:
    record = await graph.record("x")
    declared = Associations(
        entities=tuple(
            EntityDeclaration(f"e{n}", tuple(f"{n}-{place}" + "京" * 245 for place in range(32))) for n in range(64)
        ),
        relations=tuple(RelationDeclaration(f"e{n}", "p", f"e{(n * 7 + 1) % 64}") for n in range(64) if n != 53),
    )
    report = await graph.declare(declared, anchor=record)
    assert {it.reason for it in report.dropped} <= {DropReason.SELF_RELATION}
    assert report.mentions == 64 and await graph.count("entity_aliases") == 64 * 33
