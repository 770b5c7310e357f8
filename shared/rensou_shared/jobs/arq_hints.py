"""Hints through arq's queue in Redis."""

import asyncio
import time
from collections.abc import Callable

from prometheus_client import Counter
from redis.exceptions import RedisError

from rensou_shared.jobs.hints import HINT_LIFETIME_S, QUEUE_NAME, TASK_NAME, BuildHint
from rensou_shared.jobs.redis_client import make_client, ping
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

HINT_FAILURES = Counter(
    "rensou_build_hint_failures", "Hints that Redis did not take, or that were not tried after one."
)


class ArqHintSender:
    """A `HintSender`. It needs no Redis to start, and finds Redis again by itself when it returns."""

    def __init__(
        self,
        redis_url: str,
        timeout_s: float = 0.25,
        pause_s: float = 1.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepares a client; `pause_s` after a failure nothing is tried, so that callers do not wait one by one.

        Raises:
            ConfigurationError: The address is none of Redis.
        """
        self._redis = make_client(redis_url, timeout_s)
        self._timeout_s = timeout_s
        self._pause_s = pause_s
        self._now = now
        self._paused_until = now()
        self._failing = False

    async def send(self, hint: BuildHint) -> bool:
        """Whether the hint is in the queue now (also when it was there already)."""
        if self._now() < self._paused_until:
            HINT_FAILURES.inc()
            return False
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._enqueue(hint)
        except (RedisError, OSError, TimeoutError) as error:
            self._note_failure(error)
            return False
        if self._failing:
            _log.info("redis_takes_hints_again")
        self._failing = False
        return True

    async def depth(self) -> int | None:
        """How many hints wait in the queue, taken ones that are not ended yet among them; None without an answer."""
        if self._now() < self._paused_until:
            return None
        try:
            async with asyncio.timeout(self._timeout_s):
                return int(await self._redis.zcard(QUEUE_NAME))
        except (RedisError, OSError, TimeoutError) as error:
            self._note_failure(error)
            return None

    async def fault(self) -> str | None:
        """Why hints cannot be sent now, or None when Redis answers."""
        try:
            async with asyncio.timeout(self._timeout_s):
                await ping(self._redis)
        except (RedisError, OSError, TimeoutError) as error:
            return f"Redis does not answer: {type(error).__name__}"
        return None

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._redis.aclose(close_connection_pool=True)

    async def _enqueue(self, hint: BuildHint) -> None:
        await self._redis.enqueue_job(
            TASK_NAME,
            hint.agent_id,
            hint.build_id,
            hint.attempt,
            _job_id=hint.job_id,
            _queue_name=QUEUE_NAME,
            _expires=HINT_LIFETIME_S,
        )

    def _note_failure(self, error: Exception) -> None:
        HINT_FAILURES.inc()
        self._paused_until = self._now() + self._pause_s
        if not self._failing:
            _log.warning("redis_takes_no_hints", error=type(error).__name__)
        self._failing = True
