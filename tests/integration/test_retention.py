"""Policies of retention: written, listed by, and applied, each apart."""

import asyncio
from dataclasses import replace

import pytest

from rensou_recall.pipelines.retention import (
    apply_retention,
    list_policies,
    list_retention,
    put_policy,
    remove_policy,
)
from rensou_recall.types.listing import PageRequest
from rensou_recall.types.retention import (
    Application,
    Applied,
    Ground,
    PolicyKey,
    RetentionPage,
    RetentionTest,
    RetentionTests,
    SkipReason,
)
from rensou_shared.domain import MAX_POLICIES
from rensou_shared.errors import InvalidPageToken, PolicyChanged, PolicyNotFound, TooLarge
from rensou_shared.ids import AgentId
from rensou_shared.scope import WriteScope
from tests.conftest import DatabaseDsns
from tests.integration import rensou_world
from tests.integration.rensou_world import ANN, Rensou
from tests.integration.retirement_world import RetirementWorld, ref_of

rensou = rensou_world.rensou
POOL = WriteScope(ANN, "", "")
KEY = PolicyKey(POOL, "old")
OLD = RetentionTests(older_than_days=30)


@pytest.fixture
def world(rensou: Rensou, database_dsns: DatabaseDsns) -> RetirementWorld:
    return RetirementWorld(rensou, database_dsns)


async def _put(world: RetirementWorld, tests: RetentionTests = OLD, key: PolicyKey = KEY) -> None:
    await put_policy(world.rensou.deps, world.rensou.call(), key, tests)


async def _list(world: RetirementWorld, key: PolicyKey = KEY, size: int = 50, token: str = "") -> RetentionPage:
    return await list_retention(world.rensou.deps, world.rensou.call(), key, PageRequest(size, token))


async def _apply(world: RetirementWorld, *refs: str, digest: str | None = None, key: PolicyKey = KEY) -> Applied:
    given = digest if digest is not None else (await _list(world, key)).digest
    application = Application(key, tuple(ref_of(ref) for ref in refs), given, "tidying")
    return await apply_retention(world.rensou.deps, world.rensou.call(), application)


async def _age(world: RetirementWorld, ref: str, days: int) -> None:
    number = int(ref.partition(":")[2])
    await world.run(f"UPDATE records SET created_at = now() - interval '{days} days' WHERE id = %s", number)


def _refs(page: RetentionPage) -> list[str]:
    return [str(match.ref) for match in page.matches]


async def _aged(world: RetirementWorld, *days: int, project: str = "") -> list[str]:
    texts = [f"Note {project} {place} of {number} days." for place, number in enumerate(days)]
    refs = [await world.rensou.store(text, project=project) for text in texts]
    for ref, number in zip(refs, days, strict=True):
        await _age(world, ref, number)
    return refs


async def test_what_is_listed_is_what_is_old_and_says_why(world: RetirementWorld) -> None:
    young, oldest, old = await _aged(world, 29, 90, 31)
    await _put(world)
    page = await _list(world)
    assert _refs(page) == [oldest, old] and page.next_token == ""
    assert [match.grounds for match in page.matches] == [
        (Ground(RetentionTest.OLDER_THAN_DAYS, "90"),),
        (Ground(RetentionTest.OLDER_THAN_DAYS, "31"),),
    ]
    assert sorted(await world.found("")) == sorted([young, oldest, old])


async def test_all_tests_must_hold(world: RetirementWorld) -> None:
    (old,) = await _aged(world, 40)
    await _put(world, replace(OLD, source_type="User"))
    assert _refs(await _list(world)) == [old]
    await _put(world, replace(OLD, source_type="Tool"))
    assert _refs(await _list(world)) == []
    await _put(world, replace(OLD, source_type="User", channel=""))
    (match,) = (await _list(world)).matches
    expected = [RetentionTest.OLDER_THAN_DAYS, RetentionTest.SOURCE_TYPE, RetentionTest.CHANNEL]
    assert [ground.test for ground in match.grounds] == expected


async def test_applying_retires_with_the_policys_name_and_lists_nothing_more(world: RetirementWorld) -> None:
    refs = await _aged(world, 40, 50)
    await _put(world)
    applied = await _apply(world, *refs)
    assert [str(ref) for ref in applied.retired] == refs and applied.skipped == ()
    assert await world.found("note") == [] and _refs(await _list(world)) == []
    told = await world.run("SELECT DISTINCT reason, policy FROM record_retirements")
    assert told == [("tidying", "old")]


async def test_a_locked_record_is_neither_listed_nor_retired(world: RetirementWorld) -> None:
    locked, old = await _aged(world, 60, 40)
    await _put(world)
    await world.lock(locked)
    assert _refs(await _list(world)) == [old]
    applied = await _apply(world, locked, old)
    assert [str(ref) for ref in applied.retired] == [old]
    assert applied.skipped == ((ref_of(locked), SkipReason.LOCKED),)
    assert await world.found("note") == [locked]


async def test_each_record_is_tested_again_when_the_policy_is_applied(world: RetirementWorld) -> None:
    old, changed, gone, retired = await _aged(world, 40, 50, 60, 70)
    (elsewhere,) = await _aged(world, 80, project="P")
    await _put(world)
    digest = (await _list(world)).digest
    await _age(world, changed, 3)
    await world.forget(gone)
    await world.retire(retired)
    applied = await _apply(world, retired, gone, changed, elsewhere, old, digest=digest)
    assert [str(ref) for ref in applied.retired] == [old]
    assert applied.skipped == (
        (ref_of(retired), SkipReason.ALREADY_RETIRED),
        (ref_of(gone), SkipReason.NOT_FOUND),
        (ref_of(changed), SkipReason.NO_LONGER_MATCHES),
        (ref_of(elsewhere), SkipReason.NOT_FOUND),
    )
    assert sorted(await world.found("")) == sorted([changed, elsewhere])


async def test_a_policy_that_changed_retires_nothing(world: RetirementWorld) -> None:
    (old,) = await _aged(world, 40)
    await _put(world)
    digest = (await _list(world)).digest
    await _put(world, RetentionTests(older_than_days=35))
    with pytest.raises(PolicyChanged):
        await _apply(world, old, digest=digest)
    assert await world.found("note") == [old]
    await _put(world)
    assert (await _apply(world, old, digest=digest)).retired == (ref_of(old),)


async def test_pages_go_through_everything_once_also_where_times_are_equal(world: RetirementWorld) -> None:
    refs = await _aged(world, *([40] * 5), 50, 60)
    await world.run("UPDATE records SET created_at = date_trunc('day', created_at)")
    await _put(world)
    listed: list[str] = []
    token = ""
    for _ in range(10):
        page = await _list(world, size=2, token=token)
        listed += _refs(page)
        token = page.next_token
        if not token:
            break
    assert listed == [refs[6], refs[5], *refs[:5]]
    first = await _list(world, size=2)
    await _put(world, RetentionTests(older_than_days=31))
    with pytest.raises(InvalidPageToken):
        await _list(world, size=2, token=first.next_token)


async def test_a_policy_reaches_its_own_place_alone(world: RetirementWorld) -> None:
    (pool,) = await _aged(world, 40)
    (mine,) = await _aged(world, 40, project="P")
    for agent, project, expected in ((ANN, "", [pool]), (ANN, "P", [mine]), (ANN, "Q", []), (AgentId("bob"), "", [])):
        key = PolicyKey(WriteScope(agent, project, ""), "old")
        await _put(world, key=key)
        assert _refs(await _list(world, key)) == expected
    theirs = PolicyKey(WriteScope(AgentId("bob"), "", ""), "old")
    applied = await _apply(world, pool, mine, key=theirs)
    assert applied.retired == () and {reason for _, reason in applied.skipped} == {SkipReason.NOT_FOUND}


async def test_policies_are_kept_as_given_and_taken_away_by_name(world: RetirementWorld) -> None:
    await _put(world, RetentionTests(older_than_days=30, source_type="", channel="あ"))
    (policy,) = await list_policies(world.rensou.deps, world.rensou.call(), POOL)
    assert policy.tests == RetentionTests(older_than_days=30, source_type="", channel="あ")
    assert await list_policies(world.rensou.deps, world.rensou.call(), WriteScope(ANN, "P", "")) == []
    await remove_policy(world.rensou.deps, world.rensou.call(), KEY)
    with pytest.raises(PolicyNotFound):
        await remove_policy(world.rensou.deps, world.rensou.call(), KEY)
    with pytest.raises(PolicyNotFound):
        await _list(world)


async def test_a_place_holds_so_many_policies_and_takes_changes_of_them(world: RetirementWorld) -> None:
    for number in range(MAX_POLICIES):
        await _put(world, key=PolicyKey(POOL, f"p{number}"))
    with pytest.raises(TooLarge):
        await _put(world)
    await _put(world, RetentionTests(older_than_days=1), key=PolicyKey(POOL, "p0"))


async def test_a_policy_is_applied_while_records_arrive(world: RetirementWorld) -> None:
    refs = await _aged(world, *range(40, 52))
    await _put(world)
    listed = _refs(await _list(world))
    assert sorted(listed) == sorted(refs)
    news, applied, *_ = await asyncio.gather(
        asyncio.gather(*(world.rensou.store(f"A new note {number}.") for number in range(12))),
        _apply(world, *listed),
    )
    assert sorted(str(ref) for ref in applied.retired) == sorted(refs)
    assert sorted(await world.found("note", limit=100)) == sorted(news)


async def test_what_is_replaced_is_listed_with_its_successors(world: RetirementWorld) -> None:
    old, new, other = [await world.rensou.store(f"She works at the {place}.") for place in ("mill", "harbour", "fair")]
    await world.relate(new, "corrects", old)
    await world.relate(other, "qualifies", new)
    await _put(world, RetentionTests(state_replaced=True))
    (match,) = (await _list(world)).matches
    assert str(match.ref) == old
    assert match.grounds == (Ground(RetentionTest.STATE_REPLACED, "replaced", (ref_of(new),)),)
    assert (await _apply(world, old, new)).retired == (ref_of(old),)


async def test_a_cycle_replaces_nobody(world: RetirementWorld) -> None:
    first, second = await world.rensou.store("One way."), await world.rensou.store("Another way.")
    await world.relate(first, "corrects", second)
    await world.relate(second, "corrects", first)
    await _put(world, RetentionTests(state_replaced=True))
    assert _refs(await _list(world)) == []


async def test_a_record_that_nothing_replaces_any_more_is_left_as_it_is(world: RetirementWorld) -> None:
    old, new = await world.rensou.store("She works at the mill."), await world.rensou.store("She works at the harbour.")
    await world.relate(new, "corrects", old)
    await _put(world, RetentionTests(state_replaced=True))
    assert _refs(await _list(world)) == [old]
    await world.run("DELETE FROM relations")
    assert (await _apply(world, old)).skipped == ((ref_of(old), SkipReason.NO_LONGER_MATCHES),)


async def test_what_is_true_no_more_is_listed_with_its_end(world: RetirementWorld) -> None:
    refs = [await world.rensou.store(f"The bridge number {number} is closed.") for number in range(3)]
    for ref, valid_to in zip(refs, ("2020-05-01Z", "2999-01-01Z"), strict=False):
        await world.run(
            """INSERT INTO validity_assertions (agent_id, record_id, valid_to, asserted_by, recorded_at)
               VALUES ('ann', %s, %s, 'agent', now())""",
            int(ref.partition(":")[2]),
            valid_to,
        )
    await _put(world, RetentionTests(validity_past=True))
    (match,) = (await _list(world)).matches
    assert str(match.ref) == refs[0]
    assert match.grounds == (Ground(RetentionTest.VALIDITY_PAST, "2020-05-01T00:00:00+00:00"),)
    assert (await _apply(world, *refs[:2])).retired == (ref_of(refs[0]),)
