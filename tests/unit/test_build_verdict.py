"""What becomes of a build that failed."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_nodeworker.stages.divide import TokensUnknownError
from rensou_nodeworker.stages.verdict import MAX_CRASHES, RetryRule, judge_failure
from rensou_nodeworker.types.builds import LeasedBuild, NextState
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


@pytest.mark.parametrize("error", MAY_PASS)
def test_what_may_pass_condemns_nothing_within_a_day(error: Exception) -> None:
    verdict = judge_failure(error, claim(errors=10_000, age_s=DAY_S - 1), RULE, 0.5)
    assert verdict.state is NextState.PENDING and (verdict.errors_added, verdict.crashes_added) == (1, 0)


@pytest.mark.parametrize("error", MAY_PASS)
def test_what_never_passes_is_dead_after_fifty_errors_and_a_day(error: Exception) -> None:
    assert judge_failure(error, claim(errors=49, age_s=DAY_S), RULE, 0.5).state is NextState.DEAD
    assert judge_failure(error, claim(errors=48, age_s=DAY_S), RULE, 0.5).state is NextState.PENDING


def test_a_refused_text_is_dead_at_once_and_no_fault_of_the_server() -> None:
    verdict = judge_failure(EmbeddingRejectedError("status 422", 422, 0), claim(), RULE, 0.5)
    assert verdict.state is NextState.DEAD and not verdict.blames_server


def test_the_server_is_blamed_for_what_every_record_would_meet() -> None:
    blamed = [judge_failure(error, claim(), RULE, 0.5).blames_server for error in MAY_PASS]
    assert blamed == [True, True, False, True, True, False, False]


def test_the_wait_that_a_server_asks_for_is_kept() -> None:
    verdict = judge_failure(EmbeddingUnavailableError("status 429", 120.0), claim(), RULE, 0.0)
    assert verdict.wait_s == 120.0 and verdict.server_wait_s == 120.0


def test_the_third_unforeseen_failure_is_death_and_its_text_is_not_kept() -> None:
    verdicts = [judge_failure(KeyError("secret"), claim(crashes=crashes), RULE, 0.5) for crashes in range(MAX_CRASHES)]
    assert [verdict.state for verdict in verdicts] == [NextState.PENDING, NextState.PENDING, NextState.DEAD]
    assert {verdict.reason for verdict in verdicts} == {"unexpected KeyError"}


@given(errors=st.integers(1, 10**6), draw=st.floats(0, 1, exclude_max=True))
def test_a_wait_is_within_its_bounds(errors: int, draw: float) -> None:
    assert 0.0 <= RULE.wait_s(errors, draw) <= RULE.cap_s


def test_waits_grow_to_the_cap() -> None:
    assert [RULE.wait_s(errors, 0.5) for errors in (1, 2, 3, 60)] == [1.0, 2.0, 4.0, 30.0]
