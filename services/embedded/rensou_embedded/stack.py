"""The whole of Rensou on one machine: servers, services and their data folder, started and stopped as one."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from rensou_embedded import migrate
from rensou_embedded.child import ChildProcess
from rensou_embedded.console import Console
from rensou_embedded.data_folder import DataFolder, StackState
from rensou_embedded.errors import StackError
from rensou_embedded.leftovers import ChildRegistry
from rensou_embedded.ports import is_free, pick_ports
from rensou_embedded.postgres import Postgres, prepare_postgres
from rensou_embedded.stack_children import Endpoints, ServiceProcesses
from rensou_embedded.supervisor import Supervisor
from rensou_embedded.valkey import Valkey
from rensou_embedded.vector_indexes import is_model_known, make_vector_indexes

DEFAULT_GRPC_PORT = 50551
# How often, and how many seconds apart, a first start looks whether recall has met the embedding server.
_MODEL_TRIES = 40
_MODEL_PAUSE_S = 0.5


class Part(StrEnum):
    """A process of the stack, by the name that it has in logs and in `kill`, `stop_child`, `start_child`, `pid`."""

    POSTGRES = "postgres"
    VALKEY = "valkey"
    EMBEDDING = "embedding"
    RECALL = "recall"
    NODEWORKER = "nodeworker"
    RECONCILER = "reconciler"


ALL_PARTS = frozenset(Part)


@dataclass(frozen=True, slots=True)
class StackOptions:
    """What of the stack to run, and how."""

    data_dir: Path
    environ: Mapping[str, str]
    """What the services inherit (see `settings.clean_environ`); a RENSOU_* variable in it reaches them."""
    parts: frozenset[Part] = ALL_PARTS
    grpc_port: int | None = None
    """A port that must be free; None: the last run's, else 50551, else any; 0: the last run's, else any."""
    migrate: bool = True
    embedding_url: str = ""
    """An embedding server to use in place of the bundled one, which then is not started; ends in /embed."""
    postgres_settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Laid over the server's settings, as `-c name=value`."""


class EmbeddedStack:
    """One stack on one data folder. `start` returns when every part is ready; `stop` when every part has ended.

    Start it on the thread that lives as long as the stack: the kernel ends the processes when that thread does.
    """

    def __init__(self, options: StackOptions, console: Console | None = None) -> None:
        self._options = options
        self._console = console or Console(quiet=True)
        self._folder = DataFolder(options.data_dir)
        self._registry = ChildRegistry(self._folder.children_path)
        self._supervisor = Supervisor(self._console, self._registry.note)
        self._postgres: Postgres | None = None
        self._state: StackState | None = None

    async def start(self) -> None:
        """Start the parts: servers, migrations, services.

        Raises:
            StackError: something is in the way; what had started is stopped again.
        """
        await self._folder.hold()
        try:
            await self._start_parts()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Stop the parts, services first, and give the folder up. May be called twice."""
        await self._supervisor.stop()
        self._folder.release()

    async def kill(self, name: str, *, restart: bool = True) -> None:
        """Send SIGKILL to one process, as a crash would; it comes back by itself unless `restart` is false."""
        await self._supervisor.kill(name, restart=restart)

    async def stop_child(self, name: str) -> None:
        """Stop one process in good order; it stays stopped until `start_child`."""
        await self._supervisor.stop_child(name)

    async def start_child(self, name: str) -> None:
        """Start a stopped process again; returns when it is ready."""
        await self._supervisor.start_child(name)

    def pid(self, name: str) -> int | None:
        """Return the process id of `name`; None while it does not run."""
        return self._supervisor.pid(name)

    @property
    def data_dir(self) -> Path:
        """The folder that everything is kept in, absolute."""
        return self._folder.path

    @property
    def log_dir(self) -> Path:
        """The folder of the logs, NAME.log each."""
        return self._folder.log_path("any").parent

    @property
    def admin_dsn(self) -> str:
        """The superuser's URI of the service's database."""
        return self._running_postgres.dsn("postgres", migrate.DATABASE)

    @property
    def migrator_url(self) -> str:
        """What dbmate connects to."""
        return migrate.socket_url(self._running_postgres.socket_dir, migrate.MIGRATOR_ROLE, migrate.DATABASE)

    @property
    def migrator_dsn(self) -> str:
        return self._running_postgres.dsn(migrate.MIGRATOR_ROLE, migrate.DATABASE)

    @property
    def recall_dsn(self) -> str:
        return self._running_postgres.dsn(migrate.RECALL_ROLE, migrate.DATABASE)

    @property
    def worker_dsn(self) -> str:
        return self._running_postgres.dsn(migrate.WORKER_ROLE, migrate.DATABASE)

    @property
    def pg_dump(self) -> Path:
        """The program of the server's own version."""
        return self._running_postgres.bin_dir / "pg_dump"

    @property
    def redis_url(self) -> str:
        return self._valkey.url

    @property
    def embedding_url(self) -> str:
        """Ends in /embed."""
        return self._endpoints.embedding_url

    @property
    def embedding_token(self) -> str:
        """The bearer token that the embedding server asks for."""
        return self._endpoints.embedding_token

    @property
    def grpc_address(self) -> str:
        """HOST:PORT of recall."""
        return self._endpoints.grpc_address

    async def _start_parts(self) -> None:
        await self._registry.wait_for_former(unkillable=frozenset({Part.POSTGRES.value}))
        self._state = self._settle_state()
        options, folder = self._options, self._folder
        if Part.POSTGRES in options.parts:
            with self._console.step(f"preparing the database in {folder.path}"):
                log_path = folder.log_path(Part.POSTGRES)
                self._postgres = await prepare_postgres(folder.path, log_path, options.postgres_settings)
        await self._start_together(Part.POSTGRES, Part.VALKEY, Part.EMBEDDING)
        if self._postgres is not None and options.migrate:
            with self._console.step("applying the migrations"):
                await asyncio.to_thread(self._migrate, self._postgres)
        await self._start_together(Part.RECALL, Part.NODEWORKER, Part.RECONCILER)
        if self._postgres is not None and options.migrate:
            await self._make_vector_indexes()

    async def _make_vector_indexes(self) -> None:
        """After the services: at the first start it is recall that makes the embedding server's model known."""
        tries = _MODEL_TRIES if Part.RECALL in self._options.parts else 1
        for left in reversed(range(tries)):
            if await asyncio.to_thread(is_model_known, self.migrator_dsn):
                await asyncio.to_thread(make_vector_indexes, self.migrator_dsn)
                return
            if left:
                await asyncio.sleep(_MODEL_PAUSE_S)
        if tries > 1:
            self._console.warn(
                "the embedding server has not said which model it serves: "
                "the next start, or `rensou migrate model`, makes the approximate vector indexes"
            )

    async def _start_together(self, *parts: Part) -> None:
        left_out = {Part.EMBEDDING} if self._options.embedding_url else set[Part]()
        children = [self._child(part) for part in parts if part in self._options.parts - left_out]
        outcomes = await asyncio.gather(*(self._supervisor.start(child) for child in children), return_exceptions=True)
        for outcome in outcomes:
            if outcome is not None:
                raise outcome

    def _child(self, part: Part) -> ChildProcess:
        if part is Part.POSTGRES:
            return self._running_postgres.child()
        if part is Part.VALKEY:
            return self._valkey.child()
        services = ServiceProcesses(self._options.environ, self.log_dir, self._endpoints)
        build = {
            Part.EMBEDDING: services.embedding,
            Part.RECALL: services.recall,
            Part.NODEWORKER: services.nodeworker,
            Part.RECONCILER: services.reconciler,
        }
        return build[part]()

    def _migrate(self, postgres: Postgres) -> None:
        migrate.create_database(postgres.admin_dsn, migrate.DATABASE)
        migrate.bootstrap_roles(self.admin_dsn)
        migrate.run_migrations(self.migrator_url)

    def _settle_state(self) -> StackState:
        former = self._folder.load_state()
        asked = self._options.grpc_port
        if asked and not is_free(asked):
            raise StackError(f"port {asked} is in use: choose another one with --port")
        default = None if asked == 0 else DEFAULT_GRPC_PORT
        wanted = {
            Part.RECALL.value: asked or former.ports.get(Part.RECALL, default),
            Part.VALKEY.value: former.ports.get(Part.VALKEY),
            Part.EMBEDDING.value: former.ports.get(Part.EMBEDDING),
        }
        state = StackState(pick_ports(wanted), former.valkey_password, former.embedding_token)
        if wanted[Part.RECALL] not in (None, state.ports[Part.RECALL]):
            self._console.warn(f"port {wanted[Part.RECALL]} is in use: gRPC is on {state.ports[Part.RECALL]}")
        self._folder.save_state(state)
        return state

    @property
    def _running_postgres(self) -> Postgres:
        if self._postgres is None:
            raise StackError("the stack was not started with postgres")
        return self._postgres

    @property
    def _started_state(self) -> StackState:
        if self._state is None:
            raise StackError("the stack was not started")
        return self._state

    @property
    def _valkey(self) -> Valkey:
        state, folder = self._started_state, self._folder
        return Valkey(folder.valkey_dir, state.ports[Part.VALKEY], state.valkey_password, folder.log_path(Part.VALKEY))

    @property
    def _endpoints(self) -> Endpoints:
        state, postgres = self._started_state, self._postgres
        return Endpoints(
            recall_dsn=self.recall_dsn if postgres else "",
            worker_dsn=self.worker_dsn if postgres else "",
            redis_url=self.redis_url,
            embedding_port=state.ports[Part.EMBEDDING],
            embedding_token=state.embedding_token,
            grpc_port=state.ports[Part.RECALL],
            other_embedding_url=self._options.embedding_url,
        )
