"""PostgreSQL's folders: the cluster, made whole or not at all; the socket; the lock a killed server leaves."""

import asyncio
import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from rensou_embedded.account import Account
from rensou_embedded.child import mortal_command
from rensou_embedded.errors import ChildError, DataFolderError

SOCKET_NAME = ".s.PGSQL.5432"
_MAX_SOCKET_PATH_BYTES = 107
"""sun_path is 108 bytes on Linux, its closing NUL included."""
_POLL_S = 0.05


def make_cluster(bin_dir: Path, cluster_dir: Path, account: Account | None) -> None:
    """Run initdb unless `cluster_dir` is there: beside it, renamed at the end, so that a crash leaves no half of one.

    Raises:
        ChildError: initdb failed; with what it said.
    """
    if cluster_dir.exists():
        return
    fresh = cluster_dir.with_name(cluster_dir.name + ".new")
    if fresh.exists():
        shutil.rmtree(fresh)
    make_private_dir(fresh, account)
    # The built-in provider orders by code point on every machine, whatever locales its C library has.
    locale = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8")
    auth = ("--username=postgres", "--auth-local=trust", "--auth-host=reject")
    command = (str(bin_dir / "initdb"), "--pgdata", str(fresh), *locale, *auth, "--no-instructions")
    finished = subprocess.run(
        mortal_command(command, signal.SIGKILL, account),
        env=postgres_environ(),
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if finished.returncode != 0:
        raise ChildError(f"initdb failed: {finished.stderr.decode('utf-8', 'replace').strip()}")
    fresh.rename(cluster_dir)


def postgres_environ() -> dict[str, str]:
    """Return the whole environment of PostgreSQL's programs: no PG* variable of the caller reaches them."""
    return {"PATH": os.defpath, "LANG": "C", "LC_ALL": "C", "TZ": "UTC"}


def make_socket_dir(data_dir: Path, account: Account | None) -> Path:
    """Make the socket's folder, entered by its owner alone (and root), and return it.

    It is in the data folder, or in a short one under the temporary folder when that path is too long for a socket.

    Raises:
        DataFolderError: the short folder is somebody else's.
    """
    preferred = data_dir / "run"
    if _fits_socket_path(preferred):
        make_private_dir(preferred, account)
        return preferred
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]
    name = f"rensou-{os.geteuid()}-{digest}"
    temporary = (Path(tempfile.gettempdir()), Path("/tmp"))  # noqa: S108  # make_private_dir refuses a foreign folder
    short = next(folder / name for folder in temporary if _fits_socket_path(folder / name))
    make_private_dir(short, account)
    return short


def make_private_dir(path: Path, account: Account | None) -> None:
    """Make `path` (or take it when it is ours) with mode 0700, owned by `account`, or by us.

    Raises:
        DataFolderError: it is not a folder, or another user's.
    """
    uid, gid = (account.uid, account.gid) if account else (os.geteuid(), os.getegid())
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    # By descriptor and never through a link: in a shared temporary folder others could have put one there.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise DataFolderError(f"{path} must be a folder of ours: {error}") from error
    try:
        if os.fstat(descriptor).st_uid not in (uid, os.geteuid()):
            raise DataFolderError(f"{path} belongs to another user: remove it, or choose another --data-dir")
        os.fchown(descriptor, uid, gid)
        os.fchmod(descriptor, 0o700)
    finally:
        os.close(descriptor)


async def release_cluster(cluster_dir: Path, socket_dir: Path, timeout_s: float) -> None:
    """Wait for servers that still have the cluster open, then remove the lock files that a killed one left behind.

    PostgreSQL takes a lock for live when *any* process of its user has the number in it, as happens after a restart of
    a container. Removing it is safe only because no server process, session or main, works in the folder any more.

    Raises:
        ChildError: after `timeout_s` one is still there.
    """
    deadline = time.monotonic() + timeout_s
    while pids := find_servers(cluster_dir):
        if time.monotonic() >= deadline:
            raise ChildError(f"{cluster_dir} is in use by another PostgreSQL server, process {pids[0]}: stop it first")
        await asyncio.sleep(_POLL_S)
    for lock in (cluster_dir / "postmaster.pid", socket_dir / f"{SOCKET_NAME}.lock", socket_dir / SOCKET_NAME):
        lock.unlink(missing_ok=True)


def find_servers(cluster_dir: Path) -> list[int]:
    """Return the PostgreSQL processes that work in the cluster, ascending. Each has it as its working directory."""
    processes = (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return sorted(int(process.name) for process in processes if _works_in(process, cluster_dir))


def _works_in(process: Path, cluster_dir: Path) -> bool:
    try:
        program = (process / "exe").readlink().name.removesuffix(" (deleted)")
        return program == "postgres" and (process / "cwd").samefile(cluster_dir)
    except OSError:
        # It is gone, or another user's: the cluster's folder is open to its own user alone.
        return False


def _fits_socket_path(folder: Path) -> bool:
    return len(os.fsencode(folder / SOCKET_NAME)) <= _MAX_SOCKET_PATH_BYTES
