"""valid_at in Recall and Reconstruct: before, inside and after; what touches, is open, backfilled or ahead."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from psycopg import sql

from rensou_recall.convert.reconstruct import encode_reconstruct
from rensou_recall.convert.retrieval import encode_recall
from rensou_recall.pipelines.recall import RecallQuestion, recall
from rensou_recall.types.graph import Associations, EntityDeclaration, RelationDeclaration
from rensou_recall.types.interval import Interval, ValidityState
from rensou_recall.types.profile import Profile
from rensou_recall.types.retrieval import Fusion, GateLevel
from rensou_recall.types.standing import Resolution
from rensou_recall.types.time_cue import Between, Confidence, TimeCue
from rensou_recall.types.validity import Claimed
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope, WriteScope
from tests.conftest import DatabaseDsns
from tests.integration import rensou_world
from tests.integration.rensou_world import ANN, BOUNDS, EVERYTHING, Rensou
from tests.integration.validity_world import (
    asks,
    assembles,
    claim,
    claims,
    declares,
    keep,
    refs,
    says,
    year,
    years,
)

rensou = rensou_world.rensou
BOB = AgentId("bob")
QUESTION = "Where does she work?"


async def works(rensou: Rensou, where: str, valid_from: int | None, valid_to: int | None) -> str:
    return str((await keep(rensou, f"She does work at {where}.", years(valid_from, valid_to))).ref)


async def timeless(rensou: Rensou, content: str = "She does work a lot.") -> str:
    return str((await keep(rensou, content)).ref)


@pytest.mark.parametrize(
    ("at", "alpha", "beta"),
    [(2019, False, False), (2020, True, False), (2022, True, False), (2024, False, True), (2030, False, True)],
)
async def test_8_8_valid_at_before_inside_and_after_and_the_timeless_is_kept(
    rensou: Rensou, at: int, alpha: bool, beta: bool
) -> None:
    """Alpha ends at the instant at which Beta, which has no end, begins: at no instant are both true."""
    first, second = await works(rensou, "Alpha", 2020, 2024), await works(rensou, "Beta", 2024, None)
    always = await timeless(rensou)
    expected = {always} | ({first} if alpha else set()) | ({second} if beta else set())
    for got, left in [
        ((answer := await asks(rensou, QUESTION, at)) and refs(answer), answer.left_out),
        ((built := await assembles(rensou, QUESTION, at)) and claims(built), built.left_out),
    ]:
        assert set(got) == expected
        assert {str(ref) for ref in left.refs} == {first, second} - expected and left.beyond == 0


async def test_the_last_microsecond_is_inside_and_the_next_is_not(rensou: Rensou) -> None:
    first = await works(rensou, "Alpha", 2020, 2024)
    for at, found in ((year(2024) - timedelta(microseconds=1), [first]), (year(2024), [])):
        question = RecallQuestion(QUESTION, 10, 1_000, Fusion.CONVEX, (), gate=GateLevel.OFF, valid_at=at)
        assert refs(await recall(rensou.deps, rensou.call(), EVERYTHING, question)) == found


async def test_without_valid_at_nothing_is_left_out_and_what_is_asserted_says_its_state(rensou: Rensou) -> None:
    past, now = await works(rensou, "Alpha", 2020, 2024), await works(rensou, "Beta", 2024, None)
    ahead, always = await works(rensou, "Gamma", 2200, None), await timeless(rensou)
    answer = await asks(rensou, QUESTION)
    said = {str(hit.record.ref): None if (v := hit.record.validity) is None else v.state for hit in answer.hits}
    assert said == {past: ValidityState.PAST, now: ValidityState.VALID, ahead: ValidityState.FUTURE, always: None}
    message = encode_recall(answer)
    by_ref = {hit.record.ref: hit for hit in message.hits}
    assert not by_ref[always].HasField("validity") and not message.excluded_by_validity
    assert by_ref[past].validity.valid_to.ToDatetime(tzinfo=UTC) == year(2024)
    assert not by_ref[now].validity.HasField("valid_to")
    built = {
        one.ref: one for item in encode_reconstruct(await assembles(rensou, QUESTION)).items for one in item.claims
    }
    assert {ref: one.HasField("validity") for ref, one in built.items()} == {
        past: True, now: True, ahead: True, always: False,
    }  # fmt: skip


async def test_the_state_is_told_at_valid_at_and_not_now(rensou: Rensou) -> None:
    await works(rensou, "Alpha", 2020, 2024)
    (hit,) = (await asks(rensou, QUESTION, 2021)).hits
    assert hit.record.validity is not None and hit.record.validity.state is ValidityState.VALID
    ((claim_,),) = [item.claims for item in (await assembles(rensou, QUESTION, 2021)).items]
    assert claim_.validity is not None and claim_.validity.state is ValidityState.VALID


async def test_what_is_backfilled_is_true_then_though_it_was_stored_today(rensou: Rensou) -> None:
    ref = await timeless(rensou)
    await says(rensou, ref, 1950, 1960)
    assert refs(await asks(rensou, QUESTION, 1955)) == [ref] and refs(await asks(rensou, QUESTION, 1960)) == []


async def test_an_interval_that_was_closed_and_opened_again_is_read_as_it_stands_last(rensou: Rensou) -> None:
    ref = await works(rensou, "Alpha", 2020, 2024)
    await claim(rensou, ref, Claimed(without_to=True))
    assert refs(await asks(rensou, QUESTION, 2030)) == [ref]
    await says(rensou, ref, None, 2025)
    assert refs(await asks(rensou, QUESTION, 2030)) == []


async def test_what_is_left_out_makes_room_for_what_stands_behind(rensou: Rensou) -> None:
    for place in range(6):
        await works(rensou, f"number {place}", 2020, 2021)
    behind = [str((await keep(rensou, f"Unlike it {place}")).ref) for place in range(3)]
    answer = await asks(rensou, "She does work at number", 2030, limit=3)
    assert sorted(refs(answer)) == behind
    assert len(answer.left_out.refs) == 6
    assert [hit.ranked.score for hit in answer.hits] == sorted((h.ranked.score for h in answer.hits), reverse=True)
    built = await assembles(rensou, "She does work at number", 2030, bounds=replace(BOUNDS, count=3, top_k=3))
    assert sorted(claims(built)) == behind


async def test_the_others_keep_their_order_and_scores(rensou: Rensou) -> None:
    for place in range(4):
        await works(rensou, f"number {place}", 2020, 2021 if place % 2 else None)
    everything = [(hit.ranked.record_id, hit.ranked.score) for hit in (await asks(rensou, QUESTION)).hits]
    then = [(hit.ranked.record_id, hit.ranked.score) for hit in (await asks(rensou, QUESTION, 2030)).hits]
    assert then == [one for one in everything if one in then] and len(then) == 2


async def test_more_than_fifty_are_counted(rensou: Rensou) -> None:
    for place in range(54):
        await works(rensou, f"number {place}", 2020, 2021)
    message = encode_recall(await asks(rensou, QUESTION, 2030))
    assert (len(message.hits), len(message.excluded_by_validity), message.excluded_by_validity_omitted) == (0, 50, 4)
    blank = encode_recall(await asks(rensou, "", 2030))
    assert (len(blank.hits), len(blank.excluded_by_validity), blank.excluded_by_validity_omitted) == (0, 50, 4)


async def test_only_what_the_answer_passed_over_is_named(rensou: Rensou) -> None:
    for place in range(3):
        await timeless(rensou, f"She does work at {place}.")
    await works(rensou, "a place that is named with many more words", 2020, 2021)
    assert (await asks(rensou, "She does work at 1.", 2030, limit=1)).left_out.refs == ()
    assert len((await asks(rensou, "She does work at 1.", 2030, limit=10)).left_out.refs) == 1
    assert (await asks(rensou, "She does work at 1.", 2030, limit=0)).left_out.refs == ()


async def test_a_blank_question_lists_the_newest_that_are_true_then(rensou: Rensou) -> None:
    oldest = await works(rensou, "Alpha", 2020, 2021)
    first, past = await timeless(rensou, "one"), await works(rensou, "Beta", 2020, 2021)
    last = await works(rensou, "Gamma", 2020, None)
    answer = await asks(rensou, "", 2030, limit=2)
    assert refs(answer) == [last, first]
    assert [str(ref) for ref in answer.left_out.refs] == [past]
    wider = await asks(rensou, "", 2030, limit=5)
    assert [str(ref) for ref in wider.left_out.refs] == [past, oldest]


async def test_what_is_excluded_by_ref_is_not_named_again(rensou: Rensou) -> None:
    past = (await keep(rensou, "She does work at Alpha.", years(2020, 2021))).ref
    answer = await asks(rensou, QUESTION, 2030, exclude=frozenset({past}))
    assert answer.left_out.refs == () and (await asks(rensou, "", 2030, exclude=frozenset({past}))).left_out.refs == ()


async def test_the_trace_counts_what_was_left_out(rensou: Rensou) -> None:
    await works(rensou, "Alpha", 2020, 2021)
    await timeless(rensou)
    message = encode_recall(await asks(rensou, QUESTION, 2030, trace=True))
    cuts = message.trace.cuts
    assert (cuts.candidates, cuts.excluded_by_validity, cuts.refused, len(message.hits)) == (2, 1, 0, 1)


@pytest.mark.parametrize("profile", [Profile.DIVERSE, Profile.GRAPH])
async def test_a_profile_orders_what_is_true_then(rensou: Rensou, profile: Profile) -> None:
    past, always = await works(rensou, "Alpha", 2020, 2021), await timeless(rensou)
    answer = await asks(rensou, QUESTION, 2030, profile=profile)
    assert refs(answer) == [always] and [str(ref) for ref in answer.left_out.refs] == [past]


async def test_a_place_that_only_the_graph_reached_is_not_given_to_what_is_not_true(rensou: Rensou) -> None:
    about = Associations(entities=(EntityDeclaration("Alpha"),))
    first = str((await keep(rensou, "She does work at Alpha.", associations=about)).ref)
    for number in range(110):
        await keep(rensou, f"She does work at number {number}.")
    far = str((await keep(rensou, "Snow lies.", years(2020, 2021), associations=about)).ref)
    asked = {"profile": Profile.GRAPH, "limit": 3}
    assert far in refs(await asks(rensou, "She does work at Alpha.", **asked))
    answer = await asks(rensou, "She does work at Alpha.", 2030, **asked)
    assert far not in refs(answer)
    await declares(rensou, (first, "is like", far))
    answer = await asks(rensou, "She does work at Alpha.", 2030, **asked)
    assert far not in refs(answer) and far in [str(ref) for ref in answer.left_out.refs]


async def test_a_time_cue_admits_what_is_asserted_to_be_true_in_its_period(rensou: Rensou) -> None:
    old = await works(rensou, "Alpha", 2000, 2010)
    touching = await works(rensou, "Beta", 2012, None)
    stored = await timeless(rensou)
    cue = TimeCue(Confidence.SURE, Between(year(2009), year(2012)))
    for question in (QUESTION, ""):
        answer = await asks(rensou, question, time_cue=cue, limit=1)
        assert answer.time_cue is not None
        found = {hit.record_id for hit in answer.time_cue.findings.found.hits}
        assert {f"mem:{one}" for one in found} == {old}, question
    assert {touching, stored}.isdisjoint({old})


async def test_a_time_cue_seats_nothing_that_is_not_true_at_valid_at(rensou: Rensou) -> None:
    old = await works(rensou, "Alpha", 2000, 2010)
    always = await timeless(rensou)
    cue = TimeCue(Confidence.SURE, Between(year(2005), year(2012)))
    for question in (QUESTION, ""):
        answer = await asks(rensou, question, 2030, time_cue=cue, limit=1)
        assert refs(answer) == [always] and [str(ref) for ref in answer.left_out.refs] == [old], question


async def test_a_past_member_is_no_head_while_its_item_has_one_that_holds(rensou: Rensou) -> None:
    past = await works(rensou, "Alpha in the north of the town", 2020, 2021)
    now = str((await keep(rensou, "Beta employs her.")).ref)
    await declares(rensou, (now, "supports", past))
    (item, *_) = (await assembles(rensou, "She does work at Alpha in the north of the town")).items
    assert str(item.head_ref) == now
    await says(rensou, now, 2200, None)
    (item, *_) = (await assembles(rensou, "She does work at Alpha in the north of the town")).items
    assert str(item.head_ref) == past
    head = next(one for one in item.claims if one.ref == item.head_ref)
    assert head.validity is not None and head.validity.state is ValidityState.PAST


async def test_a_relation_outside_valid_at_is_not_walked_and_without_valid_at_it_is(rensou: Rensou) -> None:
    first = str((await keep(rensou, "The camera app.", associations=Associations((EntityDeclaration("MizEye"),)))).ref)
    last = str((await keep(rensou, "Snow lies.", associations=Associations((EntityDeclaration("Kirari"),)))).ref)
    await declares(rensou, ("Kirari", "maintains", "MizEye"), validity=years(2020, 2024))
    narrow = replace(BOUNDS, count=1, top_k=1)

    async def found(at: int | None) -> list[str]:
        return sorted(claims(await assembles(rensou, "The camera app.", at, bounds=narrow)))

    assert await found(None) == await found(2020) == await found(2023) == sorted([first, last])
    assert await found(2019) == await found(2024) == [first]


async def test_an_older_relation_that_holds_is_walked_where_the_newest_of_the_pair_does_not(rensou: Rensou) -> None:
    about = [Associations((EntityDeclaration(name),)) for name in ("MizEye", "Kirari")]
    await keep(rensou, "The camera app.", associations=about[0])
    last = str((await keep(rensou, "Snow lies.", associations=about[1])).ref)
    await declares(rensou, ("Kirari", "founded", "MizEye"), validity=years(2020, 2021))
    await declares(rensou, ("MizEye", "employs", "Kirari"), validity=years(2021, None))
    narrow = replace(BOUNDS, count=1, top_k=1)
    answer = await assembles(rensou, "The camera app.", 2020, bounds=narrow)
    assert [one.why for item in answer.items for one in item.claims if str(one.ref) == last] == ["relation:founded"]
    answer = await assembles(rensou, "The camera app.", 2021, bounds=narrow)
    assert [one.why for item in answer.items for one in item.claims if str(one.ref) == last] == ["relation:employs"]


async def test_a_walked_record_that_is_not_true_then_leaves_and_takes_nobodys_place(rensou: Rensou) -> None:
    await keep(rensou, "The camera app.", associations=Associations((EntityDeclaration("MizEye"),)))
    far = Associations((EntityDeclaration("Kirari"),))
    past = [str((await keep(rensou, f"Snow {n}", years(2020, 2021), associations=far)).ref) for n in range(3)]
    always = str((await keep(rensou, "Rain.", associations=far)).ref)
    await declares(rensou, ("Kirari", "maintains", "MizEye"))
    narrow = replace(BOUNDS, count=1, top_k=1, max_evidence=2)
    answer = await assembles(rensou, "The camera app.", 2030, bounds=narrow)
    assert always in claims(answer) and not set(past) & set(claims(answer))
    assert set(past) <= {str(ref) for ref in answer.left_out.refs}


async def test_a_record_relation_outside_valid_at_joins_nothing_and_plays_no_role(rensou: Rensou) -> None:
    one, other = await timeless(rensou, "She does work at Alpha."), await timeless(rensou, "She does work at Beta.")
    await declares(rensou, (one, "contradicts", other), validity=years(2020, 2021))
    (item,) = [i for i in (await assembles(rensou, QUESTION, 2020)).items if one in {str(c.ref) for c in i.claims}]
    assert len(item.claims) == 2 and item.conflicts
    items = (await assembles(rensou, QUESTION, 2021)).items
    assert all(len(item.claims) == 1 or one not in {str(c.ref) for c in item.claims} for item in items)
    assert not any(item.conflicts for item in items)


async def test_a_timeline_tells_the_members_that_replace_each_other_in_the_order_of_time(rensou: Rensou) -> None:
    third, first = await works(rensou, "Gamma", 2022, None), await works(rensou, "Alpha", None, 2020)
    second = await works(rensou, "Beta", 2020, 2022)
    await declares(rensou, (third, "supersedes", second), (second, "supersedes", first))
    (item, *_) = (await assembles(rensou, "She does work at")).items
    assert [str(entry.ref) for entry in item.timeline.entries] == [first, second, third]
    (message, *_) = encode_reconstruct(await assembles(rensou, "She does work at")).items
    assert [entry.HasField("record_time") for entry in message.timeline] == [True] * 3
    assert message.timeline_omitted == 0


async def test_an_item_without_a_replacement_or_without_an_assertion_has_no_timeline(rensou: Rensou) -> None:
    one, other = await timeless(rensou, "She does work at Alpha."), await timeless(rensou, "She does work at Beta.")
    await declares(rensou, (one, "supersedes", other))
    assert not any(item.timeline.entries for item in (await assembles(rensou, "She does work at")).items)
    third, fourth = await works(rensou, "Gamma", 2020, None), await timeless(rensou, "She does work at Delta.")
    await declares(rensou, (third, "supports", fourth))
    assert not any(item.timeline.entries for item in (await assembles(rensou, "She does work at")).items)


async def test_members_with_one_caller_id_are_told_in_time(rensou: Rensou) -> None:
    scope = WriteScope(ANN, "tea", "")
    one = (await keep(rensou, "She does work at Alpha.", years(2020, 2021), caller_id="job")).ref
    other = (await keep(rensou, "She does work at Beta.", years(2021, None), caller_id="job", scope=scope)).ref
    await declares(rensou, (str(one), "is about", str(other)), scope=scope)
    (item, *_) = (await assembles(rensou, "She does work at")).items
    assert [entry.ref for entry in item.timeline.entries] == [one, other]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Midway", "Europe/Berlin", "UTC"])
async def test_b22_the_answer_is_the_same_in_every_zone_of_the_server(
    rensou: Rensou, database_dsns: DatabaseDsns, zone: str
) -> None:
    """B22: instants only, also at an hour that the zone's clocks show twice or never."""
    moment = datetime(2026, 3, 29, 1, tzinfo=UTC)
    with psycopg.connect(database_dsns.admin, autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER ROLE rensou_recall SET timezone = {}").format(sql.Literal(zone)))
    try:
        await rensou.deps.database.close()
        rensou.deps.database.__init__(database_dsns.recall, rensou_world.PoolSize(1, 2))
        await rensou.deps.database.open(10)
        stored = await keep(rensou, "She does work at Alpha.", Interval(moment, moment + timedelta(hours=1)))
        said = []
        for at in (moment - timedelta(microseconds=1), moment, moment + timedelta(hours=1)):
            question = RecallQuestion(QUESTION, 10, 1_000, Fusion.CONVEX, (), gate=GateLevel.OFF, valid_at=at)
            answer = await recall(rensou.deps, rensou.call(), EVERYTHING, question)
            said.append(refs(answer))
            for hit in encode_recall(answer).hits:
                assert hit.validity.valid_from.ToDatetime(tzinfo=UTC) == moment
        assert said == [[], [str(stored.ref)], []]
    finally:
        with psycopg.connect(database_dsns.admin, autocommit=True) as connection:
            connection.execute("ALTER ROLE rensou_recall SET timezone = 'UTC'")


async def test_another_agents_and_a_sibling_projects_validity_is_never_read(rensou: Rensou) -> None:
    """8.8: isolation."""
    hers = await keep(rensou, "She does work at Alpha.", years(2020, 2021), scope=WriteScope(BOB, "", ""))
    sibling = await keep(rensou, "She does work at Beta.", years(2020, 2021), scope=WriteScope(ANN, "tea", ""))
    mine = await timeless(rensou)
    scope = ReadScope(ANN, "coffee")
    for question in (QUESTION, ""):
        answer = await asks(rensou, question, 2030, scope)
        assert refs(answer) == [mine] and answer.left_out.refs == ()
        built = await assembles(rensou, question, 2030, scope)
        assert claims(built) == [mine] and built.left_out.refs == ()
    assert hers.ref != sibling.ref


async def test_a_relation_that_the_call_cannot_read_hides_nothing_at_valid_at(rensou: Rensou) -> None:
    await keep(rensou, "The camera app.", associations=Associations((EntityDeclaration("MizEye"),)))
    last = str((await keep(rensou, "Snow lies.", associations=Associations((EntityDeclaration("Kirari"),)))).ref)
    await declares(rensou, ("Kirari", "maintains", "MizEye"), validity=years(2020, None))
    await declares(rensou, ("Kirari", "leaves", "MizEye"), validity=years(2020, 2021), scope=WriteScope(ANN, "tea", ""))
    narrow = replace(BOUNDS, count=1, top_k=1)
    answer = await assembles(rensou, "The camera app.", 2030, ReadScope(ANN, "coffee"), narrow)
    assert [one.why for item in answer.items for one in item.claims if str(one.ref) == last] == ["relation:maintains"]


async def test_8_8_with_nothing_asserted_the_answers_say_nothing_of_validity(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    for number in range(3):
        await timeless(rensou, f"She does work at {number}.")
    before = [encode_recall(await asks(rensou, QUESTION)), encode_reconstruct(await assembles(rensou, QUESTION))]
    await keep(rensou, "His own.", years(2020, 2021), scope=WriteScope(BOB, "", ""))
    after = [encode_recall(await asks(rensou, QUESTION)), encode_reconstruct(await assembles(rensou, QUESTION))]
    assert [one.SerializeToString(deterministic=True) for one in before] == [
        one.SerializeToString(deterministic=True) for one in after
    ]
    at = encode_recall(await asks(rensou, QUESTION, 2030))
    assert at.SerializeToString(deterministic=True) == before[0].SerializeToString(deterministic=True)
    assert RelationDeclaration("a", "b", "c").validity is None


@pytest.mark.parametrize("resolution", [Resolution.ANNOTATE, Resolution.CURRENT])
async def test_what_is_not_true_then_replaces_nothing_then(rensou: Rensou, resolution: Resolution) -> None:
    old, new = await works(rensou, "Alpha", 2020, 2024), await works(rensou, "Beta", 2024, None)
    await declares(rensou, (new, "supersedes", old))
    answer = await asks(rensou, QUESTION, 2022, resolution=resolution)
    assert {old, new} & set(refs(answer)) == {old} and all(hit.standing is None for hit in answer.hits)
    answer = await asks(rensou, QUESTION, 2024, resolution=resolution)
    assert {old, new} & set(refs(answer)) == {new}
    built = await assembles(rensou, QUESTION, 2022, resolution=resolution)
    assert {old, new} & set(claims(built)) == {old}
    assert all(one.standing is None for item in built.items for one in item.claims)


async def test_a_relation_outside_valid_at_replaces_nothing(rensou: Rensou) -> None:
    old, new = await timeless(rensou, "She does work at Alpha."), await timeless(rensou, "She does work at Beta.")
    await declares(rensou, (new, "supersedes", old), validity=years(2024, None))
    for at, there in ((2022, {old, new}), (2024, {new})):
        answer = await asks(rensou, QUESTION, at, resolution=Resolution.CURRENT)
        assert {old, new} & set(refs(answer)) == there


async def test_a_successor_that_takes_a_place_says_its_state_too(rensou: Rensou) -> None:
    old = await timeless(rensou, "She does work at Alpha.")
    new = str((await keep(rensou, "Snow lies.", years(2020, None))).ref)
    await declares(rensou, (new, "supersedes", old))
    answer = await asks(rensou, "She does work at Alpha.", limit=1, resolution=Resolution.CURRENT)
    assert refs(answer) == [new]
    validity = answer.hits[0].record.validity
    assert validity is not None and validity.state is ValidityState.VALID


async def test_a_replaced_record_is_no_head_because_its_successor_is_over(rensou: Rensou) -> None:
    old = await timeless(rensou, "She does work at Alpha.")
    new = await works(rensou, "Beta", 2020, 2021)
    await declares(rensou, (new, "supersedes", old))
    (item, *_) = (await assembles(rensou, "She does work at Alpha.", resolution=Resolution.CURRENT)).items
    assert str(item.head_ref) == new
