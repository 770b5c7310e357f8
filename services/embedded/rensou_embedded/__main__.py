"""The `rensou` command."""

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc.aio

from rensou_embedded.builds_command import retry_builds, show_builds
from rensou_embedded.bundled import find_postgres_bin_dir
from rensou_embedded.check import check_installation
from rensou_embedded.console import Console
from rensou_embedded.conversations import load_conversations
from rensou_embedded.demo import play_conversations, play_shipped_texts
from rensou_embedded.demo_worklog import DemoFormatError
from rensou_embedded.errors import StackError
from rensou_embedded.migrate import bootstrap_roles, run_migrations
from rensou_embedded.models_command import activate_model, show_models
from rensou_embedded.operator_arguments import add_builds_arguments, add_service_arguments, parse_number
from rensou_embedded.schema_dump import dump_schema
from rensou_embedded.settings import EmbeddedSettings, SettingsError, read_settings
from rensou_embedded.stack import EmbeddedStack, Part, StackOptions
from rensou_embedded.vector_indexes import DEFAULT_LANES, MAX_LANES, is_model_known, make_vector_indexes
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig

_NO_MODEL: Final = (
    "nothing to make: the database knows no embedding model yet. Start rensou-recall with its embedding server, then"
    " run this again"
)


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of the command: its arguments, its settings and where it reports."""

    arguments: argparse.Namespace
    settings: EmbeddedSettings
    console: Console

    @property
    def data_dir(self) -> Path:
        return self.arguments.data_dir or self.settings.data_dir


def run_up(call: Invocation) -> int:
    """Run the stack in the foreground until SIGINT or SIGTERM."""
    following = call.arguments.next_embedding_url
    environ = {**call.settings.service_environ, **({"RENSOU_EMBEDDING_NEXT_URL": following} if following else {})}
    options = StackOptions(call.data_dir, environ, grpc_port=call.arguments.port)
    return asyncio.run(_serve(EmbeddedStack(options, call.console), call.console))


def run_demo(call: Invocation) -> int:
    """Play the demo on a stack of its own, in a folder that is removed afterwards unless one was named."""
    if call.arguments.data_dir:
        return asyncio.run(_play(call, call.arguments.data_dir))
    with tempfile.TemporaryDirectory(prefix="rensou-demo-") as folder:
        # As root, PostgreSQL's account has to get through.
        Path(folder).chmod(0o711)
        return asyncio.run(_play(call, Path(folder, "data")))


async def _play(call: Invocation, data_dir: Path) -> int:
    conversations = None if call.arguments.data is None else load_conversations(call.arguments.data)
    stack = EmbeddedStack(StackOptions(data_dir, call.settings.service_environ, grpc_port=0), call.console)
    await stack.start()
    try:
        if conversations is None:
            await play_shipped_texts(stack, call.console)
        else:
            evaluation = await play_conversations(stack, conversations)
            print(evaluation.table())
            print(json.dumps(evaluation.summary()))
    except grpc.aio.AioRpcError as error:
        raise StackError(f"a call failed: {error.code().name}: {error.details()}") from error
    finally:
        with call.console.step("stopping"):
            await stack.stop()
    return 0


def run_migrate(call: Invocation) -> int:
    """Bring a database of your own to the schema, or make the approximate indexes of its models."""
    if call.arguments.what == "model":
        with call.console.step("making the vector indexes"):
            made = make_vector_indexes(call.arguments.database_url, call.arguments.lanes)
        is_known = bool(made) or is_model_known(call.arguments.database_url)
        print("\n".join(made) or ("nothing to make" if is_known else _NO_MODEL))
        return 0
    if call.arguments.admin_url:
        with call.console.step("preparing roles and extension"):
            bootstrap_roles(call.arguments.admin_url)
    with call.console.step("applying the migrations"):
        report = run_migrations(call.arguments.database_url)
    print(report or "nothing to apply")
    return 0


def run_schema(call: Invocation) -> int:
    """Print the schema, normalised: of a database of your own, or of a fresh one that the migrations make."""
    if call.arguments.database_url:
        print(dump_schema(find_postgres_bin_dir() / "pg_dump", call.arguments.database_url), end="")
        return 0
    with tempfile.TemporaryDirectory(prefix="rensou-schema-") as folder:
        # As root, PostgreSQL's account has to get through.
        Path(folder).chmod(0o711)
        options = StackOptions(Path(folder, "data"), call.settings.service_environ, parts=frozenset({Part.POSTGRES}))
        print(asyncio.run(_dump_own_schema(EmbeddedStack(options, call.console))), end="")
    return 0


def run_models(call: Invocation) -> int:
    """Show a running service's embedding models, or make another one the active one."""
    given = call.arguments
    if given.activate:
        allow = given.allow_incomplete
        print(activate_model(given.address, given.token_file, given.activate, allow_incomplete=allow))
    else:
        print(show_models(given.address, given.token_file))
    return 0


def run_builds(call: Invocation) -> int:
    """Show the builds of a running service, or ask for dead ones again."""
    if call.arguments.action == "retry":
        return 0 if retry_builds(call.arguments) else 1
    show_builds(call.arguments)
    return 0


def run_check(call: Invocation) -> int:
    """Say whether this machine can run the stack, line by line."""
    findings = check_installation(call.data_dir)
    for finding in findings:
        print(f"{'ok  ' if finding.is_good else 'FAIL'} {finding.subject}: {finding.detail}")
    return 0 if all(finding.is_good for finding in findings) else 1


_COMMANDS: Mapping[str, Callable[[Invocation], int]] = {
    "up": run_up,
    "demo": run_demo,
    "migrate": run_migrate,
    "schema": run_schema,
    "models": run_models,
    "builds": run_builds,
    "check": run_check,
}


async def _serve(stack: EmbeddedStack, console: Console) -> int:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    started = time.monotonic()
    starting = asyncio.create_task(stack.start())
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _ask_to_stop, stopping, starting)
    try:
        await starting
    except asyncio.CancelledError:
        console.say("stopped before it was ready")
        return 130
    print(
        f"rensou is ready after {time.monotonic() - started:.1f} s\n"
        f"  gRPC (rensou.v1)  {stack.grpc_address}\n"
        f"  data folder       {stack.data_dir}\n"
        f"  logs              {stack.log_dir}\n"
        "Ctrl-C stops it.",
        flush=True,
    )
    await stopping.wait()
    with console.step("stopping"):
        await stack.stop()
    return 0


def _ask_to_stop(stopping: asyncio.Event, starting: "asyncio.Task[None]") -> None:
    if not stopping.is_set():
        stopping.set()
        starting.cancel()


async def _dump_own_schema(stack: EmbeddedStack) -> str:
    await stack.start()
    try:
        return await asyncio.to_thread(dump_schema, stack.pg_dump, stack.admin_dsn)
    finally:
        await stack.stop()


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rensou", description="Rensou on one machine.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    up = commands.add_parser("up", help="run everything in the foreground until Ctrl-C")
    up.add_argument("--port", type=_parse_port, help="gRPC port (default: the last run's, else 50551)")
    up.add_argument(
        "--next-embedding-url",
        type=_parse_embedding_url,
        metavar="URL",
        help="the /embed route of an embedding server whose model is built beside",
    )
    demo = commands.add_parser("demo", help="do the main job on real input and show what comes back")
    demo.add_argument("--data", type=Path, help="conversations of your own with questions (default: two shipped texts)")
    migrate = commands.add_parser("migrate", help="bring a PostgreSQL database of your own to the schema")
    migrate.add_argument(
        "what",
        nargs="?",
        choices=("schema", "model"),
        default="schema",
        help="schema: the migrations (default); model: the approximate indexes of the embedding models in use",
    )
    migrate.add_argument("--lanes", type=_parse_lanes, default=DEFAULT_LANES, help="model: indexes a model")
    migrate.add_argument("--database-url", required=True, help="the database, as the role rensou_migrator")
    migrate.add_argument("--admin-url", help="the same database as an administrator: prepares roles and extension")
    schema = commands.add_parser("schema", help="print the schema in a form that can be compared")
    schema.add_argument("--database-url", help="a database to print (default: a fresh one, made for this and removed)")
    models = commands.add_parser("models", help="show a running service's embedding models, or activate another one")
    add_service_arguments(models)
    models.add_argument("--activate", metavar="FINGERPRINT", help="make this model the active one")
    models.add_argument("--allow-incomplete", action="store_true", help="although records lack vectors under it")
    add_builds_arguments(
        commands.add_parser("builds", help="show the work of a running service, or ask for dead work again")
    )
    check = commands.add_parser("check", help="say whether this machine can run the stack")
    for command, default in ((up, "RENSOU_DATA_DIR"), (demo, "a folder that is removed afterwards"), (check, "as up")):
        command.add_argument("--data-dir", type=_parse_data_dir, help=f"where everything is kept (default: {default})")
    return parser


def _parse_port(text: str) -> int:
    return parse_number(text, 65_535)


def _parse_lanes(text: str) -> int:
    return parse_number(text, MAX_LANES)


def _parse_embedding_url(text: str) -> str:
    try:
        return CEmbeddingConfig(text).embed_url
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error} (it is {text!r})") from error


def _parse_data_dir(text: str) -> Path:
    if not text or (Path(text).exists() and not Path(text).is_dir()):
        raise argparse.ArgumentTypeError(f"{text!r} is no folder")
    return Path(text)


def main() -> None:
    """Run one command; exit 0 when it succeeded, 1 with a message when it could not be done."""
    arguments = _build_parser().parse_args()
    console = Console()
    try:
        settings = read_settings(os.environ, is_root=os.geteuid() == 0)
        code = _COMMANDS[arguments.command](Invocation(arguments, settings, console))
    except (StackError, SettingsError, DemoFormatError) as error:
        console.say(f"rensou: {error}")
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
