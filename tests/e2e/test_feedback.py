"""Reports on what was recalled, through the public door."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import psycopg
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import feedback_service_pb2 as fb
from rensou.v1 import gate_pb2 as gates
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.conftest import DatabaseDsns
from tests.e2e.harness import failure_of, own_recall, recall, rows, store_many

USED, UNUSED, WRONG = fb.USE_VERDICT_USED, fb.USE_VERDICT_UNUSED, fb.USE_VERDICT_WRONG
QUESTION = "Where is the key of the harbour office?"
TEXTS = [
    "The key of the harbour office hangs behind the door.",
    "The key of the boat house is with Mira.",
    "Nobody has seen the key of the cellar.",
]
UNKNOWN = "0" * 32


async def report(client: RensouClient, agent: str, recall_id: str, *items: tuple[str, int]) -> fb.ReportUseResponse:
    reports = [fb.UseReport(ref=ref, verdict=verdict) for ref, verdict in items]
    return await client.feedback.ReportUse(
        fb.ReportUseRequest(agent_id=agent, recall_id=recall_id, items=reports), timeout=30
    )


async def codes(client: RensouClient, agent: str, recall_id: str, *items: tuple[str, int]) -> list[int]:
    return [one.code for one in (await report(client, agent, recall_id, *items)).results]


async def diagnose(client: RensouClient, agent: str, **fields: Any) -> fb.GetDiagnosticsResponse:
    return await client.feedback.GetDiagnostics(fb.GetDiagnosticsRequest(agent_id=agent, **fields), timeout=30)


@pytest.fixture
async def refs(client: RensouClient, agent: str) -> list[str]:
    return await store_many(client, agent, TEXTS)


async def test_a_recall_is_on_record_only_when_it_asks_and_says_nothing_else(
    client: RensouClient, stack: EmbeddedStack, agent: str, refs: list[str]
) -> None:
    plain, asked = await recall(client, agent, QUESTION), await recall(client, agent, QUESTION, report=True)
    assert plain.recall_id == "" and len(asked.recall_id) == 32
    asked.recall_id = ""
    assert asked == plain
    request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query=QUESTION)
    bare = await client.recall.Reconstruct(request, timeout=30)
    request.report = True
    logged = await client.recall.Reconstruct(request, timeout=30)
    assert bare.recall_id == "" and len(logged.recall_id) == 32
    statement = "SELECT l::text, l.method, l.returned_ids FROM rensou.recall_log l WHERE l.agent_id = %s"
    kept = await rows(stack.admin_dsn, statement, agent)
    assert sorted(row[1] for row in kept) == ["recall", "reconstruct"]
    returned = [int(hit.record.ref.split(":")[1]) for hit in plain.hits]
    assert returned in [row[2] for row in kept] and set(refs) == {hit.record.ref for hit in plain.hits}
    assert not any(word in row[0] for row in kept for word in ("key", "harbour", "Mira"))


async def test_the_first_rule_that_fits_says_what_went_wrong(client: RensouClient, agent: str, refs: list[str]) -> None:
    far = await store_many(client, agent, [f"Number {n} of a hundred other things." for n in range(60)])
    answer = await recall(client, agent, QUESTION, report=True, limit=1)
    (top,) = [hit.record.ref for hit in answer.hits]
    behind = next(ref for ref in refs if ref != top)
    said = await codes(client, agent, answer.recall_id, (top, USED), (behind, USED))
    assert said[0] == fb.FAILURE_CODE_NONE
    assert said[1] in (fb.FAILURE_CODE_RANKING_MISS, fb.FAILURE_CODE_FILTER_DROP)
    (late,) = await store_many(client, agent, ["It was not there when the question was asked."])
    assert await codes(client, agent, answer.recall_id, (late, USED)) == [fb.FAILURE_CODE_CANDIDATE_MISS]
    strict = await recall(client, agent, QUESTION, report=True, gate=gates.GATE_STRICT, limit=100)
    dropped = [ref for ref in far if ref not in {hit.record.ref for hit in strict.hits}]
    assert set(await codes(client, agent, strict.recall_id, *((ref, USED) for ref in dropped))) <= {
        fb.FAILURE_CODE_FILTER_DROP,
        fb.FAILURE_CODE_CANDIDATE_MISS,
    }


async def test_what_is_wrong_and_replaced_is_stale(client: RensouClient, agent: str, refs: list[str]) -> None:
    declared = pb.Associations(
        relations=[pb.RelationDeclaration(subject=refs[1], predicate="corrects", object=refs[0])]
    )
    await client.associations.DeclareAssociations(
        assoc.DeclareAssociationsRequest(scope=pb.WriteScope(agent_id=agent), associations=declared)
    )
    answer = await recall(client, agent, QUESTION, report=True)
    assert await codes(client, agent, answer.recall_id, (refs[0], WRONG), (refs[1], WRONG)) == [
        fb.FAILURE_CODE_STALE_CONFLICT,
        fb.FAILURE_CODE_UNATTRIBUTED,
    ]


async def test_noise_is_what_is_all_unused_and_ends_with_the_first_use(
    client: RensouClient, agent: str, refs: list[str]
) -> None:
    answer = await recall(client, agent, QUESTION, report=True)
    noise, nothing = fb.FAILURE_CODE_EVIDENCE_NOISE, fb.FAILURE_CODE_NONE
    assert await codes(client, agent, answer.recall_id, (refs[0], UNUSED), (refs[1], UNUSED)) == [noise, noise]
    assert await codes(client, agent, answer.recall_id, (refs[2], USED)) == [nothing]
    counts = [(one.verdict, one.code, one.reports) for one in (await diagnose(client, agent)).counts]
    assert counts == [(USED, nothing, 1), (UNUSED, nothing, 2)]
    # The last verdict on a record counts.
    await report(client, agent, answer.recall_id, (refs[2], UNUSED), (refs[2], UNUSED))
    counts = [(one.verdict, one.code, one.reports) for one in (await diagnose(client, agent)).counts]
    assert counts == [(UNUSED, noise, 3)]


async def test_a_degraded_answer_explains_everything(
    client: RensouClient, lexical: RensouClient, agent: str, refs: list[str]
) -> None:
    answer = await recall(lexical, agent, QUESTION, report=True)
    assert answer.HasField("degradation")
    (late,) = await store_many(client, agent, ["Not there when the question was asked."])
    degraded = fb.FAILURE_CODE_SYSTEM_DEGRADED
    assert (
        await codes(lexical, agent, answer.recall_id, (refs[0], WRONG), (refs[1], UNUSED), (late, USED))
        == [degraded] * 3
    )


async def test_what_cannot_be_kept_is_dropped_by_itself(client: RensouClient, agent: str, refs: list[str]) -> None:
    answer = await recall(client, agent, QUESTION, report=True)
    other = await store_many(client, f"{agent}-other", TEXTS[:1])
    said = await report(
        client, agent, answer.recall_id, ("mem:x", USED), (refs[0], 0), (refs[0], 9), (other[0], WRONG), (refs[0], USED)
    )
    assert [one.dropped for one in said.results] == [
        fb.USE_DROP_REASON_INVALID_REF,
        fb.USE_DROP_REASON_BAD_VERDICT,
        fb.USE_DROP_REASON_BAD_VERDICT,
        fb.USE_DROP_REASON_UNKNOWN_RECORD,
        fb.USE_DROP_REASON_UNSPECIFIED,
    ]
    assert said.persisted and said.results[4].code == fb.FAILURE_CODE_NONE
    for whose, which in ((agent, UNKNOWN), (f"{agent}-other", answer.recall_id)):
        said = await report(client, whose, which, (other[0], USED))
        assert [one.dropped for one in said.results] == [fb.USE_DROP_REASON_UNKNOWN_RECALL] and not said.persisted


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"recall_id": "x"}, "recall_id", "INVALID_FIELD"),
        ({"recall_id": UNKNOWN.upper() + "A"}, "recall_id", "INVALID_FIELD"),
        ({"items": []}, "items", "INVALID_FIELD"),
        ({"items": [fb.UseReport(ref="mem:1", verdict=USED)] * 101}, "items", "TOO_LARGE"),
    ],
)
async def test_a_bad_report_is_refused_by_its_field(
    client: RensouClient, agent: str, fields: dict[str, Any], field: str, reason: str
) -> None:
    good = {"recall_id": UNKNOWN, "items": [fb.UseReport(ref="mem:1", verdict=USED)]}
    failure = await failure_of(client.feedback.ReportUse(fb.ReportUseRequest(agent_id=agent, **(good | fields))))
    assert (failure.code, failure.reason, failure.fields) == (grpc.StatusCode.INVALID_ARGUMENT, reason, (field,))


async def test_diagnostics_name_the_worst_and_keep_projects_apart(
    client: RensouClient, agent: str, refs: list[str]
) -> None:
    for project, verdicts in (("p", (WRONG, UNUSED)), ("q", (WRONG, WRONG))):
        scope = pb.ReadScope(agent_id=agent, project_id=project)
        asked = rpc.RecallRequest(scope=scope, query=QUESTION, report=True)
        answer = await client.recall.Recall(asked, timeout=30)
        await report(client, agent, answer.recall_id, *zip(refs, verdicts, strict=False))
    found = await diagnose(client, agent)
    worst = [(one.ref, one.wrong, one.unused, one.used) for one in found.refs]
    assert worst == [(refs[0], 2, 0, 0), (refs[1], 1, 1, 0)]
    assert [(one.project_id, one.verdict, one.reports) for one in found.counts] == [
        ("p", UNUSED, 1),
        ("p", WRONG, 1),
        ("q", WRONG, 2),
    ]
    only = await diagnose(client, agent, project_id="q", months=99)
    assert [(one.project_id, one.reports) for one in only.counts] == [("q", 2)]
    assert [(one.field, one.applied) for one in only.lowered] == [("months", 12)]
    assert not (await diagnose(client, f"{agent}-other")).refs


async def test_no_report_moves_a_rank(client: RensouClient, agent: str, refs: list[str]) -> None:
    async def answers() -> list[bytes]:
        request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query=QUESTION)
        asked = [await recall(client, agent, QUESTION), await recall(client, agent, "")]
        given = [*asked, await client.recall.Reconstruct(request, timeout=30)]
        return [one.SerializeToString(deterministic=True) for one in given]

    before = await answers()
    for _ in range(5):
        answer = await recall(client, agent, QUESTION, report=True)
        await report(client, agent, answer.recall_id, (refs[0], WRONG), (refs[1], USED), (refs[2], UNUSED))
    more = await recall(client, agent, QUESTION, report=True)
    await report(client, agent, more.recall_id, (refs[0], WRONG))
    assert await answers() == before


async def test_reports_at_once_and_a_forgotten_record_leave_no_report_behind(
    client: RensouClient, stack: EmbeddedStack, agent: str, refs: list[str]
) -> None:
    answer = await recall(client, agent, QUESTION, report=True)
    said = await asyncio.gather(
        *(report(client, agent, answer.recall_id, *((ref, WRONG) for ref in order)) for order in (refs, refs[::-1]) * 4)
    )
    assert all(one.persisted for one in said)
    kept = await rows(stack.admin_dsn, "SELECT times FROM rensou.use_reports WHERE agent_id = %s", agent)
    assert kept == [(8,)] * 3
    await client.lifecycle.Forget(
        life.ForgetRequest(agent_id=agent, refs=refs[:2], mode=life.FORGET_MODE_HARD), timeout=30
    )
    left = await diagnose(client, agent)
    assert [(one.ref, one.wrong) for one in left.refs] == [(refs[2], 1)]


@pytest.fixture
async def alone(database_dsns: DatabaseDsns, tmp_path: Path) -> AsyncIterator[RensouClient]:
    """A service on a database of the test's own, by words alone."""
    async with own_recall(tmp_path, database_url=database_dsns.recall) as one, RensouClient(one.address) as client:
        yield client


async def test_an_answer_comes_without_an_id_when_it_cannot_be_put_on_record(
    alone: RensouClient, database_dsns: DatabaseDsns, agent: str
) -> None:
    await store_many(alone, agent, TEXTS)
    plain = await recall(alone, agent, QUESTION)
    async with await psycopg.AsyncConnection.connect(database_dsns.admin, autocommit=True) as admin_connection:
        await admin_connection.execute("REVOKE INSERT ON rensou.recall_log FROM rensou_recall")
        assert await recall(alone, agent, QUESTION, report=True) == plain
        await admin_connection.execute("GRANT INSERT ON rensou.recall_log TO rensou_recall")
        async with admin_connection.transaction():
            await admin_connection.execute("LOCK TABLE rensou.recall_log")
            assert await recall(alone, agent, QUESTION, report=True) == plain
    assert (await recall(alone, agent, QUESTION, report=True)).recall_id


async def test_health_says_when_nobody_takes_old_recalls_off_the_record(
    alone: RensouClient, database_dsns: DatabaseDsns, agent: str
) -> None:
    await store_many(alone, agent, TEXTS)
    await recall(alone, agent, QUESTION, report=True)
    asked = admin.CheckHealthRequest(agent_id=agent)
    assert "logs_past_age" not in {one.check for one in (await alone.admin.CheckHealth(asked)).issues}
    async with await psycopg.AsyncConnection.connect(database_dsns.admin, autocommit=True) as admin_connection:
        await admin_connection.execute("UPDATE rensou.recall_log SET at = now() - interval '92 days'")
    (issue,) = [one for one in (await alone.admin.CheckHealth(asked)).issues if one.check == "logs_past_age"]
    assert (issue.count, issue.severity) == (1, admin.SEVERITY_WARNING)


async def test_what_the_gate_let_pass_and_valid_at_left_out_is_no_drop_of_the_gate(
    client: RensouClient, agent: str
) -> None:
    past = pb.Validity(valid_to=Timestamp(seconds=1_600_000_000))
    (ref,) = await store_many(client, agent, ["The key of the shed is under the pot."], validity=past)
    await store_many(client, agent, TEXTS)
    now = Timestamp(seconds=1_700_000_000)
    answer = await recall(client, agent, "key of the shed", report=True, valid_at=now, gate=gates.GATE_OFF)
    assert ref not in {hit.record.ref for hit in answer.hits}
    assert await codes(client, agent, answer.recall_id, (ref, USED)) == [fb.FAILURE_CODE_RANKING_MISS]
