"""Builds through the public door: listed, asked for again, by an operator and by nobody else."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import builds_pb2 as pb
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import types_pb2 as types
from tests.e2e.builds_world import ANN, LONG_POISON, OPS, OTHER_OPS, Guarded, bearer, guarded_world, refuses_poison
from tests.e2e.harness import eventually, failure_of, get_contents, store


@pytest.fixture(scope="module")
async def guarded(postgres: str, scratch_folder: Path) -> AsyncIterator[Guarded]:
    async with guarded_world(postgres, scratch_folder) as world:
        yield world


@pytest.fixture(autouse=True)
def poison(guarded: Guarded) -> None:
    guarded.world.server.always = refuses_poison


async def test_a_poison_text_ends_dead_is_listed_and_gets_its_nodes_when_it_is_asked_for_again(
    guarded: Guarded, agent: str
) -> None:
    """B29"""
    ref, build = await guarded.poisoned(agent)
    assert (build.agent_id, build.state, build.errors, build.crashes) == (agent, pb.BUILD_STATE_DEAD, 1, 0)
    assert "EmbeddingRejectedError" in build.last_error and "poison" not in build.last_error
    assert not build.outdated and not build.rebuild and not build.HasField("lease_until_time")
    (again,) = (await guarded.retry(build.ref)).results
    assert (again.outcome, again.record_ref) == (pb.RETRY_OUTCOME_QUEUED, ref)
    # It fails as it did, until the server is mended.
    await guarded.poisoned(agent)
    ref, build = await guarded.poisoned(agent, f"another {LONG_POISON}")
    await guarded.world.becomes_honest()
    answer = await guarded.retry(all=True, agent_id=agent)
    assert build.ref in {one.ref for one in answer.results} and answer.queued == len(answer.results)
    assert answer.remaining == 0

    async def has_nodes() -> bool:
        await guarded.world.heals(agent)
        (item,) = (await get_contents(guarded.world.client, agent, ref)).items
        return item.node_count > 1

    await eventually(has_nodes, "the record has no nodes", 30)
    (gone,) = (await guarded.retry(build.ref)).results
    assert (gone.outcome, gone.agent_id, gone.record_ref) == (pb.RETRY_OUTCOME_NOT_FOUND, "", "")


async def test_a_dead_build_leaves_with_its_record_and_nobody_needs_that_of_a_former_text(
    guarded: Guarded, agent: str
) -> None:
    ref, build = await guarded.poisoned(agent)
    other, revised = await guarded.poisoned(agent, f"the other {LONG_POISON}")
    client = guarded.world.client
    request = life.ForgetRequest(agent_id=agent, refs=[ref], mode=life.FORGET_MODE_HARD)
    await client.lifecycle.Forget(request, timeout=30)
    await client.lifecycle.ReviseRecord(
        life.ReviseRecordRequest(agent_id=agent, ref=other, content="It is harmless."), timeout=30
    )
    gone, put_away = [one.outcome for one in (await guarded.retry(build.ref, revised.ref)).results]
    assert gone == pb.RETRY_OUTCOME_NOT_FOUND
    # Depending on whether the change of the text took the former build along.
    assert put_away in (pb.RETRY_OUTCOME_SUPERSEDED, pb.RETRY_OUTCOME_NOT_FOUND)
    assert (await guarded.page(agent_id=agent, state=pb.BUILD_STATE_DEAD)).builds == []


async def test_pages_go_on_where_they_ended_although_builds_come_and_go(guarded: Guarded, agent: str) -> None:
    made = [(await guarded.poisoned(agent, f"{number} {LONG_POISON}"))[1].ref for number in range(3)]
    asked = {"agent_id": agent, "state": pb.BUILD_STATE_DEAD}
    first = await guarded.page(page_size=2, **asked)
    _, late = await guarded.poisoned(agent, f"late {LONG_POISON}")
    _, _ = await guarded.poisoned(f"{agent}-before", LONG_POISON)
    second = await guarded.page(page_size=2, page_token=first.next_page_token, **asked)
    assert [one.ref for one in (*first.builds, *second.builds)] == [*made, late.ref] and not second.next_page_token
    assert not first.HasField("summary")
    summary = (await guarded.page(agent_id=agent, with_summary=True)).summary
    assert (summary.dead, summary.pending, summary.running) == (4, 0, 0)
    answer = await guarded.page(page_size=101, agent_id=agent)
    assert [(one.field, one.requested, one.applied) for one in answer.lowered] == [("page_size", 101, 100)]


async def test_a_token_of_another_question_is_refused(guarded: Guarded, agent: str) -> None:
    for number in range(2):
        await guarded.poisoned(agent, f"{number} {LONG_POISON}")
    token = (await guarded.page(agent_id=agent, page_size=1)).next_page_token
    assert len((await guarded.page(agent_id=agent, page_token=token)).builds) == 1
    for call in (
        guarded.page(page_token=token),
        guarded.page(agent_id=f"{agent}-b", page_token=token),
        guarded.page(agent_id=agent, state=pb.BUILD_STATE_DEAD, page_token=token),
        guarded.page(agent_id=agent, page_token=token[:-1]),
        guarded.page(agent_id=agent, page_token="x"),
    ):
        failure = await failure_of(call)
        assert (failure.code.name, failure.reason) == ("INVALID_ARGUMENT", "INVALID_PAGE_TOKEN")
        assert failure.fields == ("page_token",)


async def test_neither_method_is_open_to_an_agent_nor_without_a_token(guarded: Guarded) -> None:
    for call in (guarded.page(ANN, agent_id="ann"), guarded.retry("build:1", token=ANN, agent_id="ann")):
        failure = await failure_of(call)
        assert (failure.code.name, failure.reason) == ("PERMISSION_DENIED", "PERMISSION_DENIED")
    for call in (guarded.page("who-is-this-xxxxxxxxx"), guarded.retry(all=True, token="who-is-this-xxxxxxxxx")):
        assert (await failure_of(call)).code.name == "UNAUTHENTICATED"
    # A service without tokens has no operators.
    open_call = guarded.world.client.admin.ListBuilds(pb.ListBuildsRequest(), timeout=30)
    assert (await failure_of(open_call)).code.name == "PERMISSION_DENIED"


async def test_an_operator_of_some_agents_reaches_their_builds_alone(guarded: Guarded, agent: str) -> None:
    _, mine = await guarded.poisoned("bob", f"{agent} {LONG_POISON}")
    _, foreign = await guarded.poisoned(agent)
    assert {one.agent_id for one in (await guarded.page(OTHER_OPS)).builds} == {"bob"}
    answer = await guarded.retry(foreign.ref, token=OTHER_OPS)
    assert [one.outcome for one in answer.results] == [pb.RETRY_OUTCOME_NOT_FOUND]
    assert (await failure_of(guarded.page(OTHER_OPS, agent_id=agent))).code.name == "PERMISSION_DENIED"
    assert (await failure_of(guarded.retry(all=True, token=OTHER_OPS, agent_id=agent))).code.name == "PERMISSION_DENIED"
    summary = (await guarded.page(OTHER_OPS, with_summary=True)).summary
    assert summary.dead == len((await guarded.page(agent_id="bob")).builds)
    assert mine.ref in {one.ref for one in (await guarded.retry(all=True, token=OTHER_OPS)).results}
    assert foreign.ref in {one.ref for one in (await guarded.page(agent_id=agent)).builds}


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (pb.ListBuildsRequest(page_size=-1), "page_size"),
        (pb.ListBuildsRequest(state=99), "state"),  # pyright: ignore[reportArgumentType]
        (pb.ListBuildsRequest(agent_id="x" * 129), "agent_id"),
        (pb.RetryBuildsRequest(), "refs"),
        (pb.RetryBuildsRequest(refs=["build:1"], all=True), "refs"),
        (pb.RetryBuildsRequest(refs=["build:1", "mem:1"]), "refs[1]"),
        (pb.RetryBuildsRequest(refs=["build:1"] * 101), "refs"),
        (pb.RetryBuildsRequest(all=True, limit=0), "limit"),
        (pb.RetryBuildsRequest(all=True, agent_id=" "), "agent_id"),
    ],
)
async def test_a_request_that_says_nothing_clear_is_refused_by_its_field(
    guarded: Guarded, request_: pb.ListBuildsRequest | pb.RetryBuildsRequest, field: str
) -> None:
    stub = guarded.client.admin
    sent: Any = stub.ListBuilds if isinstance(request_, pb.ListBuildsRequest) else stub.RetryBuilds
    failure = await failure_of(sent(request_, **bearer(OPS)))
    assert failure.code.name == "INVALID_ARGUMENT" and failure.fields == (field,)


async def test_capabilities_name_the_bounds(guarded: Guarded) -> None:
    answer = await guarded.client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), **bearer(ANN))
    limits = {one.name: one.value for one in answer.limits}
    assert (limits["list_builds.page_size"], limits["retry_builds.refs"], limits["retry_builds.limit"]) == (
        100,
        100,
        500,
    )
    assert limits["check_health.repaired"] == 50


async def test_health_says_how_many_it_asked_for_and_how_many_are_left(guarded: Guarded, agent: str) -> None:
    await guarded.world.becomes_honest()
    for number in range(2):
        stored = await store(guarded.world.client, agent, f"{number} is long enough to be divided.")
        assert stored.nodes == types.NODES_STATUS_QUEUED
    await guarded.world.rows("UPDATE node_builds SET next_at = now() + interval '1 h' WHERE agent_id = %s", agent)
    await guarded.world.rows("DELETE FROM record_nodes WHERE agent_id = %s", agent)
    await guarded.world.rows("DELETE FROM node_builds WHERE agent_id = %s", agent)
    request = admin.CheckHealthRequest(agent_id=agent)
    (issue,) = (await guarded.client.admin.CheckHealth(request, **bearer(OPS))).issues
    assert (issue.check, issue.severity, issue.count) == ("missing_nodes", admin.SEVERITY_INFO, 2)
    assert (issue.repairable, issue.queued, issue.remaining, issue.waiting, issue.unknown) == (2, 0, 2, 0, 0)
    await guarded.world.rows("UPDATE record_vectors SET token_count = NULL WHERE agent_id = %s", agent)
    request.repair = True
    (issue,) = (await guarded.client.admin.CheckHealth(request, **bearer(OPS))).issues
    assert (issue.count, issue.unknown, issue.queued, issue.remaining) == (0, 2, 2, 0)
    assert "nobody has counted" in issue.message

    async def healed() -> bool:
        return not (await guarded.client.admin.CheckHealth(request, **bearer(OPS))).issues

    await eventually(healed, "what was unknown was not counted and divided", 30)
