"""The account that PostgreSQL runs under: it refuses root, so that as root it gets an account without rights."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from rensou_embedded.errors import DataFolderError

_UNPRIVILEGED_NAME = "nobody"


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine."""

    name: str
    uid: int
    gid: int


def postgres_account() -> Account | None:
    """Return the account to change to; None to stay as we are.

    Raises:
        DataFolderError: we are root and this machine has no unprivileged account.
    """
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(_UNPRIVILEGED_NAME)
    except KeyError as error:
        raise DataFolderError(
            f"PostgreSQL does not run as root and this machine has no account {_UNPRIVILEGED_NAME!r}: "
            "add one, or run rensou as an ordinary user"
        ) from error
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def find_closed_folder(path: Path, account: Account) -> Path | None:
    """Return the first folder on the way down to `path`, itself included, that `account` may not enter."""
    resolved = path.resolve()
    for folder in (*reversed(resolved.parents), resolved):
        if folder.is_dir() and not _may_enter(folder.stat(), account):
            return folder
    return None


def _may_enter(status: os.stat_result, account: Account) -> bool:
    if status.st_uid == account.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == account.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)
