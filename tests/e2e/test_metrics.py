"""What the processes count of builds, read over HTTP as Prometheus does."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from aiohttp import web
from prometheus_client.parser import text_string_to_metric_families

from rensou_embedded.ports import LOOPBACK
from tests.e2e.harness import NOBODY, eventually, free_port, service, service_environ, store
from tests.e2e.own_world import OwnWorld, own_world
from tests.unit.lying_embedding_server import Request, honest, says

LONG = "This is longer than the window holds."
_STEAL = "UPDATE node_builds SET lease_token = gen_random_uuid() WHERE agent_id = %s AND state = 'running' RETURNING id"
_LOSE = """
UPDATE node_builds SET state = 'running', lease_token = gen_random_uuid(), lease_until = now() - interval '1 s'
WHERE agent_id = %s AND state <> 'running'
"""


@dataclass(frozen=True, slots=True)
class Watched:
    """A world whose three processes serve metrics."""

    world: OwnWorld
    ports: dict[str, int]

    async def value(self, process: str, name: str, **labels: str) -> float | None:
        """The sample of the process; None when it has none, or has not started."""
        try:
            async with httpx.AsyncClient(trust_env=False) as client:
                answer = await client.get(f"http://{LOOPBACK}:{self.ports[process]}/metrics")
        except httpx.ConnectError:
            return None
        samples = [one for family in text_string_to_metric_families(answer.text) for one in family.samples]
        found = [one.value for one in samples if one.name == name and one.labels == labels]
        return found[0] if found else None

    async def reaches(self, process: str, name: str, least: float, **labels: str) -> None:
        """Returns when the sample is at least `least`."""

        async def reached() -> bool:
            value = await self.value(process, name, **labels)
            return value is not None and value >= least

        await eventually(reached, f"{name} {labels} of the {process} is below {least}", 30)


@pytest.fixture(scope="module")
async def watched(postgres: str, scratch_folder: Path) -> AsyncIterator[Watched]:
    ports = {name: free_port() for name in ("recall", "worker", "reconciler")}
    listen = {name: f"{LOOPBACK}:{port}" for name, port in ports.items()}
    async with AsyncExitStack() as parts:
        world = await parts.enter_async_context(
            own_world(postgres, scratch_folder, metrics_listen=listen["recall"], redis_url=f"redis://{NOBODY}/0")
        )
        addresses = {"database_url": world.dsns.worker, "embedding_url": world.server.url, "lease_s": "3"}
        addresses |= {"redis_url": f"redis://{NOBODY}/0", "reconcile_interval_s": "0.5"}
        for name, arguments in (("worker", ()), ("reconciler", ("reconciler",))):
            environ = service_environ(metrics_listen=listen[name], **addresses)
            log_path = scratch_folder / f"metrics-{name}.log"
            await parts.enter_async_context(service(log_path, "rensou_nodeworker", *arguments, environ=environ))
        yield Watched(world, ports)


async def test_each_process_has_its_counters_from_the_start(watched: Watched) -> None:
    await watched.reaches("worker", "rensou_build_lease_expiries_total", 0)
    await watched.reaches("worker", "rensou_build_fenced_commits_total", 0)
    await watched.reaches("reconciler", "rensou_build_lease_expiries_total", 0)
    await watched.reaches("reconciler", "rensou_build_oldest_pending_seconds", 0)
    await watched.reaches("reconciler", "rensou_build_hint_failures_total", 0)
    await watched.reaches("recall", "rensou_build_hint_failures_total", 0)


async def test_what_waits_is_dead_or_quarantined_is_a_gauge_of_the_reconciler(watched: Watched, agent: str) -> None:
    watched.world.server.always = says({"error": "too many"}, status=429, headers={"Retry-After": "1"})
    for number in range(4):
        await store(watched.world.client, agent, f"{number} {LONG}")
    later = "UPDATE node_builds SET created_at = now() - interval '1 h', next_at = now() + interval '1 h'"
    await watched.world.rows(f"{later}, state = 'pending', lease_token = NULL, lease_until = NULL")
    await watched.world.rows(
        "UPDATE node_builds SET state = (ARRAY['dead', 'pending'])[id %% 2 + 1], crashes = id %% 2 WHERE agent_id = %s",
        agent,
    )
    await watched.world.rows("UPDATE node_builds SET crashes = 0 WHERE id = (SELECT max(id) FROM node_builds)")
    expected = await watched.world.rows(
        "SELECT count(*) FILTER (WHERE state = 'dead'), count(*) FILTER (WHERE state = 'pending' AND crashes > 0),"
        " count(*) FILTER (WHERE state = 'pending' AND crashes = 0) FROM node_builds"
    )

    async def counted() -> bool:
        states = ("dead", "quarantined", "pending")
        seen = [await watched.value("reconciler", "rensou_builds_of_state", state=state) for state in states]
        return [tuple(seen)] == expected

    await eventually(counted, f"the gauges are not {expected}", 30)
    await watched.reaches("reconciler", "rensou_build_oldest_pending_seconds", 3600)
    assert await watched.value("reconciler", "rensou_builds_of_state", state="running") == 0
    await watched.world.rows("DELETE FROM node_builds")


async def test_hints_that_nobody_took_are_counted_where_they_were_sent(watched: Watched, agent: str) -> None:
    watched.world.server.always = honest
    before = await watched.value("recall", "rensou_build_hint_failures_total")
    await watched.world.becomes_honest()
    await store(watched.world.client, agent, LONG)
    assert before is not None
    await watched.reaches("recall", "rensou_build_hint_failures_total", before + 1)


async def test_a_lease_that_ended_and_a_commit_that_was_refused_are_counted(watched: Watched, agent: str) -> None:
    await watched.world.becomes_honest()
    processes = ("worker", "reconciler")
    name = "rensou_build_lease_expiries_total"
    before = sum([await watched.value(one, name) or 0 for one in processes])

    async def steals(request: Request) -> web.StreamResponse:
        # While the answer is under way another worker takes the build.
        await watched.world.rows(_STEAL, agent)
        return await honest(request)

    await store(watched.world.client, agent, LONG)
    await watched.world.rows("DELETE FROM record_nodes WHERE agent_id = %s", agent)
    watched.world.server.always = steals
    await watched.world.rows("UPDATE node_builds SET state = 'pending', lease_token = NULL, lease_until = NULL")
    await watched.reaches("worker", "rensou_build_fenced_commits_total", 1)
    watched.world.server.always = honest
    await watched.world.rows(_LOSE, agent)

    async def expired() -> bool:
        return sum([await watched.value(one, name) or 0 for one in processes]) > before

    await eventually(expired, "no lease ended", 30)
