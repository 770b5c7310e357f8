"""What CheckHealth says of declarations: here, of rows that no declaration could have made."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql

from rensou_recall.pipelines.consistency import check_associations
from rensou_recall.types.health import Finding, Severity
from rensou_shared.ids import AgentId
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, TIMEOUT_S, Graph, entities, open_graph, relations, scope_of

Run = Callable[..., Awaitable[list[tuple[Any, ...]]]]
_RELATION = """
INSERT INTO relations (agent_id, project_id, channel, {subject}, {object}, anchor_record, predicate,
                       normalized_predicate, declared_by)
VALUES ('ann', %(project)s, %(channel)s, %(s)s, %(o)s, %(anchor)s, %(predicate)s, %(predicate)s, 'agent') RETURNING id
"""


@pytest.fixture
async def graph(database_dsns: DatabaseDsns) -> AsyncIterator[Graph]:
    async with open_graph(database_dsns.recall) as opened:
        yield opened


@pytest.fixture
async def admin(database_dsns: DatabaseDsns) -> AsyncIterator[psycopg.AsyncConnection]:
    options = "-c search_path=rensou,public"
    async with await psycopg.AsyncConnection.connect(database_dsns.admin, autocommit=True, options=options) as one:
        yield one


async def _findings(graph: Graph, agent: AgentId = AGENT) -> dict[str, Finding]:
    async with graph.database.transaction(agent, TIMEOUT_S) as connection:
        return {one.check: one for one in await check_associations(connection, agent, 10)}


async def _inconsistent(graph: Graph) -> Finding:
    finding = (await _findings(graph)).get("association_consistency")
    assert finding is not None
    return finding


async def _put(
    admin: psycopg.AsyncConnection, subject: tuple[str, int], obj: tuple[str, int], predicate: str = "p", **where: Any
) -> str:
    """A relation by hand; an end is ("entity", 1) or ("record", 1)."""
    statement = _RELATION.format(subject=f"subject_{subject[0]}", object=f"object_{obj[0]}")
    params = {"project": "", "channel": "", "anchor": None} | where
    cursor = await admin.execute(statement.encode(), params | {"s": subject[1], "o": obj[1], "predicate": predicate})
    row = await cursor.fetchone()
    assert row is not None
    return f"rel:{row[0]}"


async def test_a_sound_graph_has_no_findings_whatever_its_form(graph: Graph) -> None:
    one, two = await graph.record("one"), await graph.record("two", scope_of("P"))
    await graph.declare(entities("Ann", "Bob"), anchor=one)
    forms = [("Ann", "knows", "Bob"), (str(one), "corrects", str(two)), ("Ann", "wrote", str(two))]
    report = await graph.declare(relations(*forms), scope_of("P"))
    assert not report.dropped and await _findings(graph) == {}


async def test_relations_across_projects_or_channels_are_found_whatever_crosses(
    graph: Graph, admin: psycopg.AsyncConnection
) -> None:
    places = {"p": scope_of("P"), "q": scope_of("Q"), "c": scope_of("", "C"), "d": scope_of("P", "D"), "": scope_of()}
    records = {name: ("record", (await graph.record(f"r{name}", place)).id) for name, place in places.items()}
    things = {
        name: ("entity", (await graph.declare(entities(f"E{name}"), place)).entities[0].id)
        for name, place in places.items()
    }
    crossing = [
        await _put(admin, records["p"], records["q"]),
        await _put(admin, records["c"], records["d"]),
        await _put(admin, things["p"], things["q"]),
        await _put(admin, things["p"], records["q"]),
        await _put(admin, records["q"], things["d"]),
        await _put(admin, records[""], things[""], project="P", anchor=records["q"][1]),
        await _put(admin, records["p"], things[""], project="Q"),
        await _put(admin, records["d"], things[""], project="P", channel="C"),
    ]
    for sound in ((records["p"], things["d"]), (records[""], things["q"]), (things["c"], things["p"])):
        await _put(admin, *sound)
    finding = await _inconsistent(graph)
    assert (finding.severity, finding.count, finding.repairable) == (Severity.WARNING, 8, 0)
    assert list(finding.refs) == crossing and "8 between projects or channels" in finding.message


async def test_replacements_in_a_cycle_are_found_and_what_leads_there_is_not(
    graph: Graph, admin: psycopg.AsyncConnection
) -> None:
    records = [("record", (await graph.record(f"r{number}")).id) for number in range(6)]
    cycle = [await _put(admin, records[n], records[(n + 1) % 3], "corrects") for n in range(2)]
    cycle.append(await _put(admin, records[2], records[0], "supersedes"))
    await _put(admin, records[3], records[0], "corrects")
    await _put(admin, records[2], records[4], "corrects")
    await _put(admin, records[4], records[5], "contradicts")
    await _put(admin, records[5], records[4], "contradicts")
    finding = await _inconsistent(graph)
    assert list(finding.refs) == cycle and finding.count == 3 and "3 replacements in a cycle" in finding.message


async def test_relations_of_a_thing_with_itself_are_found(graph: Graph, admin: psycopg.AsyncConnection) -> None:
    record = ("record", (await graph.record("one")).id)
    thing = ("entity", (await graph.declare(entities("Ann"), anchor=await graph.record("two"))).entities[0].id)
    # The database would keep the edges of such a relation, and cannot.
    await admin.execute(b"SET session_replication_role = replica")
    for number in (2, 3):
        constraint = sql.Identifier(f"relations_check{number}")
        await admin.execute(sql.SQL("ALTER TABLE relations DROP CONSTRAINT {}").format(constraint))
    refs = [await _put(admin, record, record), await _put(admin, thing, thing)]
    finding = await _inconsistent(graph)
    assert list(finding.refs) == refs and "2 of a thing with itself" in finding.message


async def test_names_that_one_reader_finds_twice_are_ambiguous_whichever_place_declared_first(graph: Graph) -> None:
    record = await graph.record("one")
    for first, second, name in ((scope_of("P"), scope_of(), "Ann"), (scope_of(), scope_of("", "C"), "Bob")):
        await graph.declare(entities((name, f"{name} the first")), first, record)
        report = await graph.declare(entities((name, f"{name} the second")), second, record)
        assert not report.dropped
    # Nobody of one project and channel reads these together.
    for place in (scope_of("P"), scope_of("Q"), scope_of("R", "C"), scope_of("R", "D")):
        await graph.declare(entities(("Cy", "C.")), place, await graph.record("x", place))
    findings = await _findings(graph)
    ambiguous = findings["ambiguous_aliases"]
    assert (ambiguous.severity, ambiguous.count, ambiguous.repairable) == (Severity.WARNING, 2, 0)
    assert list(ambiguous.refs) == [f"ent:{number}" for number in range(1, 5)]
    assert set(findings) == {"ambiguous_aliases"}


async def test_what_another_agent_declares_is_no_finding(graph: Graph) -> None:
    bob = AgentId("bob")
    await graph.declare(entities("orphan", ("Ann", "A.")), scope_of(agent_id=bob))
    await graph.declare(entities(("Ann", "A.")), scope_of("P", agent_id=bob))
    assert set(await _findings(graph, bob)) == {"ambiguous_aliases", "orphan_entities"}
    assert await _findings(graph) == {}
