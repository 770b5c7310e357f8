"""One child process: what it is, how it is started so that it never outlives us, how its end is noticed."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rensou_embedded.account import Account
from rensou_embedded.errors import ChildError

_LAUNCHER = Path(__file__).with_name("launcher.py")
_MAX_LOG_BYTES = 16 * 1024 * 1024
_TAIL_BYTES = 2_000


async def _do_nothing() -> None:
    return None


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """How to run one process of the stack."""

    name: str
    argv: tuple[str, ...]
    environ: Mapping[str, str]
    """The whole environment of the process; nothing is inherited."""
    log_path: Path
    is_ready: Callable[[], Awaitable[bool]] | None = None
    """Asked every 50 ms until it says yes; None: ready when still running after `settle_s`."""
    prepare: Callable[[], Awaitable[None]] = _do_nothing
    """Run before each start, restarts included."""
    account: Account | None = None
    """Whom the process runs as; None: as we do."""
    stop_signal: signal.Signals = signal.SIGTERM
    """Asks it to end in good order; also what the kernel sends it when we die."""
    settle_s: float = 0.3
    ready_timeout_s: float = 60.0
    stop_timeout_s: float = 20.0


def spawn(child: ChildProcess, process_group: int) -> "subprocess.Popen[bytes]":
    """Start `child` with its output appended to its log; `process_group` 0 makes it the leader of a new one.

    Must be called on a thread that lives as long as the stack: the kernel ties the child's life to it.

    Raises:
        ChildError: the program cannot be started.
    """
    if not os.access(child.argv[0], os.X_OK):
        raise ChildError(f"{child.name} cannot be started: {child.argv[0]} is not a program that may be run")
    # Closed to everybody else: logs name files and addresses.
    log = os.open(child.log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return subprocess.Popen(
            mortal_command(child.argv, child.stop_signal, child.account),
            env=dict(child.environ),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            process_group=process_group,
            umask=0o077,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ChildError(f"{child.name} cannot be started: {error}") from error
    finally:
        os.close(log)


def watch_end(process: "subprocess.Popen[bytes]") -> "asyncio.Future[int]":
    """Return a future of the exit code (negative: the signal). A thread waits, so that any event loop will do."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()

    def settle(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    def wait() -> None:
        code = process.wait()
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, code)

    threading.Thread(target=wait, name=f"wait-{process.pid}", daemon=True).start()
    return ended


def rotate_log(path: Path) -> None:
    """Put a log that has grown large aside as `.1`, over the one before."""
    if path.exists() and path.stat().st_size > _MAX_LOG_BYTES:
        path.replace(path.with_name(path.name + ".1"))


def log_size(path: Path) -> int:
    """Return the bytes that the log holds so far."""
    return path.stat().st_size if path.exists() else 0


def read_log_tail(path: Path, start: int) -> str:
    """Return the last lines of a log from byte `start` on: why a process that began there did not come up."""
    if not path.exists():
        return ""
    with path.open("rb") as log:
        log.seek(max(start, log_size(path) - _TAIL_BYTES))
        return log.read().decode("utf-8", "replace").strip()


def describe_end(code: int) -> str:
    """Say how a process ended: `exit code 1`, `killed by SIGKILL`."""
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"


def mortal_command(argv: Sequence[str], death_signal: signal.Signals, account: Account | None) -> tuple[str, ...]:
    """Return the command that runs `argv` as `account` (None: as we are) and ends it by `death_signal` when we die.

    It is tied to the *thread* that starts it, which has to live as long as the process is wanted.
    """
    uid, gid = (account.uid, account.gid) if account else (-1, -1)
    numbers = (int(death_signal), os.getpid(), uid, gid)
    return (sys.executable, "-I", "-S", str(_LAUNCHER), *(str(number) for number in numbers), *argv)
