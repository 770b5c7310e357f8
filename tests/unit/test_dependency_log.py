"""Since when a dependency is as it is."""

from datetime import UTC, datetime, timedelta

from rensou_recall.pipelines.dependency_log import DependencyLog

START = datetime(2026, 3, 1, tzinfo=UTC)


def test_a_state_is_dated_by_the_first_look_that_saw_it() -> None:
    looks = iter(range(10))
    log = DependencyLog(lambda: START + timedelta(minutes=next(looks)))
    seen = [log.note("redis", healthy=healthy) for healthy in (True, True, False, False, True)]
    assert [(moment - START) // timedelta(minutes=1) for moment in seen] == [0, 0, 1, 1, 2]


def test_each_dependency_is_dated_by_itself() -> None:
    looks = iter(range(10))
    log = DependencyLog(lambda: START + timedelta(minutes=next(looks)))
    first = log.note("redis", healthy=True)
    assert log.note("postgres", healthy=False) > first
    assert log.note("redis", healthy=True) == first
