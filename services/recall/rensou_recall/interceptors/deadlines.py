"""Every call ends in time: the client's deadline, within the server's default and maximum."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from rensou_recall.types.call import Call, Principal

T = TypeVar("T")


class CallClock:
    """Starts calls and ends them at their deadline."""

    def __init__(self, default_s: float, maximum_s: float) -> None:
        self._default_s = default_s
        self._maximum_s = maximum_s

    def start(self, principal: Principal, client_remaining_s: float | None) -> Call:
        """The call of `principal`; without a deadline of the client's it may take the default."""
        asked = self._default_s if client_remaining_s is None else client_remaining_s
        return Call(principal, asyncio.get_running_loop().time() + min(asked, self._maximum_s))

    @staticmethod
    async def run(call: Call, work: Awaitable[T]) -> T:
        """What `work` gives.

        Raises:
            TimeoutError: The deadline passed first; the work was cancelled.
        """
        async with asyncio.timeout_at(call.deadline_at):
            return await work
