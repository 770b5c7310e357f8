"""Runs the stack's processes in one process group: started in order, kept running, stopped in reverse order."""

import contextlib
import os
from collections.abc import Callable

from rensou_embedded.child import ChildProcess
from rensou_embedded.console import Console
from rensou_embedded.errors import ChildError
from rensou_embedded.keeper import Keeper


def _ignore(_name: str, _pid: int) -> None:
    return None


class Supervisor:
    """The processes by name. They share a group of their own, so that Ctrl-C reaches us alone and order is kept."""

    def __init__(self, console: Console, on_spawn: Callable[[str, int], None] = _ignore) -> None:
        self._console = console
        self._on_spawn = on_spawn
        self._keepers: dict[str, Keeper] = {}

    async def start(self, child: ChildProcess) -> None:
        """Start `child` and return when it is ready.

        Raises:
            ChildError: it did not come up, or its name is taken.
        """
        if child.name in self._keepers:
            raise ChildError(f"{child.name} is already part of the stack")
        self._keepers[child.name] = Keeper(child, self._console, self._process_group, self._on_spawn)
        with self._console.step(f"starting {child.name}"):
            await self._keepers[child.name].start()

    async def stop(self) -> None:
        """Stop every process, the last started first; also what runs already when a later one never came up."""
        for name in reversed(self._keepers):
            await self._keepers[name].stop()
        self._keepers.clear()

    async def stop_child(self, name: str) -> None:
        """Stop one process in good order; it stays stopped until `start_child`."""
        await self._keeper(name).stop()

    async def start_child(self, name: str) -> None:
        """Start a stopped process again and return when it is ready."""
        await self._keeper(name).start()

    async def kill(self, name: str, *, restart: bool = True) -> None:
        """Send SIGKILL to one process; with `restart` it comes back by itself after a delay."""
        await self._keeper(name).kill(restart=restart)

    def pid(self, name: str) -> int | None:
        """Return the process id of `name`; None while it does not run."""
        return self._keeper(name).pid

    def _keeper(self, name: str) -> Keeper:
        if name not in self._keepers:
            raise ChildError(f"{name} is not part of this stack; it has {', '.join(self._keepers) or 'nothing'}")
        return self._keepers[name]

    def _process_group(self) -> int:
        """Return the group of the running children; 0, a new one, when none runs."""
        for keeper in self._keepers.values():
            if (pid := keeper.pid) is not None:
                with contextlib.suppress(ProcessLookupError):
                    return os.getpgid(pid)
        return 0
