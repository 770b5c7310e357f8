"""Saying when something is true, and asking what is, through the public door."""

from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou.v1 import validity_pb2 as validity
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import found, recall, rows, store

WORK = "Where does Mika work?"


def year(number: int) -> Timestamp:
    return Timestamp(seconds=int(datetime(number, 1, 1, tzinfo=UTC).timestamp()))


async def say(client: RensouClient, agent: str, *said: validity.ValidityAssertion) -> validity.AssertValidityResponse:
    request = validity.AssertValidityRequest(agent_id=agent, assertions=said)
    return await client.lifecycle.AssertValidity(request, timeout=60)


async def test_a_change_of_jobs_is_told_as_of_any_year(client: RensouClient, agent: str) -> None:
    """B32: B is current and A is kept, closed; what is unrelated is untouched."""
    old = (await store(client, agent, "Mika works at Alpha.", validity=pb.Validity(valid_from=year(2019)))).ref
    tea = (await store(client, agent, "Mika works best with tea.")).ref
    new = (await store(client, agent, "Mika works at Beta.", validity=pb.Validity(valid_from=year(2024)))).ref
    (closed,) = (await say(client, agent, validity.ValidityAssertion(target=old, valid_to=year(2024)))).results
    assert (closed.asserted.valid_from, closed.asserted.valid_to) == (year(2019), year(2024))
    for at, there in ((2018, {tea}), (2020, {old, tea}), (2024, {new, tea})):
        answer = await recall(client, agent, WORK, valid_at=year(at), gate="GATE_OFF")
        assert {hit.record.ref for hit in answer.hits} == there
        assert set(answer.excluded_by_validity) == {old, new, tea} - there
    states = {hit.record.ref: hit.validity.state for hit in (await recall(client, agent, WORK, gate="GATE_OFF")).hits}
    assert states == {old: validity.VALIDITY_STATE_PAST, new: validity.VALIDITY_STATE_VALID, tea: 0}


async def test_each_assertion_is_answered_by_itself_and_a_locked_record_takes_one(
    client: RensouClient, agent: str
) -> None:
    ref = (await store(client, agent, "Mika works at Alpha.")).ref
    await client.lifecycle.LockRecord(life.LockRecordRequest(agent_id=agent, ref=ref), timeout=60)
    targets = (ref, "note", "mem:9223372036854775807", "rel:9223372036854775807", ref)
    said = [validity.ValidityAssertion(target=one, valid_from=year(2020)) for one in targets]
    first, *others = (await say(client, agent, *said)).results
    assert first.asserted.changed and [one.target for one in others] == list(targets[1:])
    assert [pb.DropReason.Name(one.dropped).removeprefix("DROP_REASON_") for one in others] == [
        "INVALID_REF",
        "RECORD_NOT_FOUND",
        "RELATION_NOT_FOUND",
        "INVALID_REF",
    ]
    early = validity.ValidityAssertion(target=ref, valid_to=year(2020))
    (refused,) = (await say(client, agent, early)).results
    assert refused.dropped == pb.DROP_REASON_INVALID_INTERVAL


async def test_a_bad_interval_is_reported_and_the_record_is_there(client: RensouClient, agent: str) -> None:
    backwards = pb.Validity(valid_from=year(2024), valid_to=year(2020))
    relation = pb.RelationDeclaration(subject="Mika", predicate="works at", object="Alpha", validity=backwards)
    stored = await store(
        client, agent, "Mika works at Alpha.", validity=backwards, associations=pb.Associations(relations=[relation])
    )
    bad = pb.DROP_REASON_INVALID_INTERVAL
    assert [(one.item, one.reason) for one in stored.dropped] == [("validity", bad)]
    assert [(one.item, one.reason) for one in stored.associations.dropped] == [("relations[0].validity", bad)]
    assert len(stored.associations.relations) == 1 and await found(client, agent, WORK) == [stored.ref]


async def test_reconstruct_and_traverse_answer_as_of_a_year(client: RensouClient, agent: str) -> None:
    def works(where: str, *years: int) -> pb.Associations:
        said = pb.Validity(valid_from=year(years[0]), valid_to=year(years[1]) if years[1:] else None)
        relation = pb.RelationDeclaration(subject="Mika", predicate="works at", object=where, validity=said)
        return pb.Associations(entities=[pb.EntityDeclaration(name="Mika")], relations=[relation])

    old = await store(client, agent, "Mika works at Alpha.", associations=works("Alpha", 2019, 2024))
    new = await store(client, agent, "Mika works at Beta.", associations=works("Beta", 2024))
    read = pb.ReadScope(agent_id=agent)
    for at, there, gone in ((2020, "Alpha", new), (2025, "Beta", old)):
        request = rpc.TraverseRequest(scope=read, entity="Mika", valid_at=year(at))
        walked = await client.recall.Traverse(request, timeout=60)
        assert [one.name for one in walked.entities] == ["Mika", there]
        assert walked.excluded_by_validity == [gone.associations.relations[0].ref]
    walked = await client.recall.Traverse(rpc.TraverseRequest(scope=read, entity="Mika"), timeout=60)
    (told,) = walked.timelines
    assert [one.ref for one in told.entries] == [one.associations.relations[0].ref for one in (old, new)]
    await say(client, agent, validity.ValidityAssertion(target=old.ref, valid_to=year(2024)))
    request = rpc.ReconstructRequest(scope=read, query=WORK, valid_at=year(2025))
    answer = await client.recall.Reconstruct(request, timeout=60)
    assert [one.ref for item in answer.items for one in item.claims] == [new.ref]
    assert answer.excluded_by_validity == [old.ref]


async def test_health_tells_what_is_over_and_capabilities_how_many_may_be_said(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """Health"""
    over = (await store(client, agent, "Mika works at Alpha.", validity=pb.Validity(valid_to=year(2020)))).ref
    await store(client, agent, "Mika works at Beta.", validity=pb.Validity(valid_to=year(2999)))
    answer = await client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent, repair=True), timeout=60)
    (issue,) = [one for one in answer.issues if one.check == "expired_assertions"]
    assert (issue.count, list(issue.refs), issue.severity) == (1, [over], admin.SEVERITY_INFO)
    able = await client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=60)
    assert {one.name: one.value for one in able.limits}["assert_validity.assertions"] == 100
    assert await rows(stack.admin_dsn, "SELECT count(*) FROM validity_assertions WHERE agent_id = %s", agent) == [(2,)]
