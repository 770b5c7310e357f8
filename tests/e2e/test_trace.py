"""The trace through the public door: it says how an answer came about, changes nothing of it, and holds no text."""

from datetime import UTC, datetime

import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import time_cue_pb2 as cue_pb
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import TIMEOUT_S, memory, recall, store

FUSIONS = [pb.FUSION_CONVEX, pb.FUSION_RRF]
QUESTION = "zanzibarkite タコ凧揚大会 when"
CUE = cue_pb.TimeCue(
    confidence=cue_pb.TIME_CONFIDENCE_SURE,
    period=cue_pb.TimePeriod(after_time=datetime(2024, 1, 3, tzinfo=UTC), before_time=datetime(2024, 1, 6, tzinfo=UTC)),
)


async def fill(client: RensouClient, agent: str) -> list[str]:
    stored: list[str] = []
    for day in range(1, 9):
        request = memory(agent, f"markerword{day} zanzibarkite 凧揚大会 number {day}", session_id="markersession")
        request.occurred_time.FromDatetime(datetime(2024, 1, day, tzinfo=UTC))
        request.source.MergeFrom(pb.Source(type="markertype", id="markersource", name="markername"))
        stored.append((await client.recall.Store(request, timeout=TIMEOUT_S)).ref)
    return stored


def without_trace(answer: rpc.RecallResponse) -> bytes:
    copy = rpc.RecallResponse()
    copy.CopyFrom(answer)
    copy.ClearField("trace")
    return copy.SerializeToString(deterministic=True)


@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize("query", [QUESTION, ""])
async def test_an_answer_is_the_same_with_and_without_a_trace_and_the_trace_holds_no_text(
    client: RensouClient, agent: str, query: str, fusion: pb.Fusion
) -> None:
    stored = await fill(client, agent)
    bounds = {"limit": 3, "exclude": stored[:1], "fusion": fusion, "time_cue": CUE}
    plain = await recall(client, agent, query, **bounds)
    traced = await recall(client, agent, query, trace=True, **bounds)
    assert not plain.HasField("trace")
    assert traced.HasField("trace")
    assert without_trace(traced) == without_trace(plain)
    bytes_sent = traced.trace.SerializeToString()
    for text in ("marker", "zanzibar", "number", "when", "凧", "タコ"):
        assert text.encode() not in bytes_sent


@pytest.mark.parametrize("fusion", FUSIONS)
async def test_a_trace_accounts_for_every_candidate_and_hit(
    client: RensouClient, agent: str, fusion: pb.Fusion
) -> None:
    stored = await fill(client, agent)
    answer = await recall(client, agent, QUESTION, trace=True, limit=3, exclude=stored[:1], fusion=fusion, time_cue=CUE)
    trace, ranked = answer.trace, [hit for hit in answer.hits if hit.explanation.admission == rpc.ADMISSION_RANKED]
    assert (trace.trace_version, trace.scope.agent_id, trace.bounds.limit, trace.bounds.exclude) == (1, agent, 3, 1)
    assert trace.bounds.fusion == fusion
    assert list(trace.policies)[-1] == "cued-v1"
    gate = trace.gate
    assert [one.ref for one in gate.decisions] == [one.ref for one in trace.candidates]
    assert sum(not one.passed for one in gate.decisions) == answer.refused == trace.cuts.refused
    cuts = trace.cuts
    assert cuts.candidates == answer.candidates == len(trace.candidates)
    assert cuts.candidates == cuts.refused + cuts.excluded + cuts.gone + cuts.beyond_limit + len(ranked)
    assert (cuts.excluded, cuts.gone) == (1, 0)
    candidates = {one.ref: one for one in trace.candidates}
    assert [one.score for one in trace.candidates] == sorted((one.score for one in trace.candidates), reverse=True)
    for hit in ranked:
        one = candidates[hit.record.ref]
        assert (one.score, list(one.votes), list(one.priors)) == (
            hit.explanation.score,
            list(hit.explanation.votes),
            list(hit.explanation.priors),
        )
    by_arm = {arm.arm: arm for arm in trace.arms}
    assert set(by_arm) == {pb.ARM_VECTOR, pb.ARM_LEXICAL}
    for number, arm in by_arm.items():
        assert [row.rank for row in arm.rows] == list(range(1, len(arm.rows) + 1))
        for row in arm.rows:
            (vote,) = [vote for vote in candidates[row.ref].votes if vote.arm == number]
            # Equal scores share the best of their ranks where ranks are what counts.
            shared = min(one.rank for one in arm.rows if one.raw == row.raw)
            assert (vote.rank, vote.score) == (shared if fusion == pb.FUSION_RRF else row.rank, row.raw)
    assert {row.ref for row in trace.time_cue.rows} == set(stored[2:5])
    assert list(trace.time_cue.seats) == [
        hit.record.ref for hit in answer.hits if hit.explanation.admission == rpc.ADMISSION_TIME_CUE
    ]
    assert sum(move.to_place < move.from_place for move in trace.time_cue.moves) == answer.time_cue.moved


async def test_coverage_names_the_parts_of_the_question_by_their_places(client: RensouClient, agent: str) -> None:
    stored = await fill(client, agent)
    answer = await recall(client, agent, QUESTION, trace=True, limit=8)
    parts = {QUESTION[part.span.start : part.span.end]: set(part.refs) for part in answer.trace.coverage.parts}
    assert parts == {"zanzibarkite": set(stored), "タコ": set(), "凧揚大会": set(stored), "when": set()}


async def test_timings_and_the_origin_of_the_vector_are_told(
    client: RensouClient, lexical: RensouClient, agent: str
) -> None:
    await store(client, agent, "The lantern of the harbour.")
    first = (await recall(client, agent, "a lantern of its own", trace=True)).trace
    again = (await recall(client, agent, "a lantern of its own", trace=True)).trace
    assert (first.question_vector, again.question_vector) == (rpc.QUESTION_VECTOR_EMBEDDED, rpc.QUESTION_VECTOR_KEPT)
    for timings in (first.timings, again.timings):
        parts = (timings.embed_ms, timings.database_ms, timings.stages_ms, timings.trace_ms)
        assert min(parts) > 0
        assert timings.total_ms == pytest.approx(sum(parts) + timings.gate_ms)
        assert timings.rerank_ms == 0
    alone = await recall(lexical, agent, "a lantern of its own", trace=True)
    assert alone.trace.question_vector == rpc.QUESTION_VECTOR_UNSPECIFIED
    assert {arm.arm for arm in alone.trace.arms} == {pb.ARM_LEXICAL}
    newest = await recall(client, agent, "", trace=True)
    assert [arm.arm for arm in newest.trace.arms] == [pb.ARM_RECENT]
    assert list(newest.trace.policies) == ["newest-v1"]


async def test_the_bound_is_among_the_limits(client: RensouClient) -> None:
    answer = await client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=TIMEOUT_S)
    assert {limit.name: limit.value for limit in answer.limits}["recall.trace.candidates"] == 300
