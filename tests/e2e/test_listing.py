"""Lists of what is declared, in pages, through the public door."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import OwnRecall, failure_of, own_recall, store

SECRET = "a-secret-of-the-deployment"
FORMS = [("Ann", "Lives in", "Kobe"), ("Ann", "lives in", "Nara"), ("Bob", "knows", "Ann"), ("Cy", "knows", "Ann")]


async def _declare(client: RensouClient, agent: str, *forms: tuple[str, str, str], **scope: str) -> list[str]:
    """The refs of relations."""
    relations = [pb.RelationDeclaration(subject=s, predicate=p, object=o) for s, p, o in forms]
    request = assoc.DeclareAssociationsRequest(
        scope=pb.WriteScope(agent_id=agent, **scope), associations=pb.Associations(relations=relations)
    )
    answer = await client.associations.DeclareAssociations(request, timeout=60)
    assert not answer.report.dropped
    return [one.ref for one in answer.report.relations]


async def _relations(client: RensouClient, agent: str, **fields: Any) -> assoc.ListRelationsResponse:
    scope = fields.pop("scope", pb.ReadScope(agent_id=agent))
    return await client.associations.ListRelations(assoc.ListRelationsRequest(scope=scope, **fields), timeout=60)


async def _entities(client: RensouClient, agent: str, **fields: Any) -> assoc.ListEntitiesResponse:
    scope = fields.pop("scope", pb.ReadScope(agent_id=agent))
    return await client.associations.ListEntities(assoc.ListEntitiesRequest(scope=scope, **fields), timeout=60)


async def _candidates(client: RensouClient, agent: str, **fields: Any) -> assoc.ListContradictionCandidatesResponse:
    scope = fields.pop("scope", pb.ReadScope(agent_id=agent))
    request = assoc.ListContradictionCandidatesRequest(scope=scope, **fields)
    return await client.associations.ListContradictionCandidates(request, timeout=60)


async def test_pages_lead_from_one_to_the_next_until_there_is_no_token(client: RensouClient, agent: str) -> None:
    refs = await _declare(client, agent, *FORMS)
    found, token = list[str](), ""
    for size in (1, 2, 100):
        page = await _relations(client, agent, page_size=size, page_token=token)
        found += [one.ref for one in page.relations]
        token = page.next_page_token
    assert (found, token) == (refs, "")


async def test_mixed_relations_are_listed_with_names_and_refs(client: RensouClient, agent: str) -> None:
    ref = (await store(client, agent, "Ann went home.")).ref
    await _declare(client, agent, ("Ann", "is named in", ref), (ref, "Shows", "Kobe"), project_id="P")
    page = await _relations(client, agent, end_ref=ref)
    shown = [(one.subject, one.subject_name, one.predicate, one.object, one.object_name) for one in page.relations]
    ann, kobe = [one.ref for one in (await _entities(client, agent)).entities]
    assert shown == [(ann, "Ann", "is named in", ref, ""), (ref, "", "Shows", kobe, "Kobe")]
    assert {(one.project_id, one.declared_by) for one in page.relations} == {("P", "agent")}
    assert (await _relations(client, agent, scope=pb.ReadScope(agent_id=agent, project_id="Q"))).relations == []


async def test_entities_are_found_by_another_name_and_by_the_record_that_mentions_them(
    client: RensouClient, agent: str
) -> None:
    names = pb.Associations(entities=[pb.EntityDeclaration(name="MizEye", aliases=["ミズアイ"])])
    ref = (await store(client, agent, "It sees.", associations=names)).ref
    (eye,) = (await _entities(client, agent, name="ﾐｽﾞｱｲ")).entities
    assert (eye.name, list(eye.aliases), eye.aliases_omitted) == ("MizEye", ["ミズアイ"], 0)
    assert list((await _entities(client, agent, mentioned_in=ref)).entities) == [eye]


async def test_candidates_of_contradiction_are_listed_and_leave_with_one_of_them(
    client: RensouClient, agent: str
) -> None:
    kobe, nara, *_ = await _declare(client, agent, *FORMS)
    (one,) = (await _candidates(client, agent)).candidates
    assert (one.first.ref, one.second.ref, one.predicate) == (kobe, nara, "lives in")
    assert (one.first.object_name, one.second.object_name, one.subject) == ("Kobe", "Nara", one.first.subject)
    retract = assoc.Retraction(relations=[kobe])
    request = assoc.DeclareAssociationsRequest(scope=pb.WriteScope(agent_id=agent), retract=retract)
    await client.associations.DeclareAssociations(request, timeout=60)
    assert list((await _candidates(client, agent)).candidates) == []


async def test_a_page_above_its_maximum_is_lowered_and_reported(client: RensouClient, agent: str) -> None:
    for answer in (
        await _relations(client, agent, page_size=101),
        await _entities(client, agent, page_size=101),
        await _candidates(client, agent, page_size=101),
    ):
        assert [(one.field, one.requested, one.applied) for one in answer.lowered] == [("page_size", 101, 100)]


async def test_capabilities_name_the_largest_page(client: RensouClient) -> None:
    answer = await client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=60)
    assert [one.value for one in answer.limits if one.name == "associations.page_size"] == [100]


async def test_a_token_is_taken_by_its_own_call_alone(client: RensouClient, agent: str) -> None:
    other = f"{agent}-b"
    for one in (agent, other):
        await _declare(client, one, *FORMS)
    token = (await _relations(client, agent, page_size=1)).next_page_token
    forged = ("B" if token[0] == "A" else "A") + token[1:]
    for call in (
        _relations(client, agent, page_token=forged),
        _relations(client, agent, page_token=token[:-1]),
        _relations(client, other, page_token=token),
        _relations(client, agent, page_token=token, scope=pb.ReadScope(agent_id=agent, project_id="")),
        _relations(client, agent, page_token=token, scope=pb.ReadScope(agent_id=agent, channel="C")),
        _relations(client, agent, page_token=token, predicate="knows"),
        _entities(client, agent, page_token=token),
        _candidates(client, agent, page_token=token),
    ):
        failure = await failure_of(call)
        assert (failure.code.name, failure.reason) == ("INVALID_ARGUMENT", "INVALID_PAGE_TOKEN")
        assert failure.fields == ("page_token",) and failure.domain == "rensou.v1"
    assert len((await _relations(client, agent, page_token=token)).relations) == 3


@pytest.fixture
async def others(stack: EmbeddedStack, tmp_path: Path) -> AsyncIterator[tuple[OwnRecall, OwnRecall, OwnRecall]]:
    """Three processes: two that share a secret, one of them by a file, and one without any."""
    path = tmp_path / "key"
    path.write_text(f"{SECRET}\n")
    dsn = stack.recall_dsn
    async with (
        own_recall(tmp_path, database_url=dsn, page_token_key=SECRET) as one,
        own_recall(tmp_path, database_url=dsn, page_token_key=f"file:{path}") as two,
        own_recall(tmp_path, database_url=dsn) as alone,
    ):
        yield one, two, alone


async def test_a_token_crosses_processes_that_share_the_secret_and_no_others(
    client: RensouClient, agent: str, others: tuple[OwnRecall, OwnRecall, OwnRecall]
) -> None:
    await _declare(client, agent, *FORMS)
    one, two, alone = [RensouClient(other.address) for other in others]
    async with one, two, alone:
        token = (await _relations(one, agent, page_size=1)).next_page_token
        assert len((await _relations(two, agent, page_token=token)).relations) == 3
        for stranger in (alone, client):
            assert (await failure_of(_relations(stranger, agent, page_token=token))).reason == "INVALID_PAGE_TOKEN"


async def test_an_entity_is_deleted_once_and_only_its_agents(client: RensouClient, agent: str) -> None:
    await _declare(client, agent, *FORMS)
    ann = (await _entities(client, agent, name="ann")).entities[0].ref

    async def delete(owner: str) -> assoc.DeleteEntityResponse:
        return await client.associations.DeleteEntity(assoc.DeleteEntityRequest(agent_id=owner, ref=ann), timeout=60)

    foreign = await failure_of(delete(f"{agent}-b"))
    assert (await delete(agent)).relations == 4
    again = await failure_of(delete(agent))
    assert [(one.code.name, one.reason) for one in (foreign, again)] == [("NOT_FOUND", "ENTITY_NOT_FOUND")] * 2
    assert [one.name for one in (await _entities(client, agent)).entities] == ["Kobe", "Nara", "Bob", "Cy"]
