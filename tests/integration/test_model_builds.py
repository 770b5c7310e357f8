"""Builds for the model that is made beside the active one."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from rensou_nodeworker.metrics import RECORDS_LACKING_NEXT_MODEL
from rensou_nodeworker.pipelines import rebuild as rebuild_module
from tests.integration.nodeworker_world import LONG, SHORT, World, eventually, whole
from tests.unit.lying_embedding_server import DIMENSIONS, WINDOW, LyingServer, Request, honest, lying_server, says

_STATE_OF = "SELECT state FROM embedding_models WHERE fingerprint = %s"
_COUNTED = """
SELECT m.fingerprint, count(*)::integer FROM record_vectors v JOIN embedding_models m ON m.id = v.model_id
GROUP BY m.fingerprint ORDER BY m.fingerprint
"""
_NODES_OF = """
SELECT n.start_char, n.end_char FROM record_nodes n JOIN embedding_models m ON m.id = n.model_id
WHERE n.record_id = %s AND m.fingerprint = %s ORDER BY n.node_index
"""


def serving(fingerprint: str) -> Any:
    """An honest server of a model of that fingerprint."""

    async def answer(request: Request) -> web.StreamResponse:
        if request.route != "capabilities":
            return await honest(request)
        identity = {"provider": "test", "model": fingerprint, "dimensions": DIMENSIONS, "window": WINDOW}
        return web.json_response({"identity": identity, "incomplete": [], "fingerprint": fingerprint})

    return answer


@pytest.fixture
async def following() -> AsyncIterator[LyingServer]:
    async with lying_server() as server:
        server.always = serving("1:next")
        yield server


async def _is(world: World, fingerprint: str, state: str) -> None:
    async def reached() -> bool:
        return await world.run(_STATE_OF, fingerprint) == [(state,)]

    await eventually(reached, f"{fingerprint} is not {state}")


async def _built(world: World, *contents: str, agent_id: str = "ann") -> list[int]:
    """Records that have everything under the active model."""
    records = [await world.record(content, agent_id) for content in contents]
    async with world.worker():
        await world.settled()
    return records


async def test_the_following_servers_model_is_built_beside_the_active_one_with_its_nodes(
    world: World, following: LyingServer
) -> None:
    (long,) = await _built(world, LONG)
    await _built(world, SHORT, agent_id="bob")
    async with world.worker(following=following):
        await _is(world, "1:next", "building")
        await world.rebuild().measure()
        assert RECORDS_LACKING_NEXT_MODEL._value.get() == 2
        await world.rebuild().ask()
        await world.settled()
    assert await world.run(_COUNTED) == [("1:abc", 2), ("1:next", 2)]
    for fingerprint in ("1:abc", "1:next"):
        assert whole(await world.run(_NODES_OF, long, fingerprint), LONG)
    await world.rebuild().measure()
    assert RECORDS_LACKING_NEXT_MODEL._value.get() == 0
    await world.rebuild().ask()
    assert await world.run("SELECT 1 FROM node_builds WHERE state <> 'done'") == []


async def test_all_records_are_gone_through_place_by_place_and_late_ones_in_the_next_round(
    world: World, following: LyingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild_module, "_ASKED_ROWS", 3)
    await _built(world, *(f"Pot {number}" for number in range(4)))
    await _built(world, *(f"Pot {number}" for number in range(4)), agent_id="bob")
    async with world.worker(following=following):
        await _is(world, "1:next", "building")
    clock = [0.0]
    rebuild = world.rebuild(lambda: clock[0], pause_s=30.0)

    async def asked() -> int:
        await rebuild.ask()
        return len(await world.run("SELECT 1 FROM node_builds WHERE rebuild"))

    assert [await asked() for _ in range(4)] == [3, 6, 8, 8]
    await world.record("Late", build=False)
    assert await asked() == 8
    clock[0] = 31.0
    assert await asked() == 9


async def test_no_more_is_asked_for_while_enough_waits(
    world: World, following: LyingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild_module, "_ASKED_ROWS", 2)
    monkeypatch.setattr(rebuild_module, "_WAITING_ROWS", 3)
    await _built(world, *(f"Pot {number}" for number in range(6)))
    async with world.worker(following=following):
        await _is(world, "1:next", "building")
    rebuild = world.rebuild()
    for _ in range(4):
        await rebuild.ask()
    assert len(await world.run("SELECT 1 FROM node_builds WHERE rebuild")) == 4


async def test_builds_of_the_active_model_go_before_rebuilds(world: World, following: LyingServer) -> None:
    await _built(world, *(f"Pot {number}" for number in range(6)))
    async with world.worker(following=following):
        await _is(world, "1:next", "building")
    await world.rebuild().ask()
    late = await world.record("Late")
    async with world.worker(following=following, max_jobs=1):
        await world.settled()
    order = await world.run("SELECT record_id, rebuild FROM node_builds WHERE state = 'done' ORDER BY finished_at")
    assert order[6] == (late, False) and [rebuild for _, rebuild in order[7:]] == [True] * 6


async def test_a_following_server_that_is_away_holds_up_no_build_of_the_active_model(
    world: World, following: LyingServer
) -> None:
    """B08"""
    await _built(world, *(f"Pot {number}" for number in range(6)))
    async with world.worker(following=following):
        await _is(world, "1:next", "building")
    await world.rebuild().ask()
    following.always = says({"error": "too many"}, status=429, headers={"Retry-After": "2"})
    async with world.worker(following=following, max_jobs=1):
        late = await world.record(LONG)
        await world.becomes(late, "done")
        assert await world.run("SELECT 1 FROM node_builds WHERE rebuild AND state <> 'pending'") == []
        following.always = serving("1:next")
        await world.settled()
    assert await world.run(_COUNTED) == [("1:abc", 7), ("1:next", 6)]


async def test_a_following_server_that_serves_yet_another_model_stores_nothing_under_the_former_name(
    world: World, following: LyingServer
) -> None:
    """B35"""
    await _built(world, *(f"Pot {number}" for number in range(3)))
    async with world.worker(following=following):
        await _is(world, "1:next", "building")
    await world.rebuild().ask()
    following.always = serving("1:third")
    async with world.worker(following=following):
        await _is(world, "1:third", "building")
        await world.settled()
    assert await world.run(_STATE_OF, "1:next") == [("retired",)]
    assert await world.run("SELECT DISTINCT state FROM node_builds WHERE rebuild") == [("superseded",)]
    assert await world.run(_COUNTED) == [("1:abc", 3)]


async def test_a_model_whose_server_no_worker_meets_any_more_is_not_asked_for(
    world: World, following: LyingServer
) -> None:
    await _built(world, SHORT)
    async with world.worker(following=following):
        await _is(world, "1:next", "building")
    await world.run("UPDATE embedding_models SET served_at = now() - interval '1 h'")
    await world.rebuild().ask()
    assert await world.run("SELECT 1 FROM node_builds WHERE rebuild") == []


async def test_a_former_model_is_built_up_to_date_again_while_its_server_is_the_following_one(
    world: World, following: LyingServer
) -> None:
    (long,) = await _built(world, LONG)
    async with world.worker(following=following):
        await _is(world, "1:next", "building")
        await world.rebuild().ask()
        await world.settled()
    assert await _activated(world, "1:next") == (0, True)
    # What changes under the new model alone: one record more, and a text that is another.
    await _built_under_next(world)
    await world.run("UPDATE records SET content = content || %s WHERE id = %s", " Again.", long)
    assert await world.run(_STATE_OF, "1:abc") == [("retired",)]
    assert await _activated(world, "1:abc") == (2, False)
    world.server.always, following.always = serving("1:next"), honest
    async with world.worker(following=following):
        await _is(world, "1:abc", "building")
        await world.settled()
        await world.rebuild().ask()
        await world.settled()
    assert await world.run(_COUNTED) == [("1:abc", 2), ("1:next", 2)]
    assert await _activated(world, "1:abc") == (0, True)


async def test_a_former_model_that_is_activated_although_it_lacks_records_is_made_whole_by_the_sweep(
    world: World, following: LyingServer
) -> None:
    await _built(world, SHORT)
    async with world.worker(following=following):
        await _is(world, "1:next", "building")
        await world.rebuild().ask()
        await world.settled()
    assert await _activated(world, "1:next") == (0, True)
    await _built_under_next(world)
    assert await _activated(world, "1:abc", allow_incomplete=True) == (1, True)
    await world.sweep().sweep()
    async with world.worker(following=following):
        await world.settled()
    assert await world.run(_COUNTED) == [("1:abc", 2), ("1:next", 2)]


async def _activated(world: World, fingerprint: str, *, allow_incomplete: bool = False) -> tuple[int, bool]:
    """What the model lacks, and whether it was made the active one."""
    statement = "SELECT a.lacking, a.activated FROM activate_embedding_model_v1(%s, 1, %s) a"
    ((lacking, activated),) = await world.run(statement, fingerprint, allow_incomplete)
    return lacking, activated


async def _built_under_next(world: World) -> None:
    """A record more, of which the present model, served by the following server, has all."""
    await world.record("Stored later.")
    async with lying_server() as server:
        server.always = serving("1:next")
        async with world.worker(following=server):
            await world.settled()


async def test_a_build_for_a_model_that_was_retired_meanwhile_ends_and_writes_no_vector(world: World) -> None:
    (record,) = await _built(world, SHORT)
    await world.run(
        "INSERT INTO embedding_models (fingerprint, name, dimensions, token_window, state)"
        " VALUES ('1:gone', 'gone', 4, 12, 'retired')"
    )
    await world.run(
        "INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version, model_id, token_window)"
        " SELECT r.agent_id, r.id, r.content_sha256, 1, m.id, 12 FROM records r, embedding_models m"
        " WHERE m.fingerprint = '1:gone'"
    )
    async with world.worker():
        await world.becomes(record, "superseded")
    assert await world.run(_COUNTED) == [("1:abc", 1)]


async def test_the_first_model_is_the_present_servers_whoever_is_met_first(
    world: World, following: LyingServer
) -> None:
    world.server.always = says({"error": "away"}, status=503)
    async with world.worker(following=following):

        async def was_asked() -> bool:
            return any(one.route == "capabilities" for one in following.requests)

        await eventually(was_asked, "the following server was not met")
        assert await world.run("SELECT 1 FROM embedding_models") == []
    world.server.always = honest
    await _built(world, SHORT)
    assert await world.run("SELECT fingerprint, state FROM embedding_models") == [("1:abc", "active")]
