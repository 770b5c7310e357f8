"""Dates that a question names, in English and Japanese, as half-open intervals of UTC; and whether it asks when."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from rensou_shared.text.folding import fold_text

_MONTH_NAMES: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
# "may", "march" and the short names are words of their own: they count beside a number or after a preposition only.
_SHORT: Final = {name[:3]: number for number, name in enumerate(_MONTH_NAMES, 1)} | {"sept": 9}
_LONG: Final = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_PLAIN: Final = "|".join(name for name in _MONTH_NAMES if name not in {"march", "may"})
_ANY: Final = "|".join(sorted({*_LONG, *_SHORT}, key=lambda name: (-len(name), name)))
_YEAR: Final = r"(?:19|20)\d\d"
_DAY: Final = r"\d{1,2}"
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<!\d)(?P<y>{_YEAR})[-/.](?P<m>{_DAY})[-/.](?P<d>{_DAY})(?!\d)",
        rf"(?:(?P<y>{_YEAR})年の?)?(?<!\d)(?P<m>{_DAY})月の?(?P<d>{_DAY})日",
        rf"(?P<y>{_YEAR})年の?(?P<m>{_DAY})月",
        rf"(?<!\d)(?P<m>{_DAY})月(?!\w{0, 4}間)",
        rf"(?P<y>{_YEAR})年",
        rf"\b(?P<d>{_DAY})(?:st|nd|rd|th)?(?: of)? (?P<n>{_ANY})\b\.?(?:,? (?P<y>{_YEAR}))?\b",
        rf"\b(?P<n>{_ANY})\b\.? (?P<d>{_DAY})(?:st|nd|rd|th)?\b(?:,? (?P<y>{_YEAR})\b)?",
        rf"\b(?P<n>{_ANY})\b\.?,?(?: of)? (?P<y>{_YEAR})\b",
        rf"\b(?:in|during|of|since|until|by|before|after|last|this|early|late|mid) (?P<n>{_ANY})\b",
        rf"\b(?P<n>{_PLAIN})\b",
        rf"(?<![\d-])(?P<y>{_YEAR})(?![\d-])",
    )
)
_ASKS_WHEN: Final = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|week|time)\b|\bhow long ago\b|いつ|何[年月日時]|何曜日"
)


@dataclass(frozen=True, slots=True, order=True)
class NamedDate:
    """A year, a month or a day, in the parts that were named; 0 stands for what was not."""

    year: int
    month: int
    day: int

    def interval(self, year: int) -> tuple[datetime, datetime] | None:
        """The half-open interval that is meant when a missing year is `year`; None when no such day exists."""
        first_year = self.year or year
        try:
            start = date(first_year, self.month or 1, self.day or 1)
        except ValueError:
            return None
        return _midnight(start), self._end(start)

    def _end(self, start: date) -> datetime:
        try:
            if self.day:
                return _midnight(start + timedelta(days=1))
            if self.month:
                return _midnight(date(start.year + self.month // 12, self.month % 12 + 1, 1))
            return _midnight(date(start.year + 1, 1, 1))
        except (ValueError, OverflowError):  # past the last year that a date can have
            return datetime.max.replace(tzinfo=UTC)

    def covers(self, moment: datetime) -> bool:
        """Whether `moment` (aware) lies in the interval."""
        utc = moment.astimezone(UTC)
        span = self.interval(utc.year)
        return span is not None and span[0] <= utc < span[1]


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def named_dates(question: str) -> tuple[NamedDate, ...]:
    """The dates that `question` names, ascending and distinct; each place of the text counts for one."""
    rest = fold_text(question)
    found: set[NamedDate] = set()
    for pattern in _PATTERNS:
        found.update(filter(_is_real, map(_date_of, pattern.finditer(rest))))
        # What a fuller pattern has read is no year or month of its own.
        rest = pattern.sub(" ; ", rest)
    return tuple(sorted(found))


def asks_when(question: str) -> bool:
    """Whether `question` asks for a time."""
    return _ASKS_WHEN.search(fold_text(question)) is not None


def covers_any(dates: Iterable[NamedDate], moment: datetime | None) -> bool:
    """Whether one of `dates` covers `moment`; an unknown moment is in none."""
    return moment is not None and any(one.covers(moment) for one in dates)


def _date_of(match: re.Match[str]) -> NamedDate:
    parts = match.groupdict()
    name = parts.get("n")
    month = (_LONG.get(name) or _SHORT[name]) if name else int(parts.get("m") or 0)
    return NamedDate(int(parts.get("y") or 0), month, int(parts.get("d") or 0))


def _is_real(one: NamedDate) -> bool:
    # A leap year, so that 29 February stays possible where the year is not named.
    return one.month <= 12 and one.interval(2000) is not None
