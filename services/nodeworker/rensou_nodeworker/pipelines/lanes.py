"""Many builds at once, or one alone."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Lanes:
    """Builds that never took a worker down run side by side; one that did runs alone, so that blame is certain.

    Who wants to be alone goes first: what arrives later waits. For one event loop.
    """

    def __init__(self) -> None:
        self._sharing = 0
        self._wanting_alone = 0
        self._alone = False
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def shared(self) -> AsyncGenerator[None]:
        """While inside, nobody is alone."""
        while self._wanting_alone:
            await self._changed.wait()
        self._sharing += 1
        try:
            yield
        finally:
            self._sharing -= 1
            self._wake()

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """While inside, nobody else is inside."""
        self._wanting_alone += 1
        try:
            while self._sharing or self._alone:
                await self._changed.wait()
            self._alone = True
            try:
                yield
            finally:
                self._alone = False
        finally:
            self._wanting_alone -= 1
            self._wake()

    def _wake(self) -> None:
        # A new event for whoever looks again and still has to wait.
        self._changed.set()
        self._changed = asyncio.Event()
