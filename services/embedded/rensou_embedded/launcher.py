"""Becomes another program that dies with the process that started it. Run by path, on the standard library alone.

    python -I -S launcher.py DEATH_SIGNAL PARENT_PID UID GID PROGRAM [ARGUMENT …]      (UID and GID -1: as we are)

Done in a process of its own and not between fork and exec in the parent: code there runs in a copy of a process whose
other threads (gRPC's above all) are gone with their locks held.
"""

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1
_FAILED = 127


def launch(death_signal: int, parent_pid: int, uid: int, gid: int, argv: list[str]) -> None:
    """Replace this process by `argv`; returns never.

    Raises:
        OSError: the account cannot be taken, or the program cannot be run.
    """
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    # After the change of account, which clears it; it outlives exec.
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() == parent_pid:
        os.execv(argv[0], argv)  # noqa: S606  # the arguments are ours and no shell reads them
    # The parent died before the kernel knew of the wish.
    sys.exit(_FAILED)


if __name__ == "__main__":
    try:
        death_signal, parent_pid, uid, gid = (int(number) for number in sys.argv[1:5])
        launch(death_signal, parent_pid, uid, gid, sys.argv[5:])
    except OSError as error:
        print(f"cannot run {sys.argv[5]}: {error}", file=sys.stderr)
        sys.exit(_FAILED)
