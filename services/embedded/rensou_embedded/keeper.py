"""Keeps one child process running: starts it, waits until it is ready, starts it again when it crashes."""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable

from rensou_embedded.child import ChildProcess, describe_end, log_size, read_log_tail, rotate_log, spawn, watch_end
from rensou_embedded.console import Console
from rensou_embedded.errors import ChildError, StackError

_PROBE_INTERVAL_S = 0.05
_FIRST_DELAY_S = 0.5
_LAST_DELAY_S = 10.0
_STEADY_S = 30.0
"""A process that ran this long is not in a crash loop: the delay starts over."""


class Keeper:
    """The life of one child. `process_group` says which group a new process joins."""

    def __init__(
        self,
        child: ChildProcess,
        console: Console,
        process_group: Callable[[], int],
        on_spawn: Callable[[str, int], None],
    ) -> None:
        self.child = child
        self._console = console
        self._process_group = process_group
        self._on_spawn = on_spawn
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0
        self._ended: asyncio.Future[int] | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process id; None while it does not run."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    @property
    def is_kept(self) -> bool:
        """Whether a crash would be answered by a restart."""
        return self._watch is not None

    async def start(self) -> None:
        """Start the child and return when it is ready; from then on it is kept running.

        Raises:
            ChildError: it did not become ready; it does not run then.
        """
        if self.is_kept:
            raise ChildError(f"{self.child.name} is already running")
        await self._launch()
        self._watch = asyncio.create_task(self._keep(), name=f"keep-{self.child.name}")

    async def stop(self) -> None:
        """End the child in good order, by force when it takes too long; it stays stopped."""
        await self._unwatch()
        process, ended = self._process, self._ended
        if process is None or ended is None or ended.done():
            return
        process.send_signal(self.child.stop_signal)
        done, _ = await asyncio.wait([ended], timeout=self.child.stop_timeout_s)
        if not done:
            self._console.warn(f"{self.child.name} did not end within {self.child.stop_timeout_s:g} s and is killed")
            await self._kill_now()

    async def kill(self, *, restart: bool = True) -> None:
        """Send SIGKILL, as a crash would; with `restart` the child comes back by itself."""
        if not restart:
            await self._unwatch()
        await self._kill_now()

    async def _kill_now(self) -> None:
        if self._process is not None and self._ended is not None:
            self._process.send_signal(signal.SIGKILL)
            await asyncio.wait([self._ended])

    async def _unwatch(self) -> None:
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    async def _launch(self) -> None:
        await self.child.prepare()
        rotate_log(self.child.log_path)
        self._log_start = log_size(self.child.log_path)
        process = spawn(self.child, self._process_group())
        self._process = process
        self._ended = watch_end(process)
        self._on_spawn(self.child.name, process.pid)
        try:
            await self._until_ready(self._ended)
        except BaseException:
            await self._kill_now()
            raise

    async def _until_ready(self, ended: "asyncio.Future[int]") -> None:
        deadline = time.monotonic() + self.child.ready_timeout_s
        settled = time.monotonic() + self.child.settle_s
        while True:
            if ended.done():
                raise self._failure(f"ended with {describe_end(ended.result())}")
            if self.child.is_ready is None:
                if time.monotonic() >= settled:
                    return
            elif await self.child.is_ready():
                return
            if time.monotonic() >= deadline:
                raise self._failure(f"was not ready after {self.child.ready_timeout_s:g} s")
            await asyncio.wait([ended], timeout=_PROBE_INTERVAL_S)

    async def _keep(self) -> None:
        delay_s = _FIRST_DELAY_S
        started = time.monotonic()
        while self._ended is not None:
            code = await asyncio.shield(self._ended)
            if time.monotonic() - started > _STEADY_S:
                delay_s = _FIRST_DELAY_S
            self._console.warn(
                f"{self.child.name} ended with {describe_end(code)}; starting it again in {delay_s:g} s"
                f" (log: {self.child.log_path})"
            )
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 2, _LAST_DELAY_S)
            started = time.monotonic()
            try:
                await self._launch()
            except (StackError, OSError) as error:
                self._console.warn(str(error))
            else:
                self._console.say(f"{self.child.name} is running again (pid {self.pid})")

    def _failure(self, what: str) -> ChildError:
        tail = read_log_tail(self.child.log_path, self._log_start)
        return ChildError(f"{self.child.name} {what}; the end of {self.child.log_path}:{os.linesep}{tail}")
