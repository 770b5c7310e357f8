"""From what a caller remembers to a period. Now and the scope's span are given: nothing here reads a clock."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from rensou_recall.types.time_cue import Ago, Between, Confidence, LongAgo, Period, ScopeSpan

# Whole microseconds since the year 1: they go beyond what a datetime holds, and are cut back at the end.
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST_US: Final = (datetime.max.replace(tzinfo=UTC) - _FIRST) // timedelta(microseconds=1)
_SECOND_US: Final = 1_000_000
_HOUR_US: Final = 3600 * _SECOND_US
_RECENT = timedelta(hours=24)

_HALF_LENGTHS: Final[Mapping[Confidence, int]] = {Confidence.SURE: 0, Confidence.LIKELY: 1, Confidence.VAGUE: 2}
"""The margin on each side, in halves of the period's length."""
_LESS_SURE: Final[Mapping[Confidence, Confidence]] = {
    Confidence.SURE: Confidence.LIKELY,
    Confidence.LIKELY: Confidence.VAGUE,
}


def needs_span(form: Between | Ago | LongAgo) -> bool:
    """Whether the period depends on the records that the scope reads."""
    return isinstance(form, LongAgo) or (isinstance(form, Between) and form.after is None)


def own_period(form: Between | Ago | LongAgo, now: datetime, span: ScopeSpan | None) -> Period:
    """The period without margin, cut to the years 1-9999. `span` is None for a scope that reads nothing."""
    now_us = _us(now)
    match form:
        case Between(after, before):
            end = now_us if before is None else _us(before)
            if after is not None:
                start = _us(after)
            else:
                # A scope without older records has nothing to give: the second before the end.
                start = min(end - _SECOND_US, end if span is None else _us(span.oldest_at))
        case Ago(unit, value):
            length = unit.value * _HOUR_US
            start = now_us - value * length - length // 2
            end = min(start + length, now_us)
        case LongAgo():
            start = now_us if span is None else _us(span.oldest_at)
            # A record that is dated ahead makes nothing older.
            newest = now_us if span is None else min(_us(span.newest_at), now_us)
            end = start + max(newest - start, 0) // 3
    return _period(start, end)


def is_recent(own: Period, now: datetime) -> bool:
    """Whether the period starts within the last 24 hours: such records need no help."""
    return now - _RECENT <= own.start_at <= now


def widen(own: Period, confidence: Confidence) -> Period:
    """The period with the margin of `confidence` on each side."""
    start, end = _us(own.start_at), _us(own.end_at)
    margin = (end - start) * _HALF_LENGTHS[confidence] // 2
    return _period(start - margin, end + margin)


def less_sure(confidence: Confidence) -> Confidence | None:
    """What a period that held nothing is widened to; None when it is as wide as it gets."""
    return _LESS_SURE.get(confidence)


def _period(start: int, end: int) -> Period:
    start, end = (min(max(one, 0), _LAST_US) for one in (start, end))
    if end <= start:
        end = min(start + _SECOND_US, _LAST_US)
        start = min(start, end - _SECOND_US)
    return Period(_moment(start), _moment(end))


def _us(moment: datetime) -> int:
    return (moment - _FIRST) // timedelta(microseconds=1)


def _moment(us: int) -> datetime:
    return _FIRST + timedelta(microseconds=us)
