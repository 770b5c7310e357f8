"""From what a caller remembers to a period."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.cue_period import is_recent, less_sure, needs_span, own_period, widen
from rensou_recall.types.time_cue import Ago, AgoUnit, Between, Confidence, LongAgo, Period, ScopeSpan

NOW = datetime(2026, 3, 29, 12, 34, 56, 789_012, tzinfo=UTC)
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
SPAN = ScopeSpan(datetime(2023, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
MOMENTS = st.datetimes(timezones=st.just(UTC))
FORMS = (
    st.builds(Between, MOMENTS, st.none())
    | st.builds(Between, st.none(), MOMENTS)
    | st.lists(MOMENTS, min_size=2, max_size=2, unique=True).map(lambda two: Between(*sorted(two)))
    | st.builds(Ago, st.sampled_from(AgoUnit), st.integers(0, 2**31 - 1))
    | st.just(LongAgo())
)
SPANS = st.none() | st.lists(MOMENTS, min_size=2, max_size=2).map(lambda two: ScopeSpan(*sorted(two)))


def ago(unit: AgoUnit, value: int) -> Period:
    return own_period(Ago(unit, value), NOW, None)


@given(FORMS, MOMENTS, SPANS, st.sampled_from(Confidence))
def test_every_cue_has_a_period_of_a_second_or_more_in_the_years_1_to_9999(
    form: Between | Ago | LongAgo, now: datetime, span: ScopeSpan | None, confidence: Confidence
) -> None:
    own = own_period(form, now, span)
    used = widen(own, confidence)
    assert own == own_period(form, now, span)
    for period in (own, used):
        assert period.end_at - period.start_at >= SECOND
        assert FIRST <= period.start_at < period.end_at <= LAST
    assert used.start_at <= own.start_at
    assert used.end_at >= own.end_at


@pytest.mark.parametrize(("unit", "days"), [(AgoUnit.DAYS, 1), (AgoUnit.WEEKS, 7), (AgoUnit.MONTHS, 30)])
def test_so_long_ago_is_one_unit_around_that_instant(unit: AgoUnit, days: int) -> None:
    half = timedelta(days=days) / 2
    centre = NOW - timedelta(days=3 * days)
    assert ago(unit, 3) == Period(centre - half, centre + half)


def test_so_long_ago_ends_by_now() -> None:
    assert ago(AgoUnit.MONTHS, 0) == Period(NOW - timedelta(days=15), NOW)


def test_before_the_year_1_is_its_first_second() -> None:
    assert ago(AgoUnit.MONTHS, 2**31 - 1) == Period(FIRST, FIRST + SECOND)


def test_long_ago_is_the_oldest_third_of_what_the_scope_reads() -> None:
    own = own_period(LongAgo(), NOW, SPAN)
    assert own == Period(SPAN.oldest_at, SPAN.oldest_at + (SPAN.newest_at - SPAN.oldest_at) / 3)
    ahead = own_period(LongAgo(), NOW, ScopeSpan(SPAN.oldest_at, LAST))
    assert ahead.end_at - SPAN.oldest_at == pytest.approx((NOW - SPAN.oldest_at) / 3, abs=timedelta(microseconds=1))


def test_open_ends_close_at_the_oldest_record_and_at_now() -> None:
    moment = datetime(2024, 1, 1, tzinfo=UTC)
    assert own_period(Between(moment, None), NOW, None) == Period(moment, NOW)
    assert own_period(Between(None, moment), NOW, SPAN) == Period(SPAN.oldest_at, moment)
    assert needs_span(Between(None, moment))
    assert needs_span(LongAgo())
    assert not needs_span(Between(moment, None))
    assert not needs_span(Ago(AgoUnit.DAYS, 1))


def test_an_open_period_that_starts_ahead_is_its_first_second() -> None:
    assert own_period(Between(NOW + DAY, None), NOW, SPAN) == Period(NOW + DAY, NOW + DAY + SECOND)


@pytest.mark.parametrize("span", [None, SPAN])
def test_nothing_before_the_oldest_record_leaves_the_second_before_the_end(span: ScopeSpan | None) -> None:
    end = SPAN.oldest_at
    assert own_period(Between(None, end), NOW, span) == Period(end - SECOND, end)


@pytest.mark.parametrize(
    ("confidence", "share"), [(Confidence.SURE, 0), (Confidence.LIKELY, 0.5), (Confidence.VAGUE, 1)]
)
def test_the_margin_is_a_share_of_the_length_on_each_side(confidence: Confidence, share: float) -> None:
    own = Period(NOW, NOW + 4 * DAY)
    assert widen(own, confidence) == Period(NOW - share * 4 * DAY, NOW + 4 * DAY + share * 4 * DAY)


def test_a_cue_is_widened_to_the_next_lower_confidence_and_no_further() -> None:
    steps = [less_sure(one) for one in (Confidence.SURE, Confidence.LIKELY, Confidence.VAGUE)]
    assert steps == [Confidence.LIKELY, Confidence.VAGUE, None]


def test_recent_is_a_start_within_the_last_24_hours() -> None:
    assert is_recent(Period(NOW - DAY, NOW), NOW)
    assert not is_recent(Period(NOW - DAY - timedelta(microseconds=1), NOW), NOW)
    assert is_recent(ago(AgoUnit.DAYS, 0), NOW)
    assert not is_recent(ago(AgoUnit.DAYS, 1), NOW)
    assert not is_recent(own_period(Between(NOW + DAY, None), NOW, None), NOW)


@pytest.mark.parametrize("hours", [1, 9, 14, -11])
def test_an_instant_is_the_same_in_every_zone(hours: int) -> None:
    """B22"""
    zone = timezone(timedelta(hours=hours))
    after, before = datetime(2026, 3, 28, 15, tzinfo=UTC), datetime(2026, 3, 29, 15, tzinfo=UTC)
    here = Between(after.astimezone(zone), before.astimezone(zone))
    assert own_period(here, NOW.astimezone(zone), None) == own_period(Between(after, before), NOW, None)


def test_a_day_in_tokyo_is_the_callers_two_instants() -> None:
    """B22"""
    tokyo = timezone(timedelta(hours=9))
    day = Between(datetime(2026, 3, 1, tzinfo=tokyo), datetime(2026, 3, 2, tzinfo=tokyo))
    assert own_period(day, NOW, None) == Period(
        datetime(2026, 2, 28, 15, tzinfo=UTC), datetime(2026, 3, 1, 15, tzinfo=UTC)
    )
