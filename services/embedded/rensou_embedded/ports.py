"""Loopback ports for the stack's own servers."""

import socket

LOOPBACK = "127.0.0.1"


def is_free(port: int) -> bool:
    """Whether a server could listen on the loopback `port` now (one that just closed counts as free)."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def pick_ports(wanted: dict[str, int | None]) -> dict[str, int]:
    """Return a port for each name: the wanted one when it is free, else one of the system's choosing; all different."""
    sockets: list[socket.socket] = []
    picked: dict[str, int] = {}
    try:
        for name, port in wanted.items():
            holder = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            sockets.append(holder)
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind((LOOPBACK, port if port is not None and is_free(port) else 0))
            picked[name] = holder.getsockname()[1]
    finally:
        for holder in sockets:
            holder.close()
    return picked
