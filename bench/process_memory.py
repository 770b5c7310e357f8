"""Memory of processes, read from /proc."""

from pathlib import Path

from rensou_embedded.errors import StackError


def peak_mb(pid: int | None) -> float:
    """The largest resident megabytes that a process has had.

    Raises:
        StackError: It does not run.
    """
    return _value(_existing(pid) / "status", "VmHWM:")


def family_mb(pid: int | None) -> float:
    """Megabytes of a process and of those it started; what they share counts once.

    Raises:
        StackError: It does not run.
    """
    own = _existing(pid)
    members = [own]
    for task in own.glob("task/*/children"):
        members += [Path("/proc", child) for child in task.read_text(encoding="ascii").split()]
    total = 0.0
    for member in members:
        try:
            total += _value(member / "smaps_rollup", "Pss:")
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended meanwhile
    return total


def _existing(pid: int | None) -> Path:
    if pid is None:
        raise StackError("a process of the stack ended during the measurement")
    return Path("/proc", str(pid))


def _value(path: Path, name: str) -> float:
    """The kilobytes after the name, in megabytes."""
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    raise StackError(f"{path} names no {name}")
