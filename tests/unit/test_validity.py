"""When something is true, as pure functions: intervals, what later assertions keep, heads, timelines."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.timeline import relation_timelines, timeline, told_in_time
from rensou_recall.stages.validity import (
    cut_left_out,
    heads_first,
    holds,
    join_left_out,
    judge_assertions,
    passed_over,
    settle,
)
from rensou_recall.types.evidence import Claim, Cluster, Draft, EvidenceTraits, Member, RecordLink
from rensou_recall.types.graph import DropReason
from rensou_recall.types.interval import Interval, ValidityState
from rensou_recall.types.retrieval import Ranked
from rensou_recall.types.traverse import TraversedRelation
from rensou_recall.types.validity import (
    Asserted,
    Assertion,
    Claimed,
    LeftOut,
    Standing,
    TimelineEntry,
    Validity,
    ValidityWrite,
)
from rensou_shared.ids import EntityId, RecordId, RecordRef, RelationId

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MOMENTS = st.one_of(st.none(), st.integers(0, 6).map(lambda hour: NOON + timedelta(hours=hour)))
INSTANTS = st.integers(-1, 7).map(lambda hour: NOON + timedelta(hours=hour))
INTERVALS = st.builds(Interval, MOMENTS, MOMENTS).filter(lambda one: not one.is_empty)
CLAIMED = st.builds(Claimed, MOMENTS, MOMENTS, st.booleans(), st.booleans())
VALIDITIES = st.one_of(st.none(), st.builds(Validity, INTERVALS, INSTANTS, st.just(NOON + timedelta(hours=3))))


def hour(number: int) -> datetime:
    return NOON + timedelta(hours=number)


def seen(valid_from: int | None, valid_to: int | None, recorded: int = 0, at: int = 3) -> Validity:
    bounds = (None if one is None else hour(one) for one in (valid_from, valid_to))
    return Validity(Interval(*bounds), hour(recorded), hour(at))


def ref(number: int) -> RecordRef:
    return RecordRef("mem", RecordId(number))


@pytest.mark.parametrize(
    ("valid_from", "valid_to", "state"),
    [
        (3, 4, ValidityState.VALID),
        (2, 3, ValidityState.PAST),
        (4, 5, ValidityState.FUTURE),
        (None, None, ValidityState.VALID),
        (None, 3, ValidityState.PAST),
        (None, 4, ValidityState.VALID),
        (3, None, ValidityState.VALID),
        (4, None, ValidityState.FUTURE),
    ],
)
def test_an_interval_begins_at_its_first_instant_and_ends_before_its_last_bound(
    valid_from: int | None, valid_to: int | None, state: ValidityState
) -> None:
    assert seen(valid_from, valid_to).state is state


@given(INTERVALS, INSTANTS)
def test_before_inside_and_after_are_each_other_and_nothing_else(interval: Interval, at: datetime) -> None:
    begun = interval.valid_from is None or interval.valid_from <= at
    ended = interval.valid_to is not None and interval.valid_to <= at
    expected = ValidityState.PAST if ended else ValidityState.VALID if begun else ValidityState.FUTURE
    assert interval.state_at(at) is expected


@given(st.builds(Interval, MOMENTS, st.just(hour(3))), INSTANTS)
def test_of_two_that_touch_never_both_hold_and_never_none_inside(first: Interval, at: datetime) -> None:
    second = Interval(hour(3), None)
    both = [one.state_at(at) is ValidityState.VALID for one in (first, second)]
    assert both.count(True) <= 1
    if first.valid_from is None:
        assert both.count(True) == 1


def test_what_nothing_is_asserted_of_holds() -> None:
    assert holds(None) and holds(seen(2, 4))
    assert not holds(seen(0, 1)) and not holds(seen(5, None))


@given(CLAIMED, st.one_of(st.none(), INTERVALS))
def test_what_is_settled_says_what_is_claimed_and_keeps_the_rest(claimed: Claimed, standing: Interval | None) -> None:
    settled = settle(claimed, standing)
    kept = standing or Interval()
    low = None if claimed.without_from else claimed.valid_from or kept.valid_from
    high = None if claimed.without_to else claimed.valid_to or kept.valid_to
    if low is not None and high is not None and low >= high:
        assert settled is None
    else:
        assert settled == Interval(low, high)


@given(CLAIMED, st.one_of(st.none(), INTERVALS))
def test_settling_twice_is_settling_once(claimed: Claimed, standing: Interval | None) -> None:
    once = settle(claimed, standing)
    if once is not None:
        assert settle(claimed, once) == once


@given(st.lists(st.tuples(st.integers(1, 9), CLAIMED), unique_by=lambda one: one[0]), st.dictionaries(
    st.integers(1, 9), st.one_of(st.none(), st.builds(Standing, st.integers(1, 99), INTERVALS))
))  # fmt: skip
def test_only_a_change_is_written_and_it_closes_what_stands(
    asked: list[tuple[int, Claimed]], known: dict[int, Standing | None]
) -> None:
    assertions = [Assertion(ref(number), claimed) for number, claimed in asked]
    standing = {ref(number): one for number, one in known.items()}
    answers, writes = judge_assertions(assertions, standing)
    written = {one.target: one for one in writes}
    for assertion, answer in zip(assertions, answers, strict=True):
        if assertion.target not in standing:
            assert answer is DropReason.RECORD_NOT_FOUND and assertion.target not in written
            continue
        was = standing[assertion.target]
        settled = settle(assertion.claimed, None if was is None else was.interval)
        if settled is None:
            assert answer is DropReason.INVALID_INTERVAL and assertion.target not in written
            continue
        changed = was is None or was.interval != settled
        assert answer == Asserted(settled, changed)
        write = ValidityWrite(assertion.target, settled, None if was is None else was.id)
        assert written.get(assertion.target) == (write if changed else None)


def test_an_unknown_relation_is_told_as_one() -> None:
    assert judge_assertions([Assertion(RelationId(9), Claimed())], {}) == ([DropReason.RELATION_NOT_FOUND], [])


@given(st.lists(VALIDITIES, min_size=1, max_size=6))
def test_the_head_is_the_first_member_that_holds_and_the_others_keep_their_order(all_of: list[Validity | None]) -> None:
    members = tuple(Member(RecordId(number), number, "seed") for number in range(1, len(all_of) + 1))
    traits = {RecordId(n): EvidenceTraits(ref(n), None, one) for n, one in enumerate(all_of, start=1)}
    (led,) = heads_first([Cluster(members, None)], traits)
    first = next((n for n, one in enumerate(all_of, start=1) if holds(one)), 1)
    assert led.members[0].record_id == first
    assert [one.record_id for one in led.members[1:]] == [n for n in range(1, len(all_of) + 1) if n != first]


def test_only_what_stands_before_the_last_place_is_passed_over() -> None:
    ranked = [Ranked(RecordId(number), 1.0 / number, ()) for number in range(1, 7)]
    outside = {RecordId(number): ref(number) for number in (1, 3, 6)}
    assert passed_over(ranked, outside, [], 2) == (ref(1), ref(3))
    assert passed_over(ranked, outside, [ref(1)], 2) == (ref(3),)
    assert passed_over(ranked, outside, [], 9) == (ref(1), ref(3), ref(6))
    assert passed_over(ranked, outside, [], 0) == ()


def test_what_is_left_out_is_named_once_and_cut_at_fifty() -> None:
    joined = join_left_out(LeftOut(tuple(ref(n) for n in range(40))), LeftOut(tuple(ref(n) for n in range(30, 60)), 7))
    assert (len(joined.refs), joined.beyond) == (60, 7)
    cut = cut_left_out(joined)
    assert (cut.refs, cut.beyond) == (joined.refs[:50], 17)


@given(st.lists(VALIDITIES, max_size=40))
def test_a_timeline_is_in_the_order_of_time_whatever_order_it_is_given_in(
    all_of: list[Validity | None],
) -> None:
    entries = [TimelineEntry(ref(number), one) for number, one in enumerate(all_of)]
    told = timeline(entries)
    assert timeline(reversed(entries)) == told
    if len(entries) < 2 or all(one.validity is None for one in entries):
        assert told.entries == () and told.omitted == 0
        return
    assert (len(told.entries), told.omitted) == (min(len(entries), 32), max(len(entries) - 32, 0))
    starts = [None if one.validity is None else one.validity.interval.valid_from for one in told.entries]
    assert starts == sorted(starts, key=lambda one: (one is not None, one or NOON))


def test_a_timeline_goes_by_beginning_end_recording_and_ref() -> None:
    ordered = [
        TimelineEntry(ref(9), seen(None, 1)),
        TimelineEntry(RecordRef("ep", RecordId(8)), None),
        TimelineEntry(ref(1), None),
        TimelineEntry(ref(7), seen(None, None)),
        TimelineEntry(ref(6), seen(1, 2)),
        TimelineEntry(ref(5), seen(1, 3, recorded=1)),
        TimelineEntry(ref(4), seen(1, 3, recorded=2)),
        TimelineEntry(ref(3), seen(1, None)),
    ]
    assert list(timeline(reversed(ordered)).entries) == ordered


def _draft(*numbers: int) -> Draft:
    claims = tuple(Claim(ref(number), None, "seed", None, (), validity=seen(number, None)) for number in numbers)
    return Draft(claims, tuple(RecordId(number) for number in numbers), "singleton", 0)


def test_only_claims_that_replace_or_precede_each_other_or_share_a_caller_id_are_told() -> None:
    draft = _draft(1, 2, 3, 4, 5, 6, 7)
    traits = {one.ref.id: EvidenceTraits(one.ref, None, one.validity) for one in draft.claims}
    links = [
        RecordLink(RecordId(one), predicate, RecordId(other))
        for one, predicate, other in (
            (1, "supersedes", 2), (3, "temporal_predecessor", 2), (4, "supports", 5), (6, "corrects", 99),
        )
    ]  # fmt: skip
    told = told_in_time(draft, links, [[RecordId(6), RecordId(7)], [RecordId(5), RecordId(50)]], traits)
    assert [entry.ref.id for entry in told.entries if isinstance(entry.ref, RecordRef)] == [1, 2, 3, 6, 7]


def test_relations_of_one_subject_and_predicate_are_told_together() -> None:
    def relation(number: int, subject: int, predicate: str, validity: Validity | None) -> TraversedRelation:
        return TraversedRelation(
            RelationId(number), EntityId(subject), predicate, EntityId(50 + number), "agent", NOON, None, validity
        )

    told = relation_timelines(
        [
            relation(1, 2, "works at", seen(2, None)),
            relation(2, 2, "Works  at", seen(1, 2)),
            relation(3, 1, "works at", seen(1, 2)),
            relation(4, 2, "likes", None),
            relation(5, 2, "likes", None),
        ]
    )
    assert [(one.subject, one.predicate) for one in told] == [(2, "works at")]
    assert [entry.ref for entry in told[0].timeline.entries] == [2, 1]
