"""Recall, Reconstruct and Traverse of what was known at a time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rensou_recall.pipelines.traverse import traverse
from rensou_recall.store.known_at import look_back
from rensou_recall.store.records import load_newest_records
from rensou_recall.types.profile import Profile
from rensou_recall.types.records import QuoteBasis, StartReason
from rensou_recall.types.retrieval import GateLevel
from rensou_recall.types.time_cue import Between, Confidence, TimeCue
from rensou_recall.types.traverse import TraverseRequest
from rensou_shared.errors import EntityNotFound
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope
from tests.integration.known_world import Known, at, ids, known
from tests.integration.rensou_world import ANN, BOUNDS, NOON, rensou

__all__ = ["known", "rensou"]

SECOND, MICROSECOND = timedelta(seconds=1), timedelta(microseconds=1)


async def test_a_record_is_unknown_before_it_was_stored(known: Known) -> None:
    before = known.now()
    await known.rensou.store("The kettle is blue.")
    assert await known.said("kettle", before) == []
    assert not (await known.recall("", before)).hits
    assert await known.said("kettle", known.now()) == ["The kettle is blue."]


async def test_a_revised_record_is_found_by_its_former_words_then_and_not_now(known: Known) -> None:
    ref = await known.rensou.store("The meeting is in Osaka")
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    assert await known.said("osaka", before) == ["The meeting is in Osaka"]
    assert await known.said("osaka") == []
    assert await known.said("kyoto", before) == []
    assert await known.said("kyoto", known.now()) == ["The meeting is in Kyoto"]


async def test_a_former_text_is_scored_as_it_was_then(known: Known) -> None:
    ref = await known.rensou.store("The meeting is in Osaka", minute=0)
    await known.rensou.store("The boat leaves at noon", minute=1)
    ((_, then, *_),) = [(one.ranked.record_id, one.ranked.votes) for one in (await known.recall("osaka")).hits[:1]]
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    found = (await known.recall("osaka", before)).hits[0]
    assert found.record.revision == 1
    assert [(vote.arm, vote.rank) for vote in found.ranked.votes] == [(vote.arm, vote.rank) for vote in then]


async def test_a_text_that_returned_is_known_in_each_of_its_times(known: Known) -> None:
    ref = await known.rensou.store("red")
    times = [known.now()]
    for text in ("green", "red", "green"):
        await known.revise(ref, text)
        times.append(known.now())
    shown = [(await known.recall("", moment)).hits[0] for moment in times]
    assert [one.quote.content for one in shown] == ["red", "green", "red", "green"]
    assert [one.record.revision for one in shown] == [1, 2, 3, 4]
    assert [bool(await known.said("red", moment)) for moment in times] == [True, False, True, False]


async def test_a_revision_without_a_vector_is_found_by_its_words(known: Known) -> None:
    known.rensou.server.down = True
    ref = await known.rensou.store("The meeting is in Osaka")
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    assert await known.said("osaka", before) == ["The meeting is in Osaka"]
    assert known.run("SELECT count(*) FROM revision_vectors") == [(0,)]


async def test_a_long_former_text_is_quoted_from_its_start(known: Known) -> None:
    text = "The clock is slow. " * 100
    ref = await known.rensou.store(text)
    before = known.now()
    await known.revise(ref, "The clock is right.")
    (item,) = (await known.rensou.ask("clock", replace(BOUNDS, count=1), at(before))).items
    assert (item.quote.basis, item.quote.start_reason) == (QuoteBasis.START, StartReason.NO_NODES)
    assert text.startswith(item.quote.content) and len(item.quote.content) > 100


async def test_a_retracted_relation_is_still_walked_before_its_retraction(known: Known) -> None:
    await known.rensou.store("Ann met the tower.", entities=["Ann", "Tower"], relations=[("Ann", "climbed", "Tower")])
    before = known.now()
    known.run("DELETE FROM relations")
    walked = await known.traverse("ann", before)
    assert [(one.names.name, one.hops) for one in walked.entities] == [("Ann", 0), ("Tower", 1)]
    assert [one.predicate for one in walked.relations] == ["climbed"]
    assert [one.names.name for one in (await known.traverse("ann")).entities] == ["Ann"]
    assert [one.names.name for one in (await known.traverse("ann", known.now())).entities] == ["Ann"]


async def test_reconstruct_walks_what_was_declared_then(known: Known) -> None:
    far = await known.rensou.store("It has 300 steps.", entities=["Tower"])
    await known.rensou.store("Ann waits.", entities=["Ann"], relations=[("Ann", "climbed", "Tower")])
    before = known.now()
    known.run("DELETE FROM entity_mentions WHERE record_id = %(id)s", id=ids([far])[0])
    asked = replace(BOUNDS, top_k=1, count=1)
    (then,) = (await known.rensou.ask("ann waits", asked, at(before))).items
    (now,) = (await known.rensou.ask("ann waits", asked)).items
    assert [str(claim.ref) for claim in then.claims if claim.hops == 1] == [far]
    assert [str(claim.ref) for claim in now.claims if claim.hops == 1] == []


async def test_a_relation_that_was_declared_again_has_two_times(known: Known) -> None:
    await known.rensou.store("Ann.", entities=["Ann", "Tower"], relations=[("Ann", "climbed", "Tower")])
    known.run("DELETE FROM relations")
    between = known.now()
    await known.rensou.store("Again.", entities=["Ann", "Tower"], relations=[("Ann", "climbed", "Tower")])
    assert not (await known.traverse("ann", between)).relations
    assert len((await known.traverse("ann", known.now())).relations) == 1


async def test_what_went_with_an_entity_is_known_before_it_was_deleted(known: Known) -> None:
    await known.rensou.store("Ann.", entities=["Ann", "Tower|Spire"], relations=[("Ann", "climbed", "Tower")])
    before = known.now()
    known.run("DELETE FROM entities WHERE name = 'Tower'")
    walked = await known.traverse("spire", before)
    assert next(one.names for one in walked.entities if one.hops == 0).aliases == ("Spire",)
    assert {one.names.name for one in walked.entities} == {"Ann", "Tower"}
    assert [len(one.mentions.refs) for one in walked.entities] == [1, 1]
    with pytest.raises(EntityNotFound):
        await known.traverse("spire", known.now())


async def test_a_name_that_was_given_later_is_unknown_before(known: Known) -> None:
    await known.rensou.store("Ann.", entities=["Ann"])
    before = known.now()
    await known.rensou.store("Ann again.", entities=["Ann|Annie"])
    with pytest.raises(EntityNotFound):
        await known.traverse("annie", before)
    assert (await known.traverse("annie")).entities
    assert [one.names.aliases for one in (await known.traverse("ann", before)).entities] == [()]


async def test_an_assertion_is_known_until_another_takes_its_place(known: Known) -> None:
    await known.rensou.store("Osaka")
    known.run(
        """INSERT INTO validity_assertions (agent_id, record_id, valid_to, asserted_by, recorded_at, superseded_at)
           SELECT 'ann', r.id, x.ends, 'agent', x.known_from, x.known_to
           FROM records r, (VALUES ('2026-02-01Z'::timestamptz, '2026-03-01Z'::timestamptz, '2026-03-02Z'::timestamptz),
                                   ('2026-04-01Z', '2026-03-02Z', NULL)) AS x (ends, known_from, known_to)"""
    )
    shown: list[list[str]] = []
    for day in ("2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03"):
        with known.admin.transaction():
            known.run("SELECT set_config('rensou.known_at', %(day)s, true)", day=f"{day}T00:00:00+00:00")
            rows = known.run("SELECT valid_to::date, superseded_at FROM rensou_known.validity_assertions")
        shown.append([str(ends) for ends, superseded in rows if superseded is None])
    assert shown == [[], ["2026-02-01"], ["2026-04-01"], ["2026-04-01"]]


async def test_what_was_forgotten_stays_forgotten(known: Known) -> None:
    ref = await known.rensou.store("Osaka.", entities=["Ann"])
    other = await known.rensou.store("Boat.")
    known.run(
        """INSERT INTO relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,
                                  object_record, declared_by)
           VALUES ('ann', '', '', %(one)s, 'supports', 'supports', %(other)s, 'agent')""",
        one=ids([ref])[0],
        other=ids([other])[0],
    )
    await known.revise(ref, "Kyoto.")
    known.run("DELETE FROM relations")
    known.run("DELETE FROM entity_mentions")
    before = known.now()
    await known.forget(ref)
    assert await known.said("kyoto.", before) == await known.said("osaka.", before - SECOND) == []
    for table in ("relation_history", "mention_history", "revision_terms", "revision_vectors", "record_revisions"):
        count = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
        assert known.admin.execute(count).fetchone() == (0,), table


async def test_relations_of_a_record_that_is_forgotten_keep_no_history(known: Known) -> None:
    ref = await known.rensou.store("Ann.", entities=["Ann"], relations=[("Ann", "climbed", "Tower")])
    await known.forget(ref)
    assert known.run("SELECT (SELECT count(*) FROM mention_history), (SELECT count(*) FROM relation_history)") == [
        (0, 0)
    ]


async def test_a_time_that_has_not_come_reads_what_is_known_now(known: Known) -> None:
    await known.rensou.store("The kettle is blue.", entities=["Ann", "Tower"], relations=[("Ann", "has", "Tower")])
    ahead = known.now() + timedelta(days=9)
    assert await known.said("kettle", ahead) == await known.said("kettle")
    assert len((await known.traverse("ann", ahead)).relations) == 1


async def test_clocks_a_day_apart_change_nothing_that_was_recorded(known: Known) -> None:
    first = await known.rensou.store("The meeting is in Osaka")
    known.run("UPDATE records SET created_at = created_at + interval '1 day'")
    ((stored,),) = known.run("SELECT created_at FROM records")
    await known.revise(first, "The meeting is in Kyoto")
    # The revision's clock is a day behind: by it the record had its new text before it was stored.
    ((revised,),) = known.run("SELECT revised_at FROM records")
    assert revised < stored
    assert await known.said("meeting", stored - SECOND) == []
    assert await known.said("meeting", stored) == ["The meeting is in Kyoto"]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/St_Johns"])
async def test_the_servers_time_zone_changes_no_answer(known: Known, zone: str) -> None:
    stored = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    known.run("INSERT INTO records (agent_id, kind, content, created_at) VALUES ('ann', 'mem', 'x', %(at)s)", at=stored)
    dsn = make_conninfo(known.admin.info.dsn, user="rensou_recall", options=f"-c timezone={zone}")
    shown: list[int] = []
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        for moment in (stored - MICROSECOND, stored, stored + SECOND):
            async with connection.transaction():
                await connection.execute(b"SELECT set_config('rensou.agent_id', 'ann', true)")
                await look_back(connection, moment)
                shown.append(len(await load_newest_records(connection, at(moment), 10)))
    assert shown == [0, 1, 1]


@pytest.mark.parametrize("profile", [Profile.DIVERSE, Profile.GRAPH])
async def test_profiles_order_what_was_known(known: Known, profile: Profile) -> None:
    ref = await known.rensou.store(
        "The meeting is in Osaka", entities=["Ann", "Tower"], relations=[("Ann", "has", "Tower")]
    )
    await known.rensou.store("It has 300 steps.", entities=["Tower"])
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    known.run("DELETE FROM relations")
    assert await known.said("osaka", before, profile=profile) == ["The meeting is in Osaka"]


async def test_a_time_cue_holds_seats_for_what_was_known(known: Known) -> None:
    ref = await known.rensou.store("The meeting is in Osaka", minute=0)
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    await known.rensou.store("The boat is in Osaka", minute=1)
    cue = TimeCue(Confidence.SURE, Between(NOON, NOON + timedelta(minutes=2)))
    assert await known.said("osaka", before, time_cue=cue) == ["The meeting is in Osaka"]


async def test_the_gate_judges_what_was_known(known: Known) -> None:
    for number in range(40):
        await known.rensou.store(f"Note {number} about the boat")
    ref = await known.rensou.store("The meeting is in Osaka")
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    found = await known.said("osaka", before, gate=GateLevel.BALANCED)
    assert found == ["The meeting is in Osaka"]


async def test_reading_the_past_leaves_the_connection_in_the_present(known: Known) -> None:
    ref = await known.rensou.store("The meeting is in Osaka")
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    for _ in range(8):
        assert await known.said("meeting", before) == ["The meeting is in Osaka"]
        assert await known.said("meeting") == ["The meeting is in Kyoto"]


async def test_no_other_agents_past_is_read(known: Known) -> None:
    ref = await known.rensou.store(
        "The meeting is in Osaka", entities=["Ann", "Tower"], relations=[("Ann", "has", "Tower")]
    )
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    known.run("DELETE FROM entities")
    bob = ReadScope(AgentId("bob"), known_at=before)
    assert not (await known.rensou.ask("osaka", BOUNDS, bob)).items
    async with known.rensou.deps.database.transaction(bob.agent_id, 10) as connection:
        await connection.execute(b"SELECT set_config('rensou.known_at', %s, true)", (before.isoformat(),))
        for view in _VIEWS:
            count = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("rensou_known", view))
            cursor = await connection.execute(count)
            assert await cursor.fetchone() == (0,), view


_VIEWS = ("records", "record_vectors", "record_terms", "entities", "entity_aliases", "entity_mentions", "relations",
          "entity_edges", "former_texts", "record_nodes", "validity_assertions")  # fmt: skip


async def test_a_sibling_projects_past_is_not_read(known: Known) -> None:
    await known.rensou.store("Osaka", project="P", entities=["Ann", "Tower"], relations=[("Ann", "has", "Tower")])
    before = known.now()
    known.run("DELETE FROM relations")
    assert not (await known.rensou.ask("osaka", BOUNDS, at(before, ReadScope(ANN, "Q")))).items
    request = TraverseRequest(at(before, ReadScope(ANN, "Q")), "ann", "ann", 1, 20)
    with pytest.raises(EntityNotFound):
        await traverse(known.rensou.deps, known.rensou.call(), request)


def test_every_view_shows_its_table_as_it_is_declared(known: Known) -> None:
    """A column that a later migration adds to a table, and not to its view, would be missing in the past."""
    rows = known.run(
        """SELECT c.relname, n.nspname,
                  array_agg((a.attname, a.atttypid::regtype, a.atttypmod, a.attcollation)::text ORDER BY a.attname)
           FROM pg_class c
           JOIN pg_namespace n ON n.oid = c.relnamespace
           JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           WHERE n.nspname IN ('rensou', 'rensou_known') AND c.relkind IN ('r', 'v')
           GROUP BY 1, 2"""
    )
    columns = {(schema, name): found for name, schema, found in rows}
    views = [name for schema, name in columns if schema == "rensou_known" and name != "former_texts"]
    assert len(views) == 12
    for name in views:
        assert columns["rensou_known", name] == columns["rensou", name], name


def test_nothing_of_the_past_is_open_to_the_public(known: Known) -> None:
    open_ones = known.run(
        """SELECT p.proname FROM pg_proc p
           WHERE p.pronamespace = 'rensou_known'::regnamespace
             AND (has_function_privilege('public', p.oid, 'EXECUTE')
                  OR has_function_privilege('rensou_worker', p.oid, 'EXECUTE')
                  OR (p.prosecdef
                      AND NOT array_to_string(p.proconfig, ',') LIKE '%%search_path=rensou_known, rensou,%%'))"""
    )
    assert open_ones == []


def test_without_a_moment_nothing_was_known(known: Known) -> None:
    known.run("INSERT INTO records (agent_id, kind, content) VALUES ('ann', 'mem', 'x')")
    assert known.run("SELECT count(*) FROM rensou_known.records") == [(0,)]
