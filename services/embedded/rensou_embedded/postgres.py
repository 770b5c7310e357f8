"""The bundled PostgreSQL as a child process, reached through a Unix socket only."""

import asyncio
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg

from rensou_embedded.account import Account, postgres_account
from rensou_embedded.child import ChildProcess
from rensou_embedded.postgres_files import make_cluster, make_socket_dir, postgres_environ, release_cluster
from rensou_embedded.postgres_install import reachable_bin_dir, refuse_closed_folder

SUPERUSER = "postgres"
_PORT = 5432
_FORMER_SERVER_TIMEOUT_S = 60.0
_READY_TIMEOUT_S = 180.0
_STOP_TIMEOUT_S = 60.0
_PROBE_TIMEOUT_S = 5

_SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "port": str(_PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "80",
    "shared_buffers": "128MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "64MB",
    "effective_cache_size": "512MB",
    "random_page_cost": "1.1",
    "max_wal_size": "512MB",
    "checkpoint_timeout": "15min",
    "jit": "off",
    # Workers share memory through /dev/shm, which is 64 MB in a container; on a small machine they gain nothing.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] %q%u@%d ",
}


@dataclass(frozen=True, slots=True)
class Postgres:
    """One cluster on this machine: its programs, its folder, its socket and whose they are."""

    bin_dir: Path
    cluster_dir: Path
    socket_dir: Path
    log_path: Path
    account: Account | None
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Laid over the defaults; a test turns `fsync` off here."""

    def dsn(self, user: str, database: str) -> str:
        """Return a libpq URI over the socket."""
        query = urlencode({"host": str(self.socket_dir), "port": _PORT}, quote_via=quote, safe="/")
        return f"postgresql://{quote(user, safe='')}@/{quote(database, safe='')}?{query}"

    @property
    def admin_dsn(self) -> str:
        """The superuser's door to the database `postgres`."""
        return self.dsn(SUPERUSER, "postgres")

    def child(self) -> ChildProcess:
        """Return how to run the server: in the foreground, so that its life is ours."""
        settings = {**_SETTINGS, "unix_socket_directories": _quote_list_item(self.socket_dir), **self.settings}
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return ChildProcess(
            name="postgres",
            argv=(str(self.bin_dir / "postgres"), "-D", str(self.cluster_dir), *flags),
            environ=postgres_environ(),
            log_path=self.log_path,
            is_ready=self.accepts_connections,
            prepare=self._prepare,
            account=self.account,
            # SIGTERM waits for every client to leave; SIGINT ends their sessions and shuts down in good order.
            stop_signal=signal.SIGINT,
            ready_timeout_s=_READY_TIMEOUT_S,
            stop_timeout_s=_STOP_TIMEOUT_S,
        )

    async def accepts_connections(self) -> bool:
        """Whether a session can be opened now."""
        try:
            async with await psycopg.AsyncConnection.connect(self.admin_dsn, connect_timeout=_PROBE_TIMEOUT_S):
                return True
        except psycopg.OperationalError:
            return False

    async def _prepare(self) -> None:
        await release_cluster(self.cluster_dir, self.socket_dir, _FORMER_SERVER_TIMEOUT_S)


async def prepare_postgres(data_dir: Path, log_path: Path, settings: Mapping[str, str]) -> Postgres:
    """Make the cluster `data_dir`/postgres if there is none, and return how to run it.

    As root the server runs as an account without rights, which then owns the cluster.

    Raises:
        DataFolderError: that account cannot reach the data folder.
        ChildError: initdb failed.
    """
    account = postgres_account()
    if account is not None:
        refuse_closed_folder(data_dir, account)
    bin_dir = await asyncio.to_thread(reachable_bin_dir, account, data_dir)
    cluster_dir = data_dir / "postgres"
    await asyncio.to_thread(make_cluster, bin_dir, cluster_dir, account)
    return Postgres(bin_dir, cluster_dir, make_socket_dir(data_dir, account), log_path, account, settings)


def _quote_list_item(path: Path) -> str:
    """Quote one item of a list setting, so that a comma or a blank in the path stays in it."""
    return '"' + str(path).replace('"', '""') + '"'
