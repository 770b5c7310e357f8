"""Workers and reconcilers that are killed, frozen, cut off and started again."""

import asyncio
import contextlib
import os
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

from chaos_wire import Wire
from rensou_embedded.child import mortal_command
from rensou_embedded.settings import clean_environ

_LOOK_S = 0.2
_STOP_TIMEOUT_S = 30.0


@dataclass(slots=True)
class Member:
    """One process of the deployment; `log_path` holds what all processes that it has been wrote."""

    name: str
    arguments: tuple[str, ...]
    environ: dict[str, str]
    log_path: Path
    wire: Wire
    process: asyncio.subprocess.Process | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.returncode is None

    async def start(self) -> None:
        """Starts the process, if it does not run."""
        async with self.turn:
            await self._start()

    async def _start(self) -> None:
        if self.is_running:
            return
        argv = (sys.executable, "-P", "-m", "rensou_nodeworker", *self.arguments)
        command = mortal_command(argv, signal.SIGKILL, None)
        with self.log_path.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(*command, env=self.environ, stderr=log, stdout=log)

    def send(self, number: signal.Signals) -> bool:
        """Whether the process was there to be sent the signal."""
        if self.process is None or self.process.returncode is not None:
            return False
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
            return True
        return False

    async def replace(self, number: signal.Signals) -> bool:
        """Ends the process by the signal and starts another; whether there was one."""
        async with self.turn:
            was_running = self.send(number)
            if self.process is not None:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.process.wait(), _STOP_TIMEOUT_S)
            self.send(signal.SIGKILL)
            await self._start()
        return was_running

    async def freeze(self, seconds: float) -> None:
        """Lets the process stand still for so long; it goes on as if nothing had happened."""
        self.send(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            self.send(signal.SIGCONT)

    async def end(self) -> None:
        """Kills the process for good."""
        async with self.turn:
            if self.send(signal.SIGKILL) and self.process is not None:
                await self.process.wait()


@dataclass(frozen=True, slots=True)
class Crew:
    """The workers and the reconcilers."""

    workers: tuple[Member, ...]
    reconcilers: tuple[Member, ...]

    @property
    def everybody(self) -> tuple[Member, ...]:
        return (*self.workers, *self.reconcilers)

    async def keep(self) -> None:
        """Starts again whoever has gone, until it is cancelled."""
        while True:
            for one in self.everybody:
                if not one.is_running:
                    await one.start()
            await asyncio.sleep(_LOOK_S)

    def poison(self, name: str) -> bool:
        """Kills the worker of that name; whether it was there."""
        return any(one.send(signal.SIGKILL) for one in self.workers if one.name == name)

    def said(self, event: str) -> int:
        """How often anybody logged the event, those that were killed since among them."""
        return sum(one.log_path.read_bytes().count(event.encode()) for one in self.everybody if one.log_path.exists())


def member(name: str, arguments: tuple[str, ...], folder: Path, wire: Wire, settings: dict[str, str]) -> Member:
    """A process that is not started yet; `settings` are RENSOU_<NAME>."""
    environ = {name: value for name, value in clean_environ(os.environ).items() if not name.startswith("RENSOU_")}
    environ |= {"NO_PROXY": "127.0.0.1,localhost", "RENSOU_DATABASE_URL": wire.dsn}
    environ |= {f"RENSOU_{key.upper()}": value for key, value in settings.items()}
    return Member(name, arguments, environ, folder / f"{name}.log", wire)
