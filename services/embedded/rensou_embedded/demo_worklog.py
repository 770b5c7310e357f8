"""The work log format of the demo texts, parsed strictly.

A work log is UTF-8 Markdown with headings of exactly three levels::

    # Name of the team

    ## 2026-01

    ### 2026-01-08T09:30:00+09:00 | Author
    One or more paragraphs, kept verbatim.

One ``#`` line opens the file, each ``##`` line opens a month, each ``###`` line opens an entry of that month. Times
carry an offset, rise strictly through the file, and lie (on their own clock) in the month above them. A month without
entries, an entry without text, text outside an entry and any other line starting with ``#`` are errors.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, zip_longest

_HEADING = re.compile(r"(#{1,3}) (\S.*)")
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?P<offset>Z|[+-]\d\d:\d\d)?")
_MONTH_LEVEL = 2
_ENTRY_LEVEL = 3


class DemoFormatError(ValueError):
    """A demo file breaks its format; the message reads ``file: place: reason``, the place a line or a JSON path."""

    def __init__(self, file: str, place: str, reason: str) -> None:
        super().__init__(f"{file}: {place}: {reason}")
        self.file = file
        self.place = place
        self.reason = reason


@dataclass(frozen=True, slots=True)
class DemoEntry:
    """One dated entry, stored as one memory record.

    ``position`` counts from 0 through the whole file. ``occurred_at`` keeps the offset it was written with.
    ``session_id`` is the day (``2026-01-08``): a question and its answers stand on one day and are read as one
    conversation, while the month is already covered by the episode.
    """

    position: int
    occurred_at: datetime
    author: str
    content: str

    @property
    def session_id(self) -> str:
        """The day of the entry on its own clock."""
        return self.occurred_at.date().isoformat()

    @property
    def month(self) -> str:
        """The month of the entry on its own clock, as ``YYYY-MM``."""
        return self.session_id[:7]


@dataclass(frozen=True, slots=True)
class DemoEpisode:
    """One month, stored as one episode record: its entries' contents in order, joined by a blank line."""

    month: str
    content: str
    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class Worklog:
    """A parsed work log: entries in time order and one episode per month."""

    team: str
    entries: tuple[DemoEntry, ...]
    episodes: tuple[DemoEpisode, ...]


@dataclass(frozen=True, slots=True)
class _Section:
    """One heading with the text below it; ``line`` counts from 1."""

    line: int
    level: int
    heading: str
    body: str


def parse_worklog(text: str, file: str) -> Worklog:
    """Parse a whole work log; ``file`` is the name that errors carry.

    Raises:
        DemoFormatError: the text breaks the format of this module; the place is the line.
    """
    sections = _split_sections(text, file)
    if sections[0].level != 1:
        raise _line_error(file, sections[0].line, "the file opens with '# Name of the team'")
    entries = _parse_entries(sections, file)
    return Worklog(team=sections[0].heading, entries=entries, episodes=_join_months(entries))


def _split_sections(text: str, file: str) -> list[_Section]:
    """Cut the text at its headings; at least one section is returned, the first line of text is a heading."""
    lines = text.split("\n")
    starts = [index for index, line in enumerate(lines) if line.startswith("#")]
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    if first is None or first not in starts:
        raise _line_error(file, 1 if first is None else first + 1, "the file opens with '# Name of the team'")
    ends = [*starts[1:], len(lines)]
    return [_read_section(lines, start, end, file) for start, end in zip(starts, ends, strict=True)]


def _read_section(lines: list[str], start: int, end: int, file: str) -> _Section:
    match = _HEADING.fullmatch(lines[start].rstrip())
    if match is None:
        raise _line_error(file, start + 1, "a heading is '#', '##' or '###', one space, and its text")
    body = "\n".join(lines[start + 1 : end]).strip()
    section = _Section(line=start + 1, level=len(match[1]), heading=match[2], body=body)
    if section.level == _ENTRY_LEVEL and not body:
        raise _line_error(file, section.line, "the entry has no text")
    if section.level != _ENTRY_LEVEL and body:
        offset = next(index for index in range(start + 1, end) if lines[index].strip())
        raise _line_error(file, offset + 1, "text stands outside an entry")
    return section


def _parse_entries(sections: list[_Section], file: str) -> tuple[DemoEntry, ...]:
    entries: list[DemoEntry] = []
    month: _Section | None = None
    for section, following in zip_longest(sections[1:], sections[2:]):
        if section.level == 1:
            raise _line_error(file, section.line, "the team is named twice")
        if section.level == _MONTH_LEVEL:
            month = _check_month(section, month, following, file)
        elif month is None:
            raise _line_error(file, section.line, "the entry stands before the first month")
        else:
            entry = _parse_entry(section, len(entries), file)
            _check_order(entry, entries, month, section.line, file)
            entries.append(entry)
    if not entries:
        raise _line_error(file, sections[-1].line, "the file has no month")
    return tuple(entries)


def _check_month(section: _Section, former: _Section | None, following: _Section | None, file: str) -> _Section:
    """Return the month's section if it is well formed, later than the former one and followed by an entry."""
    if not _MONTH.fullmatch(section.heading):
        raise _line_error(file, section.line, f"a month is YYYY-MM, not {section.heading!r}")
    if former is not None and section.heading <= former.heading:
        raise _line_error(file, section.line, f"month {section.heading} does not come after {former.heading}")
    if following is None or following.level != _ENTRY_LEVEL:
        raise _line_error(file, section.line, f"month {section.heading} has no entry")
    return section


def _parse_entry(section: _Section, position: int, file: str) -> DemoEntry:
    written, separator, author = section.heading.partition(" | ")
    if not separator or not author.strip():
        raise _line_error(file, section.line, "an entry's heading is '### time | Author'")
    try:
        occurred_at = parse_offset_time(written)
    except ValueError as error:
        raise _line_error(file, section.line, str(error)) from error
    return DemoEntry(position=position, occurred_at=occurred_at, author=author.strip(), content=section.body)


def parse_offset_time(written: str) -> datetime:
    """Parse ``YYYY-MM-DDThh:mm:ss`` followed by ``Z`` or ``±hh:mm``.

    Raises:
        ValueError: another form, an impossible date, or a naive time; the message is fit to be shown.
    """
    match = _TIME.fullmatch(written)
    if match is None:
        raise ValueError(f"a time is YYYY-MM-DDThh:mm:ss+hh:mm, not {written!r}")
    if match["offset"] is None:
        raise ValueError(f"the time {written} is naive: it needs an offset such as +09:00")
    try:
        return datetime.fromisoformat(written)
    except ValueError as error:
        raise ValueError(f"{written} is no time: {error}") from error


def _check_order(entry: DemoEntry, former: list[DemoEntry], month: _Section, line: int, file: str) -> None:
    written = entry.occurred_at.isoformat()
    if entry.month != month.heading:
        raise _line_error(file, line, f"the time {written} is not in month {month.heading}")
    if former and entry.occurred_at <= former[-1].occurred_at:
        raise _line_error(file, line, f"the time {written} does not come after {former[-1].occurred_at.isoformat()}")


def _join_months(entries: tuple[DemoEntry, ...]) -> tuple[DemoEpisode, ...]:
    months = [(month, list(group)) for month, group in groupby(entries, key=lambda entry: entry.month)]
    return tuple(
        DemoEpisode(
            month=month,
            content="\n\n".join(entry.content for entry in group),
            started_at=group[0].occurred_at,
            ended_at=group[-1].occurred_at,
        )
        for month, group in months
    )


def _line_error(file: str, line: int, reason: str) -> DemoFormatError:
    return DemoFormatError(file, f"line {line}", reason)
