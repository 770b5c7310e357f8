"""Retired records: out of every search, served by ref, and back as they were."""

import asyncio

import pytest

from rensou_recall.pipelines.contents import get_contents
from rensou_recall.pipelines.health import check_health
from rensou_recall.pipelines.lifecycle import revise
from rensou_recall.pipelines.store import store
from rensou_recall.pipelines.traverse import traverse
from rensou_recall.types.contents import Selector
from rensou_recall.types.lifecycle import Forgotten, Restored, Retired, Revision
from rensou_recall.types.records import NewRecord
from rensou_recall.types.storing import StoreItem, StoreOutcome
from rensou_recall.types.traverse import TraverseRequest
from rensou_shared.errors import DuplicateContent, RecordLocked, RecordNotFound, RecordNotRetired, RecordRetired
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope, WriteScope
from tests.conftest import DatabaseDsns
from tests.integration import rensou_world
from tests.integration.rensou_world import ANN, EVERYTHING, Rensou
from tests.integration.retirement_world import ASIDE, LIVE, RetirementWorld, ref_of

rensou = rensou_world.rensou
BOB = AgentId("bob")


@pytest.fixture
def world(rensou: Rensou, database_dsns: DatabaseDsns) -> RetirementWorld:
    return RetirementWorld(rensou, database_dsns)


async def _store(world: RetirementWorld, content: str, caller_id: str = "") -> tuple[str, StoreOutcome]:
    item = StoreItem(WriteScope(ANN, "", ""), NewRecord("mem", content, caller_id), None)
    result = await store(world.rensou.deps, world.rensou.call(), item)
    return str(result.ref), result.outcome


async def test_a_retired_record_leaves_every_search_and_comes_back_as_it_was(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern of the tower is lit.")
    other = await world.rensou.store("The tower has a door.")
    before = await world.answer("lantern tower")
    (retired,) = await world.retire(ref, reason="no use")
    assert isinstance(retired, Retired)
    assert await world.found("lantern tower") == [other] and await world.rows_of(ref) == ASIDE
    assert await world.found("") == [other]
    assert await world.restore(ref) == [Restored(0, 0)]
    assert await world.answer("lantern tower") == before and await world.rows_of(ref) == LIVE


async def test_retiring_is_told_with_its_reason_and_the_history_is_kept(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    await world.retire(ref, reason="first")
    await world.restore(ref)
    await world.retire(ref, reason="second")
    told = await world.run(
        "SELECT reason, policy, retired_by, restored_by, restored_at IS NULL FROM record_retirements ORDER BY id"
    )
    assert told == [("first", "", "agent", "agent", False), ("second", "", "agent", None, True)]


async def test_a_retired_record_is_served_by_ref_and_says_so(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    await world.retire(ref)
    contents = await get_contents(world.rensou.deps, world.rensou.call(), EVERYTHING, [Selector(ref_of(ref), None)])
    (item,) = contents.items
    assert item.full.record.retired and item.full.record.content == "The lantern is lit."


async def test_a_locked_record_is_neither_retired_nor_restored(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    await world.lock(ref)
    (refused,) = await world.retire(ref)
    assert isinstance(refused, RecordLocked) and await world.found("lantern") == [ref]
    await world.lock(ref, False)
    await world.retire(ref)
    await world.lock(ref)
    (refused,) = await world.restore(ref)
    assert isinstance(refused, RecordLocked) and await world.found("lantern") == []


async def test_each_ref_is_answered_for_itself(world: RetirementWorld) -> None:
    kept, gone = await world.rensou.store("A harbour."), await world.rensou.store("A tower.")
    await world.retire(gone)
    again, unknown, goes = await world.retire(gone, "mem:999999", kept)
    assert isinstance(again, RecordRetired) and isinstance(unknown, RecordNotFound) and isinstance(goes, Retired)
    await world.restore(kept)
    live, unknown = await world.restore(kept, "mem:999999")
    assert isinstance(live, RecordNotRetired) and isinstance(unknown, RecordNotFound)


async def test_a_text_stored_anew_after_it_was_retired_is_a_new_record(world: RetirementWorld) -> None:
    """B33"""
    old, _ = await _store(world, "The key is under the mat.")
    await world.retire(old)
    new, outcome = await _store(world, "The key is under the mat.")
    assert outcome is StoreOutcome.STORED and new != old
    assert await world.found("key mat") == [new]
    (refused,) = await world.restore(old)
    assert isinstance(refused, DuplicateContent) and refused.ref == new
    assert await _store(world, "The key is under the mat.") == (new, StoreOutcome.SKIPPED_DUPLICATE)
    await world.retire(new)
    assert await world.restore(old) == [Restored(0, 0)]
    assert await world.found("key mat") == [old]


async def test_caller_ids_are_given_up_and_taken_back_where_they_are_free(world: RetirementWorld) -> None:
    old, _ = await _store(world, "The first key.", "k")
    free, _ = await _store(world, "The second key.", "free")
    (retired, _) = await world.retire(old, free)
    assert isinstance(retired, Retired) and retired.caller_ids == 1
    new, outcome = await _store(world, "The third key.", "k")
    assert outcome is StoreOutcome.STORED
    assert await world.restore(old, free) == [Restored(0, 1), Restored(1, 0)]
    assert await _store(world, "The third key.", "k") == (new, StoreOutcome.SKIPPED_DUPLICATE)
    assert await _store(world, "The second key.", "free") == (free, StoreOutcome.SKIPPED_DUPLICATE)


async def test_a_retired_record_is_revised_by_nobody_and_forgotten_for_good(world: RetirementWorld) -> None:
    ref, _ = await _store(world, "The first key.", "k")
    await world.retire(ref)
    with pytest.raises(RecordRetired):
        await revise(world.rensou.deps, world.rensou.call(), ANN, Revision(ref_of(ref), "Another.", 0))
    (gone,) = await world.forget(ref)
    assert isinstance(gone, Forgotten)
    assert (gone.vectors, gone.terms, gone.caller_ids, gone.retirements) == (1, 1, 1, 1)
    assert sum((await world.rows_of(ref)).values()) == 0


async def test_hand_written_sql_retires_as_the_service_does(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    await world.run("UPDATE records SET retired_at = now()")
    assert await world.found("lantern") == [] and await world.rows_of(ref) == ASIDE
    await world.run("UPDATE records SET retired_at = retired_at - interval '1 day'")
    assert await world.rows_of(ref) == ASIDE
    await world.run("UPDATE records SET retired_at = NULL")
    assert await world.found("lantern") == [ref] and await world.rows_of(ref) == LIVE


async def test_what_is_derived_of_a_former_text_is_moved_nowhere(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    await world.run("UPDATE records SET retired_at = now(), content = 'The harbour.'")
    assert sum((await world.rows_of(ref)).values()) == 0
    await world.run("UPDATE records SET retired_at = NULL, content = 'The lantern is lit.'")
    assert sum((await world.rows_of(ref)).values()) == 0


async def test_document_frequencies_lose_a_retired_record(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    await world.retire(ref)
    ((records,),) = await world.run("SELECT sum(delta) FROM term_deltas")
    assert records == 0
    await world.restore(ref)
    assert await world.run("SELECT sum(delta) FROM term_deltas") == [(1,)]


async def test_a_retired_record_lacks_nothing(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    await world.retire(ref)
    answer = await check_health(world.rensou.deps, world.rensou.call(), ANN, repair=False)
    assert answer.records == 0 and all(finding.count == 0 for finding in answer.findings)
    lacking = await world.run("SELECT reason FROM records_lacking_v1(1, 1000, 1, 1, '', 0, 10)")
    assert lacking == [(None,)]
    assert await world.run("SELECT records, lacking FROM embedding_models_v1(1)") == [(0, 0)]


async def test_a_walk_meets_no_retired_record(world: RetirementWorld) -> None:
    lives = [("Kirari", "lives in", "Sapporo")]
    await world.rensou.store("Kirari came by.", entities=["Kirari"], relations=lives)
    gone = await world.rensou.store("Nothing of the words.", entities=["Sapporo"])
    kept = await world.rensou.store("Another thing altogether.", entities=["Sapporo"])
    await world.retire(gone)
    answer = await world.rensou.ask("Kirari came")
    refs = {str(claim.ref) for item in answer.items for claim in item.claims}
    assert gone not in refs and kept in refs
    request = TraverseRequest(EVERYTHING, "Sapporo", "sapporo", 0, 20)
    (entity,) = (await traverse(world.rensou.deps, world.rensou.call(), request)).entities
    assert gone not in {str(ref) for ref in entity.mentions.refs} and entity.mentions.omitted == 0


async def test_another_agent_neither_retires_nor_restores(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    (refused,) = await world.retire(ref, agent=BOB)
    assert isinstance(refused, RecordNotFound) and await world.found("lantern") == [ref]
    await world.retire(ref)
    (refused,) = await world.restore(ref, agent=BOB)
    assert isinstance(refused, RecordNotFound) and await world.found("lantern") == []


async def test_a_worker_that_derives_of_a_record_retired_meanwhile_puts_it_aside(world: RetirementWorld) -> None:
    ref = await world.rensou.store("The lantern is lit.")
    await world.run("CREATE TABLE public.kept_v AS SELECT * FROM record_vectors")
    await world.run("CREATE TABLE public.kept_t AS SELECT * FROM record_terms")
    await world.run("DELETE FROM record_vectors; DELETE FROM record_terms")
    await world.retire(ref)
    await world.run(
        """INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding)
           SELECT agent_id, record_id, model_id, '', '', '', embedding FROM public.kept_v
           ON CONFLICT (agent_id, record_id, model_id) DO UPDATE SET embedding = excluded.embedding"""
    )
    await world.run(
        """INSERT INTO record_terms (agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words,
                                     trigrams)
           SELECT agent_id, record_id, terms_version, '', '', '', hashes, words, trigrams FROM public.kept_t"""
    )
    assert await world.rows_of(ref) == ASIDE
    await world.restore(ref)
    assert await world.found("lantern") == [ref]


async def test_storing_and_restoring_one_text_at_once_leaves_one_live_record(world: RetirementWorld) -> None:
    for round_ in range(5):
        text = f"The lantern number {round_}."
        old, _ = await _store(world, text)
        await world.retire(old)
        await asyncio.gather(world.restore(old), _store(world, text))
        live = await world.run("SELECT count(*) FROM records WHERE content = %s AND retired_at IS NULL", text)
        assert live == [(1,)]


async def test_the_newest_and_the_span_of_a_scope_know_live_records_alone(world: RetirementWorld) -> None:
    old = await world.rensou.store("An old note.", minute=0)
    new = await world.rensou.store("A new note.", minute=10)
    await world.retire(new)
    assert await world.found("") == [old]
    scope = ReadScope(ANN, "")
    assert [str(hit.record.ref) for hit in (await world.answer("", scope=scope)).hits] == [old]
