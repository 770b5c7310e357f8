"""Where the bundled PostgreSQL's programs are, for the account that runs them."""

import os
import shutil
from importlib.metadata import version
from pathlib import Path

from rensou_embedded.account import Account, find_closed_folder
from rensou_embedded.bundled import POSTGRES_WHEEL, find_postgres_bin_dir
from rensou_embedded.errors import DataFolderError


def reachable_bin_dir(account: Account | None, data_dir: Path) -> Path:
    """Return a folder of the programs that `account` may enter: the wheel's, else a copy (38 MB) in the data folder.

    Raises:
        DataFolderError: the account cannot enter the data folder either.
    """
    bundled = find_postgres_bin_dir()
    if account is None or find_closed_folder(bundled, account) is None:
        return bundled
    refuse_closed_folder(data_dir, account)
    return _copy_install(bundled.parent, data_dir / f"postgresql-{version(POSTGRES_WHEEL)}") / "bin"


def refuse_closed_folder(path: Path, account: Account) -> None:
    """Raise DataFolderError when `account` cannot reach `path`, naming the folder that is in the way."""
    if (closed := find_closed_folder(path, account)) is not None:
        raise DataFolderError(
            f"as root, rensou runs PostgreSQL as {account.name!r}, and {account.name!r} may not enter {closed}: "
            "choose another folder with --data-dir, or run rensou as an ordinary user"
        )


def _copy_install(install_dir: Path, target: Path) -> Path:
    """Copy the install beside its libraries, laid out as in the wheel: the programs find them by relative path."""
    package, libraries = install_dir.parent, install_dir.parent.with_name(install_dir.parent.name + ".libs")
    copied = target / package.name / install_dir.name
    if not target.exists():
        partial = target.with_name(target.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o755)
        shutil.copytree(install_dir, partial / package.name / install_dir.name, symlinks=True)
        shutil.copytree(libraries, partial / libraries.name, symlinks=True)
        _open_to_all(partial)
        partial.rename(target)
    return copied


def _open_to_all(root: Path) -> None:
    """Let every account read and enter below `root`, whatever the umask was: these are the wheel's public files."""
    root.chmod(0o755)
    for folder, names, files in os.walk(root):
        for name in (*names, *files):
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod(
                    path.stat().st_mode | (0o055 if path.is_dir() else 0o044 | (path.stat().st_mode >> 3 & 0o011))
                )
