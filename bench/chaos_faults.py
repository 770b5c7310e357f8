"""What goes wrong in the chaos run, in an order drawn by seed; what takes long goes on beside what comes next."""

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, cast

from redis.exceptions import RedisError

from chaos_crew import Crew, Member
from chaos_embedding import ChaosEmbedding, Mood
from rensou_embedded.stack import EmbeddedStack, Part
from rensou_shared.jobs.redis_client import make_client

LEASE_S: Final = 3
LATE: Final = "late_commit_refused"
"""What a worker logs when its write comes too late."""

# The last hold-ups come when all else is over, so that the worker which comes too late lives to do so.
_BEFORE_HOLD_UPS: Final = 0.7
_MOOD_S: Final = 4.0
_PAUSE_S: Final = (0.4, 1.8)
_BUSY_TIMEOUT_S: Final = 15.0
_MOST_HOLD_UPS: Final = 16
_REDIS_TIMEOUT_S: Final = 2.0
_RESTART_LOOKS: Final = 600

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How often each thing happens; `rounds` is for Redis, PostgreSQL and each mood of the embedding server.

    `hold_ups` are the fewest: there are more until one has met a late commit.
    """

    kills: int
    stops: int
    freezes: int
    hold_ups: int
    rounds: int


class Faults:
    """The faults of one run.

    Attributes:
        kills: Workers killed so far, without those that a poisoned text took down.
        poison_kills: Those that a poisoned text took down.
        happened: How often each fault did.
    """

    def __init__(
        self, stack: EmbeddedStack, embedding: ChaosEmbedding, crew: Crew, draw: random.Random, say: Say
    ) -> None:
        self._stack = stack
        self._embedding = embedding
        self._crew = crew
        self._draw = draw
        self._say = say
        self._one_mood = asyncio.Lock()
        self._one_restart = asyncio.Lock()
        self._taken = set[str]()
        self.kills = 0
        self.poison_kills = 0
        self.happened = Counter[str]()
        embedding.on_poison = self._take_down

    async def run(self, plan: Plan, on_step: Callable[[float], None]) -> None:
        """Makes everything of the plan happen; `on_step` is told which share of it has begun, at the end 1."""
        events = self._events(plan)
        self._draw.shuffle(events)
        async with asyncio.TaskGroup() as group:
            for number, event in enumerate(events, 1):
                on_step(_BEFORE_HOLD_UPS * number / len(events))
                await asyncio.sleep(self._draw.uniform(*_PAUSE_S))
                group.create_task(event())
        for number in range(1, _MOST_HOLD_UPS + 1):
            if number > plan.hold_ups and self._crew.said(LATE):
                break
            on_step(_BEFORE_HOLD_UPS + (1 - _BEFORE_HOLD_UPS) * min(number / (plan.hold_ups + 2), 0.9))
            await self._hold_up()
        on_step(1.0)

    def _events(self, plan: Plan) -> list[Callable[[], Coroutine[None, None, None]]]:
        moods = [lambda mood=mood: self._be(mood) for mood in Mood if mood is not Mood.HONEST]
        each_round = [
            self._flush_redis,
            self._kill_redis,
            self._restart_postgres,
            self._crash_postgres,
            self._kill_reconciler,
            *moods,
        ]
        return [
            *[self._kill] * plan.kills,
            *[self._stop] * plan.stops,
            *[self._freeze] * plan.freezes,
            *[self._hold_up] * plan.rounds,
            *each_round * plan.rounds,
            self._kill_recall,
        ]

    def _take_down(self, who: str) -> None:
        if self._crew.poison(who):
            self.poison_kills += 1
            self._say(f"a poisoned text took {who} down")

    async def _kill(self) -> None:
        """Whenever it comes to it: a worker that was killed a moment ago is killed again once it is back."""
        one = self._draw.choice(self._crew.workers)
        await one.start()
        self.kills += await one.replace(signal.SIGKILL)
        self._note("kill", f"{one.name} killed, number {self.kills}")

    async def _stop(self) -> None:
        one = self._draw.choice(self._crew.workers)
        self._note("stop", f"{one.name} is told to end")
        await one.replace(signal.SIGTERM)

    async def _freeze(self) -> None:
        async with self._busy_worker() as one:
            self._note("freeze", f"{one.name} stands still, past its lease")
            await one.freeze(LEASE_S + self._draw.uniform(1, 2.5))

    async def _hold_up(self) -> None:
        async with self._busy_worker() as one:
            self._note("hold_up", f"{one.name} is cut off from the database, past its lease")
            await one.wire.hold_up(LEASE_S + self._draw.uniform(1, 2.5))

    @asynccontextmanager
    async def _busy_worker(self) -> AsyncGenerator[Member]:
        """A worker that waits for vectors when it is entered (any, when none does for long), and is nobody else's."""
        deadline = asyncio.get_running_loop().time() + _BUSY_TIMEOUT_S
        while True:
            free = [one for one in self._crew.workers if one.is_running and one.name not in self._taken]
            is_late = asyncio.get_running_loop().time() > deadline
            busy = [one for one in free if is_late or self._embedding.is_asked_by(one.name)]
            if busy:
                break
            await asyncio.sleep(0.02)
        one = self._draw.choice(busy)
        self._taken.add(one.name)
        try:
            yield one
        finally:
            self._taken.discard(one.name)

    async def _kill_reconciler(self) -> None:
        one = self._draw.choice(self._crew.reconcilers)
        self._note("reconciler", f"{one.name} killed")
        await one.replace(signal.SIGKILL)

    async def _kill_recall(self) -> None:
        self._note("recall", "recall killed")
        await self._stack.kill(Part.RECALL)

    async def _be(self, mood: Mood) -> None:
        async with self._one_mood:
            self._note(f"embedding_{mood.value}", f"the embedding server is {mood.value}")
            self._embedding.mood = mood
            await asyncio.sleep(_MOOD_S)
            self._embedding.mood = Mood.HONEST

    async def _flush_redis(self) -> None:
        self._note("flush", "Redis flushed")
        client = make_client(self._stack.redis_url, _REDIS_TIMEOUT_S)
        with suppress(RedisError, OSError):
            await cast("Callable[[], Awaitable[object]]", client.flushall)()  # the library leaves it without a type
        await client.aclose()

    async def _kill_redis(self) -> None:
        self._note("redis", "Redis killed")
        await self._stack.kill(Part.VALKEY)

    async def _restart_postgres(self) -> None:
        async with self._one_restart:
            self._note("postgres_fast", "PostgreSQL restarted, fast")
            await self._stack.stop_child(Part.POSTGRES)
            await self._stack.start_child(Part.POSTGRES)

    async def _crash_postgres(self) -> None:
        """An immediate shutdown: the server comes back by its log."""
        async with self._one_restart:
            pid = self._stack.pid(Part.POSTGRES)
            self._note("postgres_immediate", "PostgreSQL restarted, immediate")
            if pid is not None:
                os.kill(pid, signal.SIGQUIT)
            for _ in range(_RESTART_LOOKS):
                await asyncio.sleep(0.1)
                if self._stack.pid(Part.POSTGRES) not in {pid, None}:
                    return

    def _note(self, name: str, text: str) -> None:
        self.happened[name] += 1
        self._say(text)
