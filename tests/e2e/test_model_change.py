"""Changing the embedding model while the service answers: one model at a time, nothing mixed, nothing lost."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import types_pb2 as pb
from tests.e2e.harness import eventually, failure_of, get_contents, recall, rpc, service_environ, store, store_many
from tests.e2e.two_models import (
    AWAY,
    NEW,
    OLD,
    SLOW_NEW,
    TOKEN,
    FakeModel,
    TwoModels,
    answered_by,
    is_of,
    scores,
    two_models,
)

QUESTION = "Where is the lantern?"
TEXTS = [f"The lantern number {number} is lit." for number in range(6)]
# Past the window of both models.
LONG = "The lantern keeper wrote down every ship that passed the harbour wall in the fog of that long autumn."


@pytest.fixture
async def world(postgres: str, scratch_folder: Path) -> AsyncIterator[TwoModels]:
    async with two_models(postgres, scratch_folder) as one:
        yield one


async def test_answers_are_of_the_old_model_before_the_activation_and_of_the_new_one_after_it(
    world: TwoModels, agent: str
) -> None:
    """B35"""
    *_, long_ref = await store_many(world.client, agent, [*TEXTS, LONG])
    texts = [*TEXTS, LONG]
    async with world.worker():
        await world.is_built(NEW)
        await world.is_built(OLD)
        assert await answered_by(world, agent, QUESTION, texts) == OLD
        before = await world.models()
        assert before["old"].state == admin.EMBEDDING_MODEL_STATE_ACTIVE
        assert before["new"].state == admin.EMBEDDING_MODEL_STATE_BUILDING
        done = await world.activate(NEW)
        assert (done.former_fingerprint, done.fingerprint, done.lacking) == (OLD.fingerprint, NEW.fingerprint, 0)
        # The open service was told nothing, and has both the question and the old model's vectors at hand.
        assert await answered_by(world, agent, QUESTION, texts) == NEW
        for model in (OLD, NEW):
            await world.check_vectors(agent, model, texts)
        later = "The lantern went out."
        assert (await store(world.client, agent, later)).embedded
        assert await answered_by(world, agent, QUESTION, [*texts, later]) == NEW
        (item,) = (await get_contents(world.client, agent, long_ref)).items
        assert item.node_count == await _nodes(world, NEW) != await _nodes(world, OLD)


async def _nodes(world: TwoModels, model: FakeModel) -> int:
    found = await world.rows(
        "SELECT count(*) FROM record_nodes n JOIN embedding_models m ON m.id = n.model_id WHERE m.fingerprint = %s",
        model.fingerprint,
    )
    return found[0][0]


async def test_the_former_model_comes_back_the_same_way_as_long_as_nothing_is_lacking(
    world: TwoModels, agent: str
) -> None:
    """B35"""
    await store_many(world.client, agent, TEXTS)
    async with world.worker():
        await world.is_built(NEW)
        await world.activate(NEW)
        assert (await world.activate(OLD)).fingerprint == OLD.fingerprint
        assert await answered_by(world, agent, QUESTION, TEXTS) == OLD
        await world.activate(NEW)
        later = "The lantern went out."
        await store(world.client, agent, later)
        failure = await failure_of(world.activate(OLD))
        assert (failure.code.name, failure.reason) == ("FAILED_PRECONDITION", "EMBEDDING_MODEL_NOT_READY")
        assert "1 records" in failure.message
        assert await answered_by(world, agent, QUESTION, [*TEXTS, later]) == NEW


async def test_an_incomplete_model_is_refused_unless_it_is_allowed_and_then_the_words_answer_and_it_heals(
    world: TwoModels, agent: str
) -> None:
    """B08 B35"""
    await store_many(world.client, agent, TEXTS)
    world.following.always = NEW.refusing_texts()
    async with world.worker():

        async def is_known() -> bool:
            return "new" in await world.models()

        await eventually(is_known, "the next model is not met")
        # Its outage holds up no build of the active model.
        stored = await store(world.client, agent, LONG)
        assert stored.nodes == pb.NODES_STATUS_QUEUED
        await world.is_built(OLD)
        assert (await world.models())["new"].lacking == len(TEXTS) + 1
        failure = await failure_of(world.activate(NEW))
        assert (failure.code.name, failure.reason) == ("FAILED_PRECONDITION", "EMBEDDING_MODEL_NOT_READY")
        assert await answered_by(world, agent, QUESTION, [*TEXTS, LONG]) == OLD
        assert (await world.activate(NEW, allow_incomplete=True)).lacking == len(TEXTS) + 1
        answer = await recall(world.client, agent, QUESTION, limit=50)
        assert len(answer.hits) == len(TEXTS) + 1 and scores(answer) == {}
        assert answer.degradation.kind == pb.DEGRADATION_KIND_NO_QUERY_VECTOR
        world.following.always = NEW.answer
        await world.is_built(NEW)

        async def is_whole() -> bool:
            return not (await recall(world.client, agent, QUESTION, limit=50)).HasField("degradation")

        await eventually(is_whole, "questions have no vector")
        assert await answered_by(world, agent, QUESTION, [*TEXTS, LONG]) == NEW


async def test_kill_9_half_way_and_changes_meanwhile_leave_nothing_stale_and_nothing_undone(
    world: TwoModels, agent: str
) -> None:
    """B35"""
    world.following.always = SLOW_NEW.answer
    texts = [f"The lantern number {number} is lit." for number in range(40)]
    refs = await store_many(world.client, agent, texts)
    await store(world.client, agent, LONG)

    async def built() -> int:
        found = await world.rows(
            "SELECT count(*) FROM record_vectors v JOIN embedding_models m ON m.id = v.model_id WHERE m.name = 'new'"
        )
        return found[0][0]

    async with world.worker() as worker:

        async def is_half_way() -> bool:
            return await built() >= 8

        await eventually(is_half_way, "the rebuild did not begin")
        await worker.stop(signal.SIGKILL)
    half = await built()
    assert half < len(texts)
    # The first is built by now and the last is not: either changes, either goes, and one comes.
    revised = {0: "The first lantern was replaced.", 39: "The last lantern was replaced."}
    for place, content in revised.items():
        request = life.ReviseRecordRequest(agent_id=agent, ref=refs[place], content=content)
        assert (await world.client.lifecycle.ReviseRecord(request, timeout=30)).embedded
    gone = [refs[1], refs[38]]
    request = life.ForgetRequest(agent_id=agent, refs=gone, mode=life.FORGET_MODE_HARD)
    await world.client.lifecycle.Forget(request, timeout=30)
    await store(world.client, agent, "A lantern that came later.")
    left = [*revised.values(), *texts[2:38], LONG, "A lantern that came later."]
    async with world.worker():
        await world.is_built(NEW)
        await world.is_built(OLD)
    for model in (OLD, NEW):
        await world.check_vectors(agent, model, left)
    assert await world.rows("SELECT 1 FROM node_builds WHERE state IN ('pending', 'running', 'dead')") == []
    await world.activate(NEW)
    assert await answered_by(world, agent, QUESTION, left) == NEW


async def test_no_answer_is_mixed_while_models_are_changed_again_and_again(world: TwoModels, agent: str) -> None:
    """B35"""
    await store_many(world.client, agent, TEXTS)
    async with world.worker():
        await world.is_built(NEW)
    stop = asyncio.Event()
    answered = {OLD: 0, NEW: 0}
    calls = [0, 0, 0]

    async def ask(place: int) -> None:
        while not stop.is_set():
            answer = await recall(world.client, agent, QUESTION)
            assert len(answer.hits) >= len(TEXTS) and not answer.HasField("degradation")
            (model,) = [one for one in (OLD, NEW) if is_of(one, QUESTION, answer)]
            answered[model] += 1
            calls[place] += 1

    async def keep(place: int) -> None:
        while not stop.is_set():
            response = await store(world.client, agent, f"Something else, number {calls[place]}.")
            assert response.embedded and response.outcome == rpc.STORE_OUTCOME_STORED
            calls[place] += 1

    callers = [asyncio.create_task(one) for one in (ask(0), ask(1), keep(2))]
    for change in range(8):
        await world.activate((NEW, OLD)[change % 2], allow_incomplete=True)
        before = list(calls)
        # No call meets more than two changes, however slow the machine is.
        while not all(now > then for now, then in zip(calls, before, strict=True)):
            await asyncio.sleep(0.01)
            assert not any(one.done() for one in callers), [one for one in callers if one.done()]
    stop.set()
    await asyncio.gather(*callers)
    assert min(answered.values()) > 0
    found = await world.rows(
        "SELECT m.name, v.embedding::real[], r.content FROM record_vectors v"
        " JOIN records r ON r.agent_id = v.agent_id AND r.id = v.record_id"
        " JOIN embedding_models m ON m.id = v.model_id"
    )
    for name, vector, content in found:
        assert vector == pytest.approx({"old": OLD, "new": NEW}[name].vector(content), abs=2e-3)


async def test_what_cannot_be_activated_is_said_and_changes_nothing(world: TwoModels, agent: str) -> None:
    """B35"""
    await store_many(world.client, agent, TEXTS)
    failure = await failure_of(world.activate(FakeModel("unknown", 50)))
    assert (failure.code.name, failure.reason) == ("NOT_FOUND", "EMBEDDING_MODEL_NOT_FOUND")
    failure = await failure_of(world.activate(FakeModel("n" * 600, 50)))
    assert (failure.code.name, failure.reason, failure.fields) == ("INVALID_ARGUMENT", "TOO_LARGE", ("fingerprint",))
    same = await world.activate(OLD)
    assert same.former_fingerprint == same.fingerprint == OLD.fingerprint
    async with world.worker():
        await world.is_built(NEW)
    # Its server is gone by now, or serves something else: every question would be without a vector.
    world.following.always = FakeModel("another", 50).answer
    failure = await failure_of(world.activate(NEW, allow_incomplete=True))
    assert (failure.code.name, failure.reason) == ("FAILED_PRECONDITION", "EMBEDDING_MODEL_NOT_READY")
    assert "no server serves it" in failure.message
    assert await answered_by(world, agent, QUESTION, TEXTS) == OLD


async def _command(world: TwoModels, *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `rensou models`, with the operator's token."""
    token_file = world.folder / "operator.token"
    token_file.write_text(f"{TOKEN}\n", encoding="ascii")
    where = ("--address", world.operator_address, "--token-file", str(token_file))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "rensou_embedded", "models", *where, *arguments),
        env=service_environ(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    return process.returncode or 0, output.decode(), errors.decode()


async def test_the_command_lists_the_models_and_activates_one(world: TwoModels, agent: str) -> None:
    await store_many(world.client, agent, TEXTS)
    async with world.worker():
        await world.is_built(NEW)
    code, output, _ = await _command(world)
    assert code == 0 and output.splitlines()[0] == f"{len(TEXTS)} records"
    assert {tuple(line.split()[:4]) for line in output.splitlines()[1:]} == {
        ("active", "lacks", "0", OLD.fingerprint),
        ("building", "lacks", "0", NEW.fingerprint),
        ("main", "server", "serves", OLD.fingerprint),
        ("next", "server", "serves", NEW.fingerprint),
    }
    code, output, _ = await _command(world, "--activate", NEW.fingerprint)
    assert code == 0 and f"{NEW.fingerprint} is active in the place of {OLD.fingerprint}" in output
    assert await answered_by(world, agent, QUESTION, TEXTS) == NEW
    code, _, errors = await _command(world, "--activate", "1:unknown")
    assert code == 1 and "NOT_FOUND (EMBEDDING_MODEL_NOT_FOUND)" in errors


async def test_the_command_says_why_it_is_refused_and_what_to_do(world: TwoModels, agent: str) -> None:
    await store_many(world.client, agent, TEXTS)
    async with world.worker():
        await world.is_built(NEW)
    await store(world.client, agent, "The lantern went out.")
    code, _, errors = await _command(world, "--activate", NEW.fingerprint)
    assert code == 1 and "(EMBEDDING_MODEL_NOT_READY)" in errors and "1 records lack" in errors
    assert "--allow-incomplete" in errors
    world.following.always = FakeModel("another", 50).answer
    code, _, errors = await _command(world, "--activate", NEW.fingerprint, "--allow-incomplete")
    assert code == 1 and "no server serves it" in errors and "--allow-incomplete" not in errors


async def test_the_command_tells_a_next_server_that_serves_the_active_model_or_says_nothing(
    world: TwoModels, agent: str
) -> None:
    await store_many(world.client, agent, TEXTS)
    world.following.always = OLD.answer
    _, output, _ = await _command(world)
    assert output.splitlines()[-2:] == [
        f"main server  serves {OLD.fingerprint}",
        f"next server  serves {OLD.fingerprint}, the active model, as the main server does: nothing is built",
    ]
    world.following.always = AWAY
    _, output, _ = await _command(world)
    assert output.splitlines()[-1].startswith("next server  does not say what it serves: ")
