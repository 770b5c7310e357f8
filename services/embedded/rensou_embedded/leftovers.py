"""Processes of a run that was killed: they are on their way out, and the next run waits for them."""

import asyncio
import json
import os
import signal
import time
from pathlib import Path

from rensou_embedded.errors import StackError
from rensou_embedded.files import write_private

_POLL_S = 0.05
_GRACE_S = 20.0
_KILL_WAIT_S = 5.0
_START_TICKS_FIELD = 19
"""Field 22 of /proc/PID/stat, counted from after the parenthesised name."""


def read_start_ticks(pid: int) -> int | None:
    """Return when process `pid` started, in clock ticks since boot; None when it does not run (a zombie does not)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else int(fields[_START_TICKS_FIELD])


class ChildRegistry:
    """A file naming the children of this run. Process ids are used again, so that each is kept with its start."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._children: dict[str, tuple[int, int]] = {}

    def note(self, name: str, pid: int) -> None:
        """Remember that `name` now runs as `pid`."""
        ticks = read_start_ticks(pid)
        if ticks is not None:
            self._children[name] = (pid, ticks)
            write_private(self._path, json.dumps(self._children))

    async def wait_for_former(self, unkillable: frozenset[str]) -> None:
        """Return once no child of the former run is left; those that do not go by themselves are killed.

        Raises:
            StackError: one named in `unkillable` is still there.
        """
        former = self._read()
        await _until_gone(former, _GRACE_S)
        for name, (pid, ticks) in former.items():
            if read_start_ticks(pid) != ticks:
                continue
            if name in unkillable:
                raise StackError(f"{name} of an earlier run is still running as process {pid}: stop it first")
            os.kill(pid, signal.SIGKILL)
        await _until_gone(former, _KILL_WAIT_S)

    def _read(self) -> dict[str, tuple[int, int]]:
        try:
            noted = json.loads(self._path.read_text())
            return {str(name): (int(pid), int(ticks)) for name, (pid, ticks) in noted.items()}
        except (FileNotFoundError, ValueError, TypeError, AttributeError):
            # A file that a crash left half-written names nobody; the servers' own locks still stand.
            return {}


async def _until_gone(children: dict[str, tuple[int, int]], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if all(read_start_ticks(pid) != ticks for pid, ticks in children.values()):
            return
        await asyncio.sleep(_POLL_S)
