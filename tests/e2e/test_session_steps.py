"""Steps for records with a session, through the public door: they move a ranking, say so, and can be left out."""

import math
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import gate_pb2
from rensou.v1 import lifecycle_service_pb2 as lifecycle
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import TIMEOUT_S, failure_of, recall, store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ASKED, ANSWER = "Did you repair the kettle?", "Yes, yesterday."
STEPS = [step for step in rpc.Step.values() if step]
# Answers that name nothing of the question are what the steps are about, and what the gate refuses.
OPEN = {"gate": gate_pb2.GATE_OFF}


async def say(client: RensouClient, agent: str, text: str, minute: int, session: str = "s", speaker: str = "") -> str:
    request = rpc.StoreRequest(
        scope=pb.WriteScope(agent_id=agent),
        memory=rpc.MemoryContent(content=text),
        session_id=session,
        source=pb.Source(name=speaker),
    )
    request.occurred_time.FromDatetime(NOON + timedelta(minutes=minute))
    return (await client.recall.Store(request, timeout=TIMEOUT_S)).ref


def shares(hit: rpc.Hit) -> dict[int, float]:
    return {prior.step: prior.share for prior in hit.explanation.priors}


@pytest.fixture
def agent() -> str:
    return f"steps-{uuid.uuid4()}"


async def test_a_hit_says_what_each_step_added_and_each_can_be_left_out(client: RensouClient, agent: str) -> None:
    await say(client, agent, ASKED, 0)
    answer = await say(client, agent, f"{ANSWER} Is it hot?", 1, speaker="Mika")
    await store(client, agent, "The harbour is far from here.")
    query = "When did Mika repair the kettle, was it in March 2026?"
    whole = {hit.record.ref: hit for hit in (await recall(client, agent, query, **OPEN)).hits}
    assert list(shares(whole[answer])) == STEPS
    for hit in whole.values():
        parts = [one.share for one in (*hit.explanation.votes, *hit.explanation.priors)]
        assert hit.explanation.score == pytest.approx(math.fsum(parts))
    for step in STEPS:
        hits = (await recall(client, agent, query, without=[step], **OPEN)).hits
        (hit,) = [one for one in hits if one.record.ref == answer]
        assert set(shares(hit)) == set(STEPS) - {step}
    assert not any(shares(hit) for hit in (await recall(client, agent, query, without=STEPS, **OPEN)).hits)
    assert not any(shares(hit) for hit in (await recall(client, agent, query, fusion=pb.FUSION_RRF, **OPEN)).hits)


async def test_records_without_a_session_are_ranked_as_without_the_steps(client: RensouClient, agent: str) -> None:
    for minute, text in enumerate((ASKED, ANSWER, "At three on Monday.")):
        await say(client, agent, text, minute, session="")
    query = "When did I repair the kettle in March 2026?"
    assert (await recall(client, agent, query, **OPEN)).hits == (
        await recall(client, agent, query, without=STEPS, **OPEN)
    ).hits


async def test_a_forgotten_or_revised_predecessor_speaks_no_more(client: RensouClient, agent: str) -> None:
    asked = await say(client, agent, ASKED, 0)
    answer = await say(client, agent, ANSWER, 1)
    second = await say(client, agent, "Which clock is broken?", 2)
    last = await say(client, agent, "The blue one.", 3)

    async def context(query: str, ref: str) -> float:
        hits = (await recall(client, agent, query, **OPEN)).hits
        (hit,) = [one for one in hits if one.record.ref == ref]
        return shares(hit).get(rpc.STEP_CONTEXT, 0.0)

    assert await context("kettle", answer) > 0
    assert await context("clock", last) > 0
    forget = lifecycle.ForgetRequest(agent_id=agent, refs=[asked], mode=lifecycle.FORGET_MODE_HARD)
    await client.lifecycle.Forget(forget, timeout=TIMEOUT_S)
    revise = lifecycle.ReviseRecordRequest(agent_id=agent, ref=second, content="Which boat is broken?")
    await client.lifecycle.ReviseRecord(revise, timeout=TIMEOUT_S)
    assert await context("kettle", answer) == 0
    assert await context("clock", last) == 0
    assert await context("boat", last) > 0


async def test_an_unknown_step_is_refused_by_its_field(client: RensouClient, agent: str) -> None:
    failure = await failure_of(recall(client, agent, "tea", without=[rpc.STEP_CONTEXT, 99]))
    assert failure.fields == ("without[1]",)
    request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query="tea", without=[0])
    failure = await failure_of(client.recall.Reconstruct(request, timeout=TIMEOUT_S))
    assert failure.fields == ("without[0]",)


async def test_capabilities_list_every_step_that_a_request_may_leave_out(client: RensouClient, agent: str) -> None:
    capabilities = await client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=TIMEOUT_S)
    assert list(capabilities.steps) == STEPS
    await recall(client, agent, "anything", without=capabilities.steps)
