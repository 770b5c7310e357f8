"""The supervisor with small real processes."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from rensou_embedded.child import ChildProcess
from rensou_embedded.console import Console
from rensou_embedded.errors import ChildError
from rensou_embedded.leftovers import ChildRegistry, read_start_ticks
from rensou_embedded.supervisor import Supervisor

SLEEPER = "import time; print('up', flush=True); time.sleep(600)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
)


def child(folder: Path, name: str, program: str = SLEEPER, **changes: object) -> ChildProcess:
    log_path = folder / f"{name}.log"

    async def is_up() -> bool:
        return log_path.exists() and b"up" in log_path.read_bytes()

    options: dict[str, object] = {"is_ready": is_up, "stop_timeout_s": 0.5, **changes}
    return ChildProcess(name, (sys.executable, "-c", program), {}, log_path, **options)  # type: ignore[arg-type]


@pytest_asyncio.fixture
async def supervisor() -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(Console(quiet=True))
    yield supervisor
    await supervisor.stop()


async def until_pid_changes(supervisor: Supervisor, name: str, former: int | None) -> int:
    for _ in range(200):
        pid = supervisor.pid(name)
        if pid is not None and pid != former:
            return pid
        await asyncio.sleep(0.05)
    raise AssertionError(f"{name} did not come back")


async def test_children_share_one_process_group_that_is_not_ours(supervisor: Supervisor, tmp_path: Path) -> None:
    for name in ("first", "second"):
        await supervisor.start(child(tmp_path, name))
    groups = {os.getpgid(supervisor.pid(name) or 0) for name in ("first", "second")}
    assert len(groups) == 1 and os.getpgid(0) not in groups


async def test_a_crashed_child_comes_back(supervisor: Supervisor, tmp_path: Path) -> None:
    await supervisor.start(child(tmp_path, "sleeper"))
    former = supervisor.pid("sleeper")
    await supervisor.kill("sleeper")
    await until_pid_changes(supervisor, "sleeper", former)


async def test_a_stopped_child_stays_stopped_until_it_is_started(supervisor: Supervisor, tmp_path: Path) -> None:
    await supervisor.start(child(tmp_path, "sleeper"))
    await supervisor.stop_child("sleeper")
    await asyncio.sleep(0.8)
    assert supervisor.pid("sleeper") is None
    await supervisor.start_child("sleeper")
    assert supervisor.pid("sleeper") is not None


async def test_a_killed_child_stays_dead_when_no_restart_is_asked(supervisor: Supervisor, tmp_path: Path) -> None:
    await supervisor.start(child(tmp_path, "sleeper"))
    await supervisor.kill("sleeper", restart=False)
    await asyncio.sleep(0.8)
    assert supervisor.pid("sleeper") is None


async def test_a_child_that_ignores_sigterm_is_killed(supervisor: Supervisor, tmp_path: Path) -> None:
    await supervisor.start(child(tmp_path, "stubborn", STUBBORN))
    pid = supervisor.pid("stubborn") or 0
    await supervisor.stop()
    assert read_start_ticks(pid) is None


async def test_children_stop_in_reverse_order(supervisor: Supervisor, tmp_path: Path) -> None:
    note = (
        "import signal, sys, time\n"
        "def leave(*_):\n"
        f"    open({str(tmp_path / 'order')!r}, 'a').write(sys.argv[1])\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, leave)\n"
        "print('up', flush=True)\n"
        "time.sleep(600)\n"
    )
    for name in ("a", "b", "c"):
        spec = child(tmp_path, name, note, stop_timeout_s=5)
        await supervisor.start(ChildProcess(name, (*spec.argv, name), {}, spec.log_path, spec.is_ready))
    await supervisor.stop()
    assert (tmp_path / "order").read_text() == "cba"


async def test_a_child_that_ends_at_once_is_reported_with_its_last_words(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    with pytest.raises(ChildError, match="(?s)exit code 3.*no such table"):
        await supervisor.start(child(tmp_path, "broken", "import sys; print('no such table'); sys.exit(3)"))


async def test_a_child_that_is_never_ready_is_ended_and_reported(supervisor: Supervisor, tmp_path: Path) -> None:
    async def never() -> bool:
        return False

    with pytest.raises(ChildError, match="not ready after"):
        await supervisor.start(child(tmp_path, "slow", is_ready=never, ready_timeout_s=0.3))
    assert supervisor.pid("slow") is None


async def test_a_program_that_does_not_exist_is_reported(supervisor: Supervisor, tmp_path: Path) -> None:
    with pytest.raises(ChildError, match="/nowhere/program"):
        await supervisor.start(ChildProcess("none", ("/nowhere/program",), {}, tmp_path / "none.log"))


async def test_an_unknown_name_is_reported(supervisor: Supervisor) -> None:
    with pytest.raises(ChildError, match="nobody-knows"):
        supervisor.pid("nobody-knows")


async def test_the_next_run_waits_for_a_leftover_and_kills_it_at_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rensou_embedded.leftovers._GRACE_S", 0.3)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", STUBBORN)
    ChildRegistry(tmp_path / "children.json").note("stubborn", process.pid)
    await ChildRegistry(tmp_path / "children.json").wait_for_former(frozenset())
    assert await process.wait() == -signal.SIGKILL


async def test_a_process_that_only_has_a_leftover_s_number_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "children.json").write_text(f'{{"valkey": [{os.getpid()}, 1]}}')
    await asyncio.wait_for(ChildRegistry(tmp_path / "children.json").wait_for_former(frozenset({"valkey"})), 2)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": 1}'])
async def test_a_damaged_registry_names_nobody(tmp_path: Path, text: str) -> None:
    (tmp_path / "children.json").write_text(text)
    await ChildRegistry(tmp_path / "children.json").wait_for_former(frozenset())


def test_children_die_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import asyncio, pathlib, sys\n"
        "from rensou_embedded.child import ChildProcess\n"
        "from rensou_embedded.console import Console\n"
        "from rensou_embedded.supervisor import Supervisor\n"
        "async def main():\n"
        "    supervisor = Supervisor(Console(quiet=True))\n"
        f"    child = ChildProcess('c', ({sys.executable!r}, '-c', 'import time; time.sleep(600)'), {{}},"
        f" pathlib.Path({str(tmp_path / 'c.log')!r}))\n"
        "    await supervisor.start(child)\n"
        "    print(supervisor.pid('c'), flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen((sys.executable, "-c", program), stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert read_start_ticks(pid) is not None
        parent.kill()
    deadline = time.monotonic() + 5
    while read_start_ticks(pid) is not None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert read_start_ticks(pid) is None
