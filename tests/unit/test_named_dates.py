"""Dates in a question, in English and Japanese, and questions that ask when."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from rensou_recall.stages.named_dates import NamedDate, asks_when, covers_any, named_dates


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What happened on 7 May, 2023?", [(2023, 5, 7)]),
        ("What happened on the 7th of May 2023?", [(2023, 5, 7)]),
        ("What happened on May 7th, 2023?", [(2023, 5, 7)]),
        ("what about 2023-05-07", [(2023, 5, 7)]),
        ("what did I say in May 2023", [(2023, 5, 0)]),
        ("what did I say on Sept. 3", [(0, 9, 3)]),
        ("what did I say in march", [(0, 3, 0)]),
        ("what did I say in 2022 and in October", [(0, 10, 0), (2022, 0, 0)]),
        ("2023年5月7日に何をしましたか", [(2023, 5, 7)]),
        ("２０２３年５月７日", [(2023, 5, 7)]),
        ("2023年の5月", [(2023, 5, 0)]),
        ("12月31日の夜", [(0, 12, 31)]),
        ("五月の旅行", []),
        ("5月の旅行", [(0, 5, 0)]),
        ("2022年の仕事", [(2022, 0, 0)]),
        ("might he march in?", []),
        ("3ヶ月間", []),
        ("30 February 2023", []),
        ("order 20231234", []),
        ("", []),
    ],
)
def test_the_dates_that_a_question_names(question: str, expected: list[tuple[int, int, int]]) -> None:
    assert named_dates(question) == tuple(NamedDate(*parts) for parts in expected)


@pytest.mark.parametrize(
    ("named", "inside", "outside"),
    [
        (NamedDate(2023, 5, 7), datetime(2023, 5, 7, tzinfo=UTC), datetime(2023, 5, 8, tzinfo=UTC)),
        (NamedDate(2023, 12, 0), datetime(2023, 12, 31, 23, 59, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)),
        (NamedDate(2023, 0, 0), datetime(2023, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)),
        (NamedDate(0, 5, 0), datetime(1999, 5, 31, tzinfo=UTC), datetime(1999, 6, 1, tzinfo=UTC)),
        (NamedDate(0, 2, 29), datetime(2024, 2, 29, tzinfo=UTC), datetime(2023, 3, 1, tzinfo=UTC)),
    ],
)
def test_an_interval_is_half_open(named: NamedDate, inside: datetime, outside: datetime) -> None:
    assert named.covers(inside)
    assert not named.covers(outside)


def test_a_moment_is_compared_in_utc() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert NamedDate(2023, 5, 7).covers(datetime(2023, 5, 8, 8, 59, tzinfo=tokyo))


def test_the_ends_of_the_calendar_cover_what_they_can() -> None:
    assert not NamedDate(9999, 12, 31).covers(datetime(2023, 1, 1, tzinfo=UTC))
    assert not NamedDate(0, 12, 0).covers(datetime(9999, 1, 1, tzinfo=UTC))
    assert NamedDate(0, 12, 31).covers(datetime(9999, 12, 31, 5, tzinfo=UTC))


def test_an_unknown_moment_is_on_no_date() -> None:
    assert not covers_any([NamedDate(2023, 0, 0)], None)


@pytest.mark.parametrize("question", ["When did he leave?", "What year was it?", "いつ行きましたか", "何曜日でしたか"])
def test_a_question_that_asks_when(question: str) -> None:
    assert asks_when(question)


@pytest.mark.parametrize("question", ["What did he buy?", "何を買いましたか", "whenever"])
def test_a_question_that_does_not(question: str) -> None:
    assert not asks_when(question)
