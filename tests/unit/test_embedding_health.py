"""Health of the embedding server, the circuit, and the guard that feeds them."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.errors import (
    EmbeddingError,
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.embedding.guard import GuardedEmbedding
from rensou_shared.embedding.health import EmbeddingHealth, FaultKind, HealthState
from rensou_shared.embedding.port import Embedded, ModelIdentity, Side, TokenCount

START = datetime(2026, 11, 30, tzinfo=UTC)


class FakeTime:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def utc_now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)


class FakeEmbedding:
    """A port that fails as its script says and counts its calls; None hangs, a spent script works."""

    def __init__(self, *script: EmbeddingError | None) -> None:
        self.script = list(script)
        self.calls = 0

    async def _act(self) -> None:
        self.calls += 1
        if self.script:
            error = self.script.pop(0)
            if error is None:
                await asyncio.sleep(60)
            else:
                raise error

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        await self._act()
        return Embedded(np.ones((len(texts), 1), np.float32), None)

    async def count(self, texts: Sequence[str], side: Side, timeout_s: float) -> tuple[TokenCount, ...] | None:
        await self._act()
        return None

    async def identity(self, timeout_s: float) -> ModelIdentity:
        await self._act()
        return ModelIdentity("1:a", "m", 1, 12)


def guarded(port: FakeEmbedding, time: FakeTime) -> GuardedEmbedding:
    breaker = CircuitBreaker(time.now, open_after=2, cool_down_s=5.0)
    return GuardedEmbedding(port, EmbeddingHealth(time.utc_now), breaker)


async def fail(guard: GuardedEmbedding) -> EmbeddingError:
    with pytest.raises(EmbeddingError) as raised:
        await guard.embed(["a"], Side.QUERY, 1.0)
    return raised.value


GONE = EmbeddingUnavailableError("no connection")


def test_nothing_asked_is_unknown() -> None:
    report = EmbeddingHealth(FakeTime().utc_now).report
    assert (report.state, report.since, report.failing_since) == (HealthState.UNKNOWN, START, None)


def test_one_failure_is_no_fault_and_the_second_is_since_the_first() -> None:
    time = FakeTime()
    health = EmbeddingHealth(time.utc_now)
    time.seconds = 10
    health.record_failure("gone", FaultKind.UNREACHABLE)
    assert (health.report.state, health.report.failing_since) == (HealthState.UNKNOWN, time.utc_now())
    time.seconds = 20
    health.record_failure("status 401", FaultKind.MISCONFIGURED)
    report = health.report
    assert (report.state, report.since) == (HealthState.FAULT, START + timedelta(seconds=10))
    assert (report.reason, report.kind, report.failures) == ("status 401", FaultKind.MISCONFIGURED, 2)


def test_a_success_clears_a_fault_and_health_dates_from_it() -> None:
    time = FakeTime()
    health = EmbeddingHealth(time.utc_now)
    for _ in range(3):
        health.record_failure("gone", FaultKind.UNREACHABLE)
    time.seconds = 30
    health.record_success()
    time.seconds = 40
    health.record_success()
    report = health.report
    assert (report.state, report.since) == (HealthState.HEALTHY, START + timedelta(seconds=30))
    assert (report.reason, report.kind, report.failures, report.failing_since) == ("", None, 0, None)


@given(st.lists(st.booleans(), max_size=20))
def test_it_is_a_fault_exactly_after_two_failures_in_a_row(outcomes: list[bool]) -> None:
    health = EmbeddingHealth(FakeTime().utc_now)
    for worked in outcomes:
        if worked:
            health.record_success()
        else:
            health.record_failure("gone", FaultKind.UNREACHABLE)
    assert (health.report.state is HealthState.FAULT) == (outcomes[-2:] == [False, False])


def test_a_circuit_opens_probes_once_and_closes() -> None:
    time = FakeTime()
    breaker = CircuitBreaker(time.now, open_after=2, cool_down_s=5.0)
    for _ in range(2):
        assert breaker.try_enter()
        breaker.fail()
    assert not breaker.try_enter()
    assert breaker.retry_after_s == 5.0
    time.seconds = 5.0
    assert [breaker.try_enter(), breaker.try_enter()] == [True, False]
    breaker.succeed()
    assert [breaker.try_enter(), breaker.try_enter()] == [True, True]


def test_a_probe_that_fails_opens_the_circuit_again() -> None:
    time = FakeTime()
    breaker = CircuitBreaker(time.now, open_after=1, cool_down_s=5.0)
    breaker.fail()
    time.seconds = 6.0
    assert breaker.try_enter()
    breaker.fail()
    assert not breaker.try_enter()
    assert breaker.retry_after_s == 5.0


def test_a_server_that_names_a_wait_is_left_alone_for_it_at_once() -> None:
    time = FakeTime()
    breaker = CircuitBreaker(time.now, open_after=3, cool_down_s=5.0)
    breaker.fail(at_least_s=120.0)
    time.seconds = 119.0
    assert not breaker.try_enter()
    time.seconds = 120.0
    assert breaker.try_enter()


def test_a_short_named_wait_opens_the_circuit_too() -> None:
    breaker = CircuitBreaker(FakeTime().now, open_after=3, cool_down_s=5.0)
    breaker.fail(at_least_s=0.5)
    assert not breaker.try_enter()


def test_failures_before_a_success_do_not_count() -> None:
    time = FakeTime()
    breaker = CircuitBreaker(time.now, open_after=2, cool_down_s=5.0)
    breaker.fail()
    breaker.succeed()
    breaker.fail()
    assert breaker.try_enter()
    assert breaker.retry_after_s == 0.0


def test_time_past_the_cool_down_is_no_negative_wait() -> None:
    time = FakeTime()
    breaker = CircuitBreaker(time.now, open_after=1, cool_down_s=5.0)
    breaker.fail()
    time.seconds = 9.0
    assert breaker.retry_after_s == 0.0


async def test_an_open_circuit_answers_without_asking() -> None:
    port = FakeEmbedding(GONE, GONE)
    guard = guarded(port, FakeTime())
    for _ in range(2):
        await fail(guard)
    error = await fail(guard)
    assert isinstance(error, EmbeddingUnavailableError)
    assert (error.retry_after_s, port.calls, str(error)) == (5.0, 2, "not asked again yet: no connection")


async def test_a_server_that_is_back_is_found_by_the_probe() -> None:
    time = FakeTime()
    guard = guarded(FakeEmbedding(GONE, EmbeddingMalformedError("no JSON")), time)
    for _ in range(2):
        await fail(guard)
    time.seconds = 5.0
    await guard.embed(["a"], Side.QUERY, 1.0)
    assert guard.health.report.state is HealthState.HEALTHY


async def test_a_refused_text_is_no_fault_of_the_server() -> None:
    port = FakeEmbedding(*[EmbeddingRejectedError("status 400", 400, 0)] * 5)
    guard = guarded(port, FakeTime())
    for _ in range(5):
        await fail(guard)
    assert (port.calls, guard.health.report.failures) == (5, 0)


async def test_refused_credentials_are_a_fault_that_an_operator_must_mend() -> None:
    guard = guarded(FakeEmbedding(*[EmbeddingRejectedError("status 401", 401)] * 2), FakeTime())
    for _ in range(2):
        await fail(guard)
    assert (guard.health.report.state, guard.health.report.kind) == (HealthState.FAULT, FaultKind.MISCONFIGURED)


async def test_a_cancelled_probe_lets_the_next_one_in() -> None:
    time = FakeTime()
    port = FakeEmbedding(GONE, GONE, None)
    guard = guarded(port, time)
    for _ in range(2):
        await fail(guard)
    time.seconds = 5.0
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await guard.count(["a"], Side.PASSAGE, 1.0)
    assert (await guard.identity(1.0)).fingerprint == "1:a"


async def test_a_call_without_texts_says_nothing_about_the_server() -> None:
    guard = guarded(FakeEmbedding(GONE), FakeTime())
    await fail(guard)
    await guard.embed([], Side.QUERY, 1.0)
    await guard.count([], Side.QUERY, 1.0)
    assert guard.health.report.failures == 1
