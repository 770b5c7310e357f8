"""Policies that ask what became of records: recalled, reported, and how well they are grounded."""

from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import confidence_pb2 as confidence
from rensou.v1 import feedback_service_pb2 as fb
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import retention_pb2 as ret
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import failure_of, memory, recall, rows, store_many

TEXTS = ["The kettle is green.", "The kettle is in the kitchen.", "The kettle was a gift."]


@pytest.fixture
async def refs(client: RensouClient, stack: EmbeddedStack, agent: str) -> list[str]:
    """Three records of a hundred days ago."""
    kept = await store_many(client, agent, TEXTS)
    statement = "UPDATE rensou.records SET created_at = now() - interval '100 days' WHERE agent_id = %s RETURNING id"
    await rows(stack.admin_dsn, statement, agent)
    return kept


async def matches(client: RensouClient, agent: str, **tests: Any) -> dict[str, list[tuple[int, str]]]:
    """The grounds of what a policy of these tests would retire, by ref."""
    key = ret.PolicyKey(scope=pb.WriteScope(agent_id=agent), name="by use")
    policy = ret.RetentionPolicy(key=key, tests=ret.RetentionTests(**tests))
    await client.lifecycle.PutRetentionPolicy(ret.PutRetentionPolicyRequest(policy=policy), timeout=30)
    listed = await client.lifecycle.ListRetention(ret.ListRetentionRequest(key=key), timeout=30)
    return {one.ref: [(ground.test, ground.found) for ground in one.grounds] for one in listed.matches}


async def report(client: RensouClient, agent: str, recall_id: str, *items: tuple[str, int]) -> None:
    reports = [fb.UseReport(ref=ref, verdict=verdict) for ref, verdict in items]
    request = fb.ReportUseRequest(agent_id=agent, recall_id=recall_id, items=reports)
    assert (await client.feedback.ReportUse(request, timeout=30)).persisted


async def test_what_no_recall_on_record_returned_lately_may_go(
    client: RensouClient, stack: EmbeddedStack, agent: str, refs: list[str]
) -> None:
    test = ret.RETENTION_TEST_NOT_RECALLED_DAYS
    (late,) = await store_many(client, agent, ["The kettle is new."])
    assert await matches(client, agent, not_recalled_days=30) == {ref: [(test, "never")] for ref in refs}
    await recall(client, agent, "kettle")
    assert len(await matches(client, agent, not_recalled_days=30)) == 3
    answer = await recall(client, agent, "kettle", report=True)
    assert {*refs, late} == {hit.record.ref for hit in answer.hits}
    assert await matches(client, agent, not_recalled_days=30) == {}
    statement = "UPDATE rensou.recall_log SET at = now() - interval '40 days' WHERE agent_id = %s RETURNING at"
    await rows(stack.admin_dsn, statement, agent)
    assert await matches(client, agent, not_recalled_days=30) == {ref: [(test, "40")] for ref in refs}
    assert await matches(client, agent, not_recalled_days=50) == {}


async def test_reports_are_counted_by_verdict_and_the_last_one_counts(
    client: RensouClient, agent: str, refs: list[str]
) -> None:
    wrong, unused = ret.RETENTION_TEST_WRONG_REPORTS_AT_LEAST, ret.RETENTION_TEST_UNUSED_REPORTS_AT_LEAST
    for number in range(3):
        answer = await recall(client, agent, "kettle", report=True)
        await report(client, agent, answer.recall_id, (refs[0], fb.USE_VERDICT_WRONG), (refs[1], fb.USE_VERDICT_UNUSED))
        if number == 2:
            await report(client, agent, answer.recall_id, (refs[0], fb.USE_VERDICT_USED))
    assert await matches(client, agent, wrong_reports_at_least=2) == {refs[0]: [(wrong, "2")]}
    assert await matches(client, agent, wrong_reports_at_least=3) == {}
    assert await matches(client, agent, unused_reports_at_least=3) == {refs[1]: [(unused, "3")]}
    assert await matches(client, agent, unused_reports_at_least=1, wrong_reports_at_least=1) == {}


async def test_doubtful_records_may_go_and_those_nothing_is_said_about_may_not(
    client: RensouClient, agent: str
) -> None:
    async def told(text: str, certainty: int) -> str:
        request = memory(agent, text, certainty=certainty, source=pb.Source(id="mira"))
        return (await client.recall.Store(request, timeout=30)).ref

    vague = await told("The kettle may be blue.", confidence.CERTAINTY_VAGUE)
    sure = await told("The kettle is here.", confidence.CERTAINTY_SURE)
    (unsaid,) = await store_many(client, agent, ["The kettle is somewhere."], source=pb.Source(id="mira"))
    test = ret.RETENTION_TEST_CONFIDENCE_AT_MOST
    low, high = confidence.CONFIDENCE_LEVEL_LOW, confidence.CONFIDENCE_LEVEL_HIGH
    assert await matches(client, agent, confidence_at_most=low) == {vague: [(test, "1")]}
    assert await matches(client, agent, confidence_at_most=high) == {vague: [(test, "1")], sure: [(test, "3")]}
    declared = pb.Associations(relations=[pb.RelationDeclaration(subject=unsaid, predicate="corrects", object=sure)])
    await client.associations.DeclareAssociations(
        assoc.DeclareAssociationsRequest(scope=pb.WriteScope(agent_id=agent), associations=declared)
    )
    replaced = await matches(client, agent, confidence_at_most=low)
    assert replaced == {vague: [(test, "1")], sure: [(test, "0")]}


@pytest.mark.parametrize(
    ("tests", "field"),
    [
        ({"not_recalled_days": 91}, "not_recalled_days"),
        ({"wrong_reports_at_least": 0}, "wrong_reports_at_least"),
        ({"unused_reports_at_least": 10_001}, "unused_reports_at_least"),
        ({"confidence_at_most": 9}, "confidence_at_most"),
    ],
)
async def test_a_bound_outside_its_range_is_refused_by_its_field(
    client: RensouClient, agent: str, tests: dict[str, int], field: str
) -> None:
    failure = await failure_of(matches(client, agent, **tests))
    assert (failure.reason, failure.fields) == ("INVALID_FIELD", (f"policy.tests.{field}",))


async def test_a_report_on_a_former_text_says_nothing_of_the_one_that_stands(
    client: RensouClient, agent: str, refs: list[str]
) -> None:
    answer = await recall(client, agent, "kettle", report=True)
    await report(client, agent, answer.recall_id, (refs[0], fb.USE_VERDICT_WRONG))
    assert list(await matches(client, agent, wrong_reports_at_least=1)) == [refs[0]]
    revised = life.ReviseRecordRequest(agent_id=agent, ref=refs[0], content="The kettle is blue.")
    await client.lifecycle.ReviseRecord(revised, timeout=30)
    assert await matches(client, agent, wrong_reports_at_least=1) == {}


async def test_what_is_true_no_more_is_doubtful_whatever_its_author_said(client: RensouClient, agent: str) -> None:
    past = pb.Validity(valid_to=Timestamp(seconds=1_600_000_000))
    request = memory(
        agent, "The kettle is red.", certainty=confidence.CERTAINTY_SURE, source=pb.Source(id="mira"), validity=past
    )
    ref = (await client.recall.Store(request, timeout=30)).ref
    none = confidence.CONFIDENCE_LEVEL_NONE
    assert await matches(client, agent, confidence_at_most=none) == {
        ref: [(ret.RETENTION_TEST_CONFIDENCE_AT_MOST, "0")]
    }
