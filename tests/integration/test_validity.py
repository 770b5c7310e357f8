"""When records and relations are true: what is asserted, kept and superseded."""

import asyncio
from datetime import timedelta
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from rensou_recall.pipelines.lifecycle import set_locked
from rensou_recall.pipelines.validity import assert_validity
from rensou_recall.types.call import Principal
from rensou_recall.types.graph import Associations, Dropped, DropReason, RelationDeclaration
from rensou_recall.types.storing import StoreOutcome
from rensou_recall.types.validity import Asserted, Assertion, Claimed
from rensou_shared.ids import AgentId, RecordRef, parse_record_ref
from rensou_shared.scope import WriteScope
from tests.conftest import DatabaseDsns
from tests.integration import rensou_world
from tests.integration.rensou_world import ANN, Rensou
from tests.integration.validity_world import claim, declares, keep, says, target, year, years

rensou = rensou_world.rensou
BOB = AgentId("bob")


def stored(
    dsns: DatabaseDsns, columns: LiteralString = "valid_from, valid_to, superseded_at IS NULL"
) -> list[tuple[object, ...]]:
    """The assertions in the order in which they were made, read by the superuser."""
    with psycopg.connect(dsns.admin, options="-c TimeZone=UTC") as connection:
        statement = sql.SQL("SELECT {} FROM rensou.validity_assertions ORDER BY id").format(sql.SQL(columns))
        return connection.execute(statement).fetchall()


async def test_an_assertion_is_kept_and_a_later_one_supersedes_it_at_its_own_instant(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    ref = str((await keep(rensou, "She works at Alpha.")).ref)
    await says(rensou, ref, 2020, None)
    await says(rensou, ref, 2021, 2024)
    assert stored(database_dsns) == [(year(2020), None, False), (year(2021), year(2024), True)]
    (first, second) = stored(database_dsns, "recorded_at, superseded_at")
    assert first[0] < first[1] == second[0] and second[1] is None


async def test_a_bound_left_out_keeps_what_stands_so_that_closing_says_the_end_alone(rensou: Rensou) -> None:
    ref = str((await keep(rensou, "She works at Alpha.")).ref)
    assert await says(rensou, ref, 2020, None) == years(2020, None)
    assert await says(rensou, ref, None, 2024) == years(2020, 2024)
    assert await says(rensou, ref, 2019, None) == years(2019, 2024)


async def test_a_bound_is_taken_away_by_saying_so(rensou: Rensou) -> None:
    ref = str((await keep(rensou, "She works at Alpha.", years(2020, 2024))).ref)
    assert await claim(rensou, ref, Claimed(without_to=True)) == Asserted(years(2020, None), changed=True)
    assert await claim(rensou, ref, Claimed(without_from=True)) == Asserted(years(None, None), changed=True)


async def test_the_same_interval_again_writes_nothing(rensou: Rensou, database_dsns: DatabaseDsns) -> None:
    ref = str((await keep(rensou, "She works at Alpha.", years(2020, 2024))).ref)
    before = stored(database_dsns, "id, recorded_at, superseded_at")
    for same in (Claimed(year(2020), year(2024)), Claimed(year(2020)), Claimed()):
        assert await claim(rensou, ref, same) == Asserted(years(2020, 2024), changed=False)
    assert stored(database_dsns, "id, recorded_at, superseded_at") == before


@pytest.mark.parametrize("validity", [Claimed(year(2024), year(2020)), Claimed(year(2024), year(2024))])
async def test_an_interval_without_an_instant_is_dropped(
    rensou: Rensou, database_dsns: DatabaseDsns, validity: Claimed
) -> None:
    ref = str((await keep(rensou, "She works at Alpha.")).ref)
    assert await claim(rensou, ref, validity) is DropReason.INVALID_INTERVAL
    assert stored(database_dsns) == []


async def test_an_end_before_the_beginning_that_stands_is_dropped_and_the_beginning_stands(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    ref = str((await keep(rensou, "She works at Alpha.", years(2020, None))).ref)
    assert await claim(rensou, ref, Claimed(valid_to=year(2020))) is DropReason.INVALID_INTERVAL
    assert stored(database_dsns) == [(year(2020), None, True)]


async def test_a_locked_record_may_be_asserted_and_its_row_is_untouched(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    ref = (await keep(rensou, "She works at Alpha.")).ref
    assert await set_locked(rensou.deps, rensou.call(), ANN, ref, True)
    row = "SELECT r.*, r.xmin::text, r.ctid::text FROM rensou.records r"
    with psycopg.connect(database_dsns.admin) as connection:
        before = connection.execute(row).fetchall()
        connection.commit()
        await says(rensou, str(ref), 2020, 2024)
        assert connection.execute(row).fetchall() == before
    assert stored(database_dsns) == [(year(2020), year(2024), True)]


async def test_what_the_agent_has_not_is_dropped_and_the_others_are_asserted(rensou: Rensou) -> None:
    mine = (await keep(rensou, "She works at Alpha.")).ref
    hers = (await keep(rensou, "He works at Beta.", scope=WriteScope(BOB, "", ""))).ref
    targets = [RecordRef("mem", hers.id), RecordRef("ep", mine.id), mine, target("rel:999")]
    answers = await assert_validity(
        rensou.deps, rensou.call(), ANN, [Assertion(one, Claimed(year(2020))) for one in targets]
    )
    missing = DropReason.RECORD_NOT_FOUND
    assert answers == [missing, missing, Asserted(years(2020, None), changed=True), DropReason.RELATION_NOT_FOUND]


async def test_another_agents_relation_is_none(rensou: Rensou, database_dsns: DatabaseDsns) -> None:
    (ref,) = await declares(rensou, ("Ann", "works at", "Alpha"), scope=WriteScope(BOB, "", ""))
    assert await claim(rensou, ref, Claimed(year(2020))) is DropReason.RELATION_NOT_FOUND
    assert stored(database_dsns) == []


@pytest.mark.parametrize(("operator", "said"), [(False, "agent"), (True, "operator")])
async def test_who_asserts_is_the_credential(
    rensou: Rensou, database_dsns: DatabaseDsns, operator: bool, said: str
) -> None:
    ref = str((await keep(rensou, "She works at Alpha.")).ref)
    await claim(rensou, ref, Claimed(year(2020)), principal=Principal("who", frozenset({"*"}), operator))
    assert stored(database_dsns, "asserted_by") == [(said,)]


async def test_concurrent_assertions_leave_one_open_row_and_lose_none(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    ref = str((await keep(rensou, "She works at Alpha.")).ref)
    said = (says(rensou, ref, 2000 + one, None) for one in range(20))
    failed = [one for one in await asyncio.gather(*said, return_exceptions=True) if isinstance(one, BaseException)]
    assert failed == []
    rows = stored(database_dsns, "valid_from, superseded_at")
    assert {row[0] for row in rows} == {year(2000 + one) for one in range(20)}
    assert [row[1] is None for row in rows] == [False] * 19 + [True]
    times = stored(database_dsns, "recorded_at, superseded_at")
    assert [row[1] for row in times[:-1]] == [row[0] for row in times[1:]]


async def test_two_who_close_different_bounds_at_once_close_both(rensou: Rensou, database_dsns: DatabaseDsns) -> None:
    for number in range(8):
        ref = str((await keep(rensou, f"She works at number {number}.")).ref)
        await asyncio.gather(
            claim(rensou, ref, Claimed(valid_from=year(2020))), claim(rensou, ref, Claimed(valid_to=year(2024)))
        )
    standing = [row[:2] for row in stored(database_dsns) if row[2]]
    assert standing == [(year(2020), year(2024))] * 8


async def test_store_says_when_its_record_is_true_since_it_was_stored(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    await keep(rensou, "She works at Alpha.", years(2020, None))
    with psycopg.connect(database_dsns.admin) as connection:
        rows = connection.execute(
            "SELECT v.valid_from, v.recorded_at = r.created_at FROM rensou.validity_assertions v, rensou.records r"
        ).fetchall()
    assert rows == [(year(2020), True)]


async def test_a_bad_interval_costs_the_record_nothing_and_is_reported(rensou: Rensou) -> None:
    result = await keep(rensou, "She works at Alpha.", DropReason.INVALID_INTERVAL)
    assert result.outcome is StoreOutcome.STORED
    assert result.dropped == (Dropped("validity", DropReason.INVALID_INTERVAL),)


async def test_a_text_that_stood_already_is_asserted_too_and_keeps_what_is_left_out(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    await keep(rensou, "She works at Alpha.", years(2020, None))
    again = await keep(rensou, "She works at Alpha.", years(None, 2024))
    assert (again.outcome, again.dropped) == (StoreOutcome.SKIPPED_DUPLICATE, ())
    assert stored(database_dsns) == [(year(2020), None, False), (year(2020), year(2024), True)]
    wrong = await keep(rensou, "She works at Alpha.", years(None, 2019))
    assert wrong.dropped == (Dropped("validity", DropReason.INVALID_INTERVAL),)


async def test_a_declared_relation_says_when_it_is_true(rensou: Rensou, database_dsns: DatabaseDsns) -> None:
    (first,) = await declares(rensou, ("Ann", "works at", "Alpha"), validity=years(2020, None))
    assert stored(database_dsns, "relation_id, valid_from, valid_to") == [(int(first[4:]), year(2020), None)]
    with psycopg.connect(database_dsns.admin) as connection:
        query = "SELECT v.recorded_at = r.declared_at FROM rensou.validity_assertions v JOIN rensou.relations r ON true"
        assert connection.execute(query).fetchall() == [(True,)]


async def test_a_relation_declared_again_keeps_the_bound_that_is_left_out(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    said = RelationDeclaration("Ann", "works at", "Alpha", years(2020, None))
    closing = RelationDeclaration("Ann", "works at", "Alpha", years(None, 2024))
    for one in (said, closing):
        result = await keep(rensou, "the declaration", associations=Associations(relations=(one,)))
        assert result.report is not None and not result.report.dropped
    assert stored(database_dsns) == [(year(2020), None, False), (year(2020), year(2024), True)]


async def test_a_bad_interval_of_a_relation_is_dropped_by_path_and_the_relation_stands(rensou: Rensou) -> None:
    relations = (
        RelationDeclaration("Ann", "works at", "Alpha"),
        RelationDeclaration("Ann", "works at", "Beta", DropReason.INVALID_INTERVAL),
    )
    report = (await keep(rensou, "the declaration", associations=Associations(relations=relations))).report
    assert report is not None and len(report.relations) == 2
    assert report.dropped == (Dropped("relations[1].validity", DropReason.INVALID_INTERVAL),)
    closing = (RelationDeclaration("Ann", "works at", "Alpha", years(2020, None)),)
    await keep(rensou, "the declaration", associations=Associations(relations=closing))
    early = (RelationDeclaration("Ann", "works at", "Alpha", years(None, 2019)),)
    report = (await keep(rensou, "the declaration", associations=Associations(relations=early))).report
    assert report is not None
    assert report.dropped == (Dropped("relations[0].validity", DropReason.INVALID_INTERVAL),)


async def test_of_a_relation_named_twice_the_last_interval_counts(rensou: Rensou, database_dsns: DatabaseDsns) -> None:
    relations = tuple(RelationDeclaration("Ann", "works at", "Alpha", years(one, None)) for one in (2020, 2021))
    await keep(rensou, "the declaration", associations=Associations(relations=relations))
    assert stored(database_dsns) == [(year(2021), None, True)]


async def test_an_assertion_goes_with_what_it_is_about(rensou: Rensou, database_dsns: DatabaseDsns) -> None:
    ref = str((await keep(rensou, "She works at Alpha.", years(2020, None))).ref)
    await says(rensou, ref, 2021, None)
    await declares(rensou, ("Ann", "works at", "Alpha"), validity=years(2020, None))
    with psycopg.connect(database_dsns.admin, autocommit=True) as connection:
        connection.execute("DELETE FROM rensou.relations")
        connection.execute("DELETE FROM rensou.records WHERE id = %s", [ref.removeprefix("mem:")])
    assert stored(database_dsns) == []


async def test_a_clock_that_was_set_back_supersedes_nothing_before_it_began(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    ref = str((await keep(rensou, "She works at Alpha.", years(2020, None))).ref)
    with psycopg.connect(database_dsns.admin, autocommit=True) as connection:
        connection.execute("UPDATE rensou.validity_assertions SET recorded_at = recorded_at + interval '1 day'")
    await says(rensou, ref, 2021, None)
    (first, second) = stored(database_dsns, "recorded_at, superseded_at")
    assert first == (second[0], second[0])


async def test_times_are_kept_to_the_microsecond_and_an_interval_may_last_one(rensou: Rensou) -> None:
    ref = str((await keep(rensou, "She works at Alpha.")).ref)
    moment = timedelta(microseconds=1)
    asserted = await claim(rensou, ref, Claimed(year(2020), year(2020) + moment))
    assert isinstance(asserted, Asserted) and asserted.interval.valid_to == year(2020) + moment
    assert parse_record_ref(ref) is not None
