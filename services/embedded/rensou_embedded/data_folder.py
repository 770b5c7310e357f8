"""The stack's folder: one owner at a time, what it remembers between runs, where each part keeps its things."""

import asyncio
import fcntl
import json
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rensou_embedded.account import postgres_account
from rensou_embedded.errors import DataFolderError
from rensou_embedded.files import write_private
from rensou_embedded.postgres_files import make_private_dir

_STATE_NAME = "stack.json"
_LOCK_NAME = "lock"
_LOCK_TIMEOUT_S = 2.0
_LOCK_POLL_S = 0.05
_PRIVATE_MODE = 0o700
_TRAVERSABLE_MODE = 0o711
"""As root: PostgreSQL's account passes through to its own folder and sees nothing else."""


@dataclass(frozen=True, slots=True)
class StackState:
    """What a run leaves to the next: clients find the same ports, servers the same secrets."""

    ports: Mapping[str, int]
    valkey_password: str
    embedding_token: str


class DataFolder:
    """The folder, made when it is missing and held from `hold` to `release`."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._lock: int | None = None

    @property
    def children_path(self) -> Path:
        """Names the processes of the last run."""
        return self.path / "children.json"

    def log_path(self, name: str) -> Path:
        """Where the process `name` writes."""
        return self.path / "logs" / f"{name}.log"

    @property
    def valkey_dir(self) -> Path:
        return self.path / "valkey"

    async def hold(self) -> None:
        """Make the folder and take its lock; the kernel gives it up when this process dies.

        Waits a moment for a holder that is just dying.

        Raises:
            DataFolderError: another stack holds it, or the folder is somebody else's.
        """
        self._make()
        lock = os.open(self.path / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not await _lock_within(lock, _LOCK_TIMEOUT_S):
            holder = os.read(lock, 32).decode("ascii", "replace").strip()
            os.close(lock)
            raise DataFolderError(f"{self.path} is in use by another rensou stack, process {holder or '?'}")
        os.truncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        self._lock = lock
        for folder in (self.path / "logs", self.valkey_dir):
            make_private_dir(folder, None)

    def release(self) -> None:
        """Give the lock up."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def load_state(self) -> StackState:
        """Return what the last run left; fresh secrets and no ports when there was none, or its file is damaged."""
        try:
            kept = json.loads((self.path / _STATE_NAME).read_text())
            ports = {str(name): int(port) for name, port in kept["ports"].items()}
            return StackState(ports, str(kept["valkey_password"]), str(kept["embedding_token"]))
        except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):
            return StackState({}, secrets.token_urlsafe(24), secrets.token_urlsafe(24))

    def save_state(self, state: StackState) -> None:
        """Keep `state` for the next run."""
        fields = {
            "ports": dict(state.ports),
            "valkey_password": state.valkey_password,
            "embedding_token": state.embedding_token,
        }
        write_private(self.path / _STATE_NAME, json.dumps(fields, indent=2) + "\n")

    def _make(self) -> None:
        mode = _PRIVATE_MODE if postgres_account() is None else _TRAVERSABLE_MODE
        try:
            self.path.mkdir(mode=0o755, parents=True, exist_ok=True)
            if self.path.stat().st_uid != os.geteuid():
                raise DataFolderError(f"{self.path} belongs to another user: choose another folder with --data-dir")
            if any(self.path.iterdir()) and not (self.path / _LOCK_NAME).exists():
                raise DataFolderError(f"{self.path} holds something else: choose an empty or a new folder")
            self.path.chmod(mode)
        except OSError as error:
            raise DataFolderError(f"{self.path} cannot be used as data folder: {error}") from error


async def _lock_within(descriptor: int, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(_LOCK_POLL_S)
        else:
            return True
