"""Calls one after the other, and calls of several callers at once."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import quantiles

import grpc.aio
import psycopg

# Makes the n-th call of a caller.
MakeCall = Callable[[int, int], Awaitable[object]]


def percentile(times: Sequence[float], percent: int) -> float:
    """The percentile (1-99), interpolated; of one value that value."""
    return quantiles(times, n=100, method="inclusive")[percent - 1] if len(times) > 1 else times[0]


def spread(name: str, times: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile by name."""
    return {f"{name}_ms_p50": round(percentile(times, 50), 2), f"{name}_ms_p95": round(percentile(times, 95), 2)}


async def timed(calls: Iterable[Callable[[], Awaitable[object]]]) -> list[float]:
    """Milliseconds of each call, one after the other."""
    times: list[float] = []
    for call in calls:
        started = time.perf_counter()
        await call()
        times.append((time.perf_counter() - started) * 1000)
    return times


@dataclass(frozen=True, slots=True)
class Crowd:
    """What callers met who called for some seconds at once: milliseconds of each one's calls, errors, seconds."""

    times: tuple[tuple[float, ...], ...]
    errors: int
    seconds: float

    @property
    def every(self) -> list[float]:
        """Milliseconds of all calls."""
        return [ms for own in self.times for ms in own]

    @property
    def calls_per_s(self) -> float:
        return sum(map(len, self.times)) / self.seconds

    @property
    def fairness(self) -> float:
        """Calls of the busiest caller over those of the one that got least: 1 is perfectly fair."""
        counts = [len(own) for own in self.times]
        return max(counts) / max(min(counts), 1)


async def crowd(callers: int, seconds: float, make: MakeCall) -> Crowd:
    """`callers` that call again and again for `seconds`."""
    started = time.perf_counter()
    errors = 0

    async def call(caller: int) -> tuple[float, ...]:
        nonlocal errors
        times: list[float] = []
        number = caller
        while time.perf_counter() - started < seconds:
            before = time.perf_counter()
            try:
                await make(number, caller)
            except (grpc.aio.AioRpcError, psycopg.Error):
                errors += 1
            else:
                times.append((time.perf_counter() - before) * 1000)
            number += callers
        return tuple(times)

    times = await asyncio.gather(*(call(caller) for caller in range(callers)))
    return Crowd(tuple(times), errors, time.perf_counter() - started)
