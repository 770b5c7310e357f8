"""Builds against PostgreSQL, as the worker's own role."""

import asyncio
from uuid import UUID

import pytest
from aiohttp import web

from rensou_nodeworker.store.derived import lock_record
from rensou_nodeworker.types.builds import LeasedBuild
from rensou_shared.errors import DeadlineExceeded
from rensou_shared.ids import AgentId, BuildId, RecordId
from tests.integration.nodeworker_world import LONG, SHORT, World, whole
from tests.unit.lying_embedding_server import WINDOW, Request, honest, says


class Gate:
    """Answers /embed only once it is open."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.opened = asyncio.Event()

    async def __call__(self, request: Request) -> web.StreamResponse:
        if request.route == "embed":
            self.asked.set()
            await self.opened.wait()
        return await honest(request)


def embeds(answer: object, status: int = 200) -> object:
    """Answers /embed with this and everything else as the contract says."""
    lie = says(answer, status)

    async def respond(request: Request) -> web.StreamResponse:
        return await (lie if request.route == "embed" else honest)(request)

    return respond


async def test_a_short_record_gets_its_terms_and_its_vector_and_no_nodes(world: World) -> None:
    record = await world.record(SHORT)
    async with world.worker():
        assert await world.becomes(record, "done") == ("done", 0, 0, None)
    assert await world.vectors(record) == [(len(SHORT) + 2, "chat")]
    assert await world.nodes(record) == []
    ((terms,),) = await world.run("SELECT count(*) FROM record_terms WHERE record_id = %s", record)
    assert terms == 1


async def test_a_long_record_gets_nodes_that_cover_it_once(world: World) -> None:
    record = await world.record(LONG)
    async with world.worker():
        await world.becomes(record, "done")
    spans = await world.nodes(record)
    assert whole(spans, LONG) and len(spans) > 2
    assert all(end - start + 2 <= WINDOW for start, end in spans)
    assert await world.vectors(record) == [(len(LONG) + 2, "chat")]


async def test_a_server_that_counts_no_tokens_still_gives_the_vector(world: World) -> None:
    async def uncounted(request: Request) -> web.StreamResponse:
        if request.route == "count_tokens":
            return web.json_response({"token_info": None})
        request.body.pop("token_info", None)
        return await honest(request)

    world.server.always = uncounted
    record = await world.record(LONG)
    async with world.worker():
        await world.becomes(record, "done")
    assert await world.vectors(record) == [(None, "chat")] and await world.nodes(record) == []


async def test_an_outage_leaves_the_build_pending_and_it_heals_by_itself(world: World) -> None:
    world.server.always = says({"error": "away"}, 503)
    record = await world.record(LONG)
    async with world.worker():
        await world.failed(record)
        ((terms,),) = await world.run("SELECT count(*) FROM record_terms")
        assert terms == 1  # words are found meanwhile
        world.server.always = honest
        await world.becomes(record, "done")
    assert whole(await world.nodes(record), LONG)


async def test_a_refused_text_is_dead_at_once_with_its_reason(world: World) -> None:
    world.server.always = embeds({"error": "no"}, 422)  # pyright: ignore
    record = await world.record(SHORT)
    async with world.worker():
        state, errors, crashes, reason = await world.becomes(record, "dead")
    assert (state, errors, crashes) == ("dead", 1, 0) and "422" in reason and SHORT not in reason


async def test_wrong_credentials_condemn_no_record(world: World) -> None:
    world.server.always = says({"error": "unauthorized"}, 401)
    record = await world.record(SHORT)
    async with world.worker():
        await world.failed(record)
        assert (await world.build(record))[0] != "dead"
        world.server.always = honest
        await world.becomes(record, "done")


@pytest.mark.parametrize(
    "vectors",
    [
        [],
        [[]],
        [[float("nan"), 1.0, 1.0, 1.0]],
        [[None, 1.0, 1.0, 1.0]],
        [[0.0, 0.0, 0.0, 0.0]],
        [[1.0, 2.0]],
        [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]],
    ],
    ids=["none", "empty", "nan", "null", "zeros", "width", "two"],
)
async def test_nothing_of_a_wrong_answer_is_stored(world: World, vectors: list[list[float]]) -> None:
    world.server.always = embeds({"embeddings": vectors})  # pyright: ignore
    record = await world.record(SHORT)
    async with world.worker():
        await world.failed(record)
        assert await world.vectors(record) == []
        world.server.always = honest
        await world.becomes(record, "done")


async def test_another_model_is_refused_until_the_first_is_back(world: World) -> None:
    first = await world.record(SHORT)
    async with world.worker():
        await world.becomes(first, "done")
    identity = {"provider": "t", "model": "other", "dimensions": 4, "window": WINDOW}
    other = says({"identity": identity, "incomplete": [], "fingerprint": "1:other"})

    async def swapped(request: Request) -> web.StreamResponse:
        return await (other if request.route == "capabilities" else honest)(request)

    world.server.always = swapped
    second = await world.record("Another one.")
    async with world.worker():
        await world.failed(second)
        assert "ModelMismatchError" in (await world.build(second))[3] and await world.vectors(second) == []
        world.server.always = honest
        await world.becomes(second, "done")


async def test_a_model_swapped_in_the_middle_of_a_build_stores_nothing(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(SHORT)
    async with world.worker():
        await gate.asked.wait()
        identity = {"provider": "t", "model": "other", "dimensions": 4, "window": WINDOW}
        world.server.always = says({"identity": identity, "incomplete": [], "fingerprint": "1:other"})
        gate.opened.set()
        await world.failed(record)
        assert await world.vectors(record) == []


async def test_a_revision_in_the_middle_of_a_build_supersedes_it(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(LONG)
    revised = LONG + " And more of it."
    async with world.worker(max_jobs=1):
        await gate.asked.wait()
        await world.run("UPDATE records SET content = %s WHERE id = %s", revised, record)
        gate.opened.set()
        await world.becomes(record, "done")
    states = await world.run("SELECT state FROM node_builds WHERE record_id = %s ORDER BY id", record)
    assert states == [("superseded",), ("done",)]
    assert whole(await world.nodes(record), revised)


async def test_a_text_revised_back_and_forth_ends_with_its_own_nodes(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(LONG)
    async with world.worker(max_jobs=1):
        await gate.asked.wait()
        await world.run("UPDATE records SET content = 'x' WHERE id = %s", record)
        await world.run("UPDATE records SET content = %s WHERE id = %s", LONG, record)
        gate.opened.set()
        await world.settled()
    # The build of the text between left with that text.
    assert await world.run("SELECT state, crashes FROM node_builds") == [("done", 0)]
    assert whole(await world.nodes(record), LONG)


async def test_a_record_forgotten_in_the_middle_of_a_build_leaves_nothing(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(LONG)
    async with world.worker():
        await gate.asked.wait()
        await world.run("DELETE FROM records WHERE id = %s", record)
        gate.opened.set()
        other = await world.record(SHORT)
        await world.becomes(other, "done")
    assert await world.nodes(record) == [] and await world.vectors(record) == []


async def test_a_worker_whose_build_was_taken_over_writes_nothing(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(SHORT)
    async with world.worker(lease_s=60.0):
        await gate.asked.wait()
        await world.run(
            "UPDATE node_builds SET lease_token = gen_random_uuid(), lease_until = now() + '1 hour'::interval"
        )
        gate.opened.set()
        await asyncio.sleep(0.5)
        assert await world.vectors(record) == [] and (await world.build(record))[0] == "running"


async def test_a_worker_that_sees_its_lease_lost_stops_embedding(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(SHORT)
    async with world.worker(lease_s=0.6, max_jobs=1):
        await gate.asked.wait()
        await world.run("UPDATE node_builds SET lease_token = gen_random_uuid(), lease_until = now() + '1h'")
        world.server.always = honest
        other = await world.record("The mat.")
        # The one slot is free again although the server still holds the first request.
        await world.becomes(other, "done")
    assert await world.vectors(record) == []


async def test_a_long_build_keeps_its_lease(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(SHORT)
    async with world.worker(lease_s=0.6):
        await gate.asked.wait()
        await asyncio.sleep(2.0)
        gate.opened.set()
        assert await world.becomes(record, "done") == ("done", 0, 0, None)


async def test_a_worker_that_is_told_to_stop_gives_its_build_back_without_a_mark(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(SHORT)
    async with world.worker():
        await gate.asked.wait()
    assert await world.build(record) == ("pending", 0, 0, None)


async def test_two_builds_of_one_record_at_once_leave_its_nodes_once(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(LONG)
    await world.run(
        "INSERT INTO node_builds (agent_id, record_id, content_sha256, token_window, divider_version)"
        " SELECT agent_id, id, content_sha256, 12, 1 FROM records"
    )
    async with world.worker(max_jobs=2):
        await gate.asked.wait()
        await asyncio.sleep(0.3)
        gate.opened.set()
        await world.settled()
    assert await world.run("SELECT max(errors), max(crashes) FROM node_builds") == [(0, 0)]
    assert whole(await world.nodes(record), LONG)


async def test_one_record_is_written_by_one_build_at_a_time(world: World) -> None:
    record = RecordId(await world.record(SHORT))
    claim = LeasedBuild(AgentId("ann"), BuildId(1), record, b"", None, UUID(int=1), 0, 0, 0.0)
    async with world.database.transaction(claim.agent_id, 10) as first:
        assert await lock_record(first, claim) is not None
        with pytest.raises(DeadlineExceeded):
            async with world.database.transaction(claim.agent_id, 0.4) as second:
                await lock_record(second, claim)


async def test_a_record_that_fits_a_wider_window_loses_its_old_nodes(world: World) -> None:
    record = await world.record(SHORT)
    async with world.worker():
        await world.becomes(record, "done")
        await world.run(
            "INSERT INTO record_nodes (agent_id, record_id, node_index, start_char, end_char, token_count,"
            " token_window, model_id, divider_version, embedding)"
            " SELECT agent_id, record_id, 0, 0, 2, 3, 3, model_id, 1, embedding FROM record_vectors"
        )
        await world.run("UPDATE node_builds SET state = 'pending'")
        await world.becomes(record, "done")
    assert await world.nodes(record) == []
