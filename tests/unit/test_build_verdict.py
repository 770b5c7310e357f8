"""What becomes of a build that failed."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_nodeworker.stages.divide import TokensUnknownError
from rensou_nodeworker.stages.verdict import MAX_CRASHES, RetryRule, judge_failure
from rensou_nodeworker.types.builds import LeasedBuild, NextState, Verdict
from rensou_nodeworker.types.derived import ModelMismatchError
from rensou_shared.embedding.errors import (
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.errors import DatabaseUnavailable
from rensou_shared.ids import AgentId, BuildId, RecordId

DAY_S = 24 * 3600.0
RULE = RetryRule()
MAY_PASS = [
    EmbeddingUnavailableError("status 503"),
    EmbeddingMalformedError("no JSON"),
    EmbeddingMalformedError("a zero vector", 0),
    EmbeddingRejectedError("status 401", 401),
    ModelMismatchError("another model"),
    TokensUnknownError("unknown"),
    DatabaseUnavailable("away"),
]


def claim(errors: int = 0, crashes: int = 0, age_s: float = 0.0) -> LeasedBuild:
    return LeasedBuild(AgentId("ann"), BuildId(1), RecordId(2), b"", None, UUID(int=3), errors, crashes, age_s)


def judged(error: Exception, build: LeasedBuild, draw: float = 0.5, *, server_works: bool = True) -> Verdict:
    return judge_failure(error, build, RULE, draw, server_works=server_works)


@pytest.mark.parametrize("error", MAY_PASS)
def test_what_may_pass_condemns_nothing_within_a_day(error: Exception) -> None:
    verdict = judged(error, claim(errors=10_000, age_s=DAY_S - 1))
    assert verdict.state is NextState.PENDING and (verdict.errors_added, verdict.crashes_added) == (1, 0)


@pytest.mark.parametrize("error", MAY_PASS)
def test_what_never_passes_is_dead_after_fifty_errors_and_a_day(error: Exception) -> None:
    assert judged(error, claim(errors=49, age_s=DAY_S)).state is NextState.DEAD
    assert judged(error, claim(errors=48, age_s=DAY_S)).state is NextState.PENDING


def test_an_outage_condemns_nothing_however_long_it_lasts() -> None:
    verdicts = [judged(error, claim(errors=10_000, age_s=30 * DAY_S), server_works=False) for error in MAY_PASS]
    assert [verdict.state is NextState.PENDING for verdict in verdicts] == [one.blames_server for one in verdicts]


def test_a_refused_text_is_dead_at_once_and_no_fault_of_the_server() -> None:
    verdict = judged(EmbeddingRejectedError("status 422", 422, 0), claim())
    assert verdict.state is NextState.DEAD and not verdict.blames_server


def test_the_server_is_blamed_for_what_every_record_would_meet() -> None:
    blamed = [judged(error, claim()).blames_server for error in MAY_PASS]
    assert blamed == [True, True, False, True, True, False, False]


def test_the_wait_that_a_server_asks_for_is_kept() -> None:
    verdict = judged(EmbeddingUnavailableError("status 429", 120.0), claim(), draw=0.0)
    assert verdict.wait_s == 120.0 and verdict.server_wait_s == 120.0


def test_the_fourth_unforeseen_failure_is_death_and_its_text_is_not_kept() -> None:
    verdicts = [judged(KeyError("secret"), claim(crashes=crashes)) for crashes in range(MAX_CRASHES)]
    assert [verdict.state for verdict in verdicts] == [NextState.PENDING] * 3 + [NextState.DEAD]
    assert {verdict.reason for verdict in verdicts} == {"unexpected KeyError"}


@given(errors=st.integers(1, 10**6), draw=st.floats(0, 1, exclude_max=True))
def test_a_wait_is_within_its_bounds(errors: int, draw: float) -> None:
    assert 0.0 <= RULE.wait_s(errors, draw) <= RULE.cap_s


def test_waits_grow_to_the_cap() -> None:
    assert [RULE.wait_s(errors, 0.5) for errors in (1, 2, 3, 60)] == [1.0, 2.0, 4.0, 30.0]
