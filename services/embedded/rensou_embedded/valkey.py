"""The bundled Valkey as a child process on a loopback port, behind a password that only its files know."""

from dataclasses import dataclass
from pathlib import Path

import redis.exceptions

from rensou_embedded.bundled import find_valkey
from rensou_embedded.child import ChildProcess
from rensou_embedded.files import write_private
from rensou_embedded.ports import LOOPBACK
from rensou_shared.jobs.redis_client import make_client, ping

_PROBE_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Valkey:
    """One server: its folder (hints survive a restart), its port, its password."""

    data_dir: Path
    port: int
    password: str
    log_path: Path

    @property
    def url(self) -> str:
        """What clients connect to."""
        return f"redis://:{self.password}@{LOOPBACK}:{self.port}/0"

    def child(self) -> ChildProcess:
        """Return how to run the server."""
        return ChildProcess(
            name="valkey",
            argv=(str(find_valkey()), str(self._config_path)),
            environ={},
            log_path=self.log_path,
            is_ready=self.answers,
            prepare=self._prepare,
        )

    async def answers(self) -> bool:
        """Whether it answers PING; not while it still reads its file."""
        client = make_client(self.url, _PROBE_TIMEOUT_S)
        try:
            await ping(client)
        except (redis.exceptions.RedisError, OSError):
            return False
        finally:
            await client.aclose(close_connection_pool=True)
        return True

    @property
    def _config_path(self) -> Path:
        return self.data_dir / "valkey.conf"

    async def _prepare(self) -> None:
        """Write the configuration: in a file of ours, since an argument list is everybody's to read."""
        settings = {
            "bind": LOOPBACK,
            "port": str(self.port),
            "requirepass": self.password,
            "dir": _quote(str(self.data_dir)),
            "daemonize": "no",
            "save": '""',
            "appendonly": "yes",
            "appendfsync": "everysec",
            "maxmemory-policy": "noeviction",
            "logfile": '""',
        }
        write_private(self._config_path, "".join(f"{name} {value}\n" for name, value in settings.items()))


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
