"""`rensou builds` on a running service: once, as JSON, live on a terminal, and refused."""

import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.builds_world import LONG_POISON, Guarded, guarded_world, refuses_poison


@pytest.fixture(scope="module")
async def guarded(postgres: str, scratch_folder: Path) -> AsyncIterator[Guarded]:
    async with guarded_world(postgres, scratch_folder) as world:
        yield world


@pytest.fixture(autouse=True)
def poison(guarded: Guarded) -> None:
    guarded.world.server.always = refuses_poison


async def test_the_command_shows_what_is_dead_and_asks_for_it_again(guarded: Guarded, agent: str) -> None:
    ref, build = await guarded.poisoned(agent)
    code, output, _ = await guarded.command("--once", "--agent", agent)
    assert code == 0 and output.splitlines()[0] == "pending 0  quarantined 0  running 0  rebuilds 0  dead 1"
    shown = output.splitlines()[-1]
    assert shown.split()[:4] == [build.ref, "dead", agent, ref] and "EmbeddingRejectedError" in shown
    code, output, _ = await guarded.command("--json", "--agent", agent, "--state", "any")
    said = json.loads(output)
    assert (code, said["summary"]["dead"], said["more"]) == (0, 1, False)
    assert [(one["ref"], one["record"], one["state"]) for one in said["builds"]] == [(build.ref, ref, "dead")]
    code, output, _ = await guarded.command("retry", build.ref, "build:999999999", "--json")
    said = json.loads(output)
    assert code == 1 and [one["outcome"] for one in said["results"]] == ["queued", "not_found"]
    await guarded.poisoned(agent, f"once more {LONG_POISON}")
    code, output, _ = await guarded.command("retry", "--all", "--agent", agent, "--limit", "1")
    assert code == 0 and output.splitlines()[-1].startswith("1 queued, ")


async def test_the_command_says_why_it_is_refused(guarded: Guarded, agent: str) -> None:
    code, _, errors = await guarded.command("retry")
    assert code == 1 and "name dead builds" in errors
    code, _, errors = await guarded.command("retry", "mem:1")
    assert code == 1 and "INVALID_ARGUMENT (INVALID_FIELD)" in errors and "refs[0]" in errors
    code, _, errors = await guarded.command("--once", "--agent", "x" * 129)
    assert code == 1 and "INVALID_ARGUMENT (TOO_LARGE)" in errors


async def test_the_command_shows_builds_live_on_a_terminal(guarded: Guarded, agent: str) -> None:
    async with guarded.live_command("--agent", agent) as terminal:
        await terminal.shows("dead 0")
        _, build = await guarded.poisoned(agent)
        await terminal.shows("dead 1")
        await terminal.shows(build.ref)
        await guarded.world.becomes_honest()
        await guarded.retry(build.ref)
        await terminal.shows("dead 0")
        terminal.process.send_signal(signal.SIGINT)
        assert await terminal.process.wait() == 0
