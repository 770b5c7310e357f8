"""Replaced records through the public door: marked, withheld, and giving their place to who replaced them."""

from typing import Any

import grpc
import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import resolution_pb2 as resolution
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import failure_of, memory, recall, store

ANY, ANNOTATE, CURRENT = resolution.RESOLUTION_ANY, resolution.RESOLUTION_ANNOTATE, resolution.RESOLUTION_CURRENT
CURRENTLY, REPLACED = resolution.RECORD_STATE_CURRENT, resolution.RECORD_STATE_REPLACED
QUESTION = "In which town does Kirari live?"


async def declare(client: RensouClient, agent: str, *relations: tuple[str, str, str], project: str = "") -> list[str]:
    """The refs of the declared relations."""
    answer = await client.associations.DeclareAssociations(
        assoc.DeclareAssociationsRequest(
            scope=pb.WriteScope(agent_id=agent, project_id=project),
            associations=pb.Associations(
                relations=[pb.RelationDeclaration(subject=s, predicate=p, object=o) for s, p, o in relations]
            ),
        )
    )
    return [one.ref for one in answer.report.relations]


async def kept(client: RensouClient, agent: str, *texts: str, **fields: Any) -> list[str]:
    return [(await store(client, agent, text, **fields)).ref for text in texts]


async def reconstruct(
    client: RensouClient, agent: str, query: str = QUESTION, **fields: Any
) -> rpc.ReconstructResponse:
    request = rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent), query=query, **fields)
    return await client.recall.Reconstruct(request, timeout=30)


def refs(answer: rpc.RecallResponse) -> list[str]:
    return [hit.record.ref for hit in answer.hits]


def hit_of(answer: rpc.RecallResponse, ref: str) -> rpc.Hit:
    (hit,) = [hit for hit in answer.hits if hit.record.ref == ref]
    return hit


@pytest.fixture
async def moved(client: RensouClient, agent: str) -> tuple[str, str, str]:
    """A town, its correction, and the correction of that, which speaks in other words."""
    old, newer, newest = await kept(
        client,
        agent,
        "Kirari lives in the town of Otaru.",
        "Kirari moved: she lives in the town of Hakodate now.",
        "The parcel goes to Sapporo from today on.",
    )
    await declare(client, agent, (newer, "corrects", old))
    await declare(client, agent, (newest, "Supersedes", newer))
    return old, newer, newest


async def test_without_a_resolution_nothing_of_it_is_said(
    client: RensouClient, agent: str, moved: tuple[str, str, str]
) -> None:
    plain, named = await recall(client, agent, QUESTION), await recall(client, agent, QUESTION, resolution=ANY)
    assert plain == named and set(moved[:2]) <= set(refs(plain))
    assert not any(hit.HasField("standing") or hit.explanation.in_place_of for hit in plain.hits)
    claims = [claim for item in (await reconstruct(client, agent)).items for claim in item.claims]
    assert not any(claim.HasField("standing") for claim in claims)


async def test_annotated_records_keep_their_places_and_the_replaced_ones_their_texts_to_themselves(
    client: RensouClient, agent: str, moved: tuple[str, str, str]
) -> None:
    old, newer, newest = moved
    plain = await recall(client, agent, QUESTION)
    marked = await recall(client, agent, QUESTION, resolution=ANNOTATE)
    assert refs(marked) == refs(plain)
    for ref in (old, newer):
        hit = hit_of(marked, ref)
        assert hit.standing.state == REPLACED and [one.ref for one in hit.standing.successors] == [newest]
        assert (hit.quote.content, hit.quote.basis) == ("", pb.QUOTE_BASIS_WITHHELD) and hit.quote.content_length > 20
    standing = hit_of(marked, newest).standing
    assert standing.state == CURRENTLY
    assert [(one.ref, one.by_ref) for one in standing.replaces] == [(newer, newest), (old, newer)]
    told = await recall(client, agent, QUESTION, resolution=ANNOTATE, include_replaced=True)
    assert hit_of(told, old).quote.content == "Kirari lives in the town of Otaru."
    assert hit_of(told, old).standing.state == REPLACED


async def test_a_chain_of_three_corrections_returns_the_last_with_two_refs(
    client: RensouClient, agent: str, moved: tuple[str, str, str]
) -> None:
    old, newer, newest = moved
    answer = await recall(client, agent, QUESTION, resolution=CURRENT)
    assert refs(answer) == [newest]
    hit = hit_of(answer, newest)
    assert hit.quote.content == "The parcel goes to Sapporo from today on."
    assert [one.ref for one in hit.standing.replaces] == [newer, old] and hit.explanation.in_place_of == ""
    (item,) = [one for one in (await reconstruct(client, agent, resolution=CURRENT)).items if one.head_ref == newest]
    assert item.quote.content == "The parcel goes to Sapporo from today on."
    states = {claim.ref: claim.standing.state for claim in item.claims}
    assert states == {newest: CURRENTLY, newer: REPLACED, old: REPLACED}
    assert not any(claim.HasField("quote") for claim in item.claims) and item.quotes_omitted == 0
    told = await reconstruct(client, agent, resolution=CURRENT, include_replaced=True)
    texts = {claim.ref: claim.quote.content for item in told.items for claim in item.claims}
    assert texts[old] == "Kirari lives in the town of Otaru."


async def test_a_successor_behind_the_limit_takes_the_place_with_the_score_of_whom_it_replaces(
    client: RensouClient, agent: str, moved: tuple[str, str, str]
) -> None:
    (plain,) = (await recall(client, agent, QUESTION, limit=1)).hits
    (hit,) = (await recall(client, agent, QUESTION, limit=1, resolution=CURRENT)).hits
    assert plain.record.ref in moved[:2] and hit.record.ref == moved[2]
    assert hit.explanation.in_place_of == plain.record.ref
    hit.explanation.in_place_of = ""
    assert hit.explanation == plain.explanation


async def test_a_successor_that_is_excluded_leaves_the_place_empty(
    client: RensouClient, agent: str, moved: tuple[str, str, str]
) -> None:
    answer = await recall(client, agent, QUESTION, resolution=CURRENT, exclude=[moved[2]])
    assert not set(moved) & set(refs(answer))


async def test_many_valued_facts_stay_side_by_side(client: RensouClient, agent: str) -> None:
    """B32: likes X and Y both live; only what is declared to be replaced is."""
    tea, coffee = await kept(client, agent, "Kirari likes green tea.", "Kirari likes black coffee.")
    old, new = await kept(client, agent, "Kirari works at the ferry.", "Kirari works at the museum.")
    await declare(client, agent, (new, "supersedes", old))
    answer = await recall(client, agent, "What does Kirari like and where does she work?", resolution=CURRENT)
    assert {tea, coffee, new} <= set(refs(answer)) and old not in refs(answer)
    (text,) = [
        one.quote.content
        for one in (
            await client.recall.GetContents(
                rpc.GetContentsRequest(scope=pb.ReadScope(agent_id=agent), selectors=[rpc.ContentSelector(ref=old)])
            )
        ).items
    ]
    assert text == "Kirari works at the ferry."


async def test_a_cycle_that_two_places_made_is_inert_and_reported(client: RensouClient, agent: str) -> None:
    """Each place sees only its own half when it declares: a reader of both sees A replace B and B replace A."""
    one, other = await kept(client, agent, "The key is under the stone.", "The key is under the mat.")
    await declare(client, agent, (one, "corrects", other), project="p")
    await declare(client, agent, (other, "corrects", one), project="q")
    answer = await recall(client, agent, "Where is the key?", resolution=CURRENT)
    assert {one, other} <= set(refs(answer))
    assert {hit_of(answer, ref).standing.state for ref in (one, other)} == {CURRENTLY}
    found = await client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent))
    (issue,) = [issue for issue in found.issues if issue.check == "association_consistency"]
    assert issue.count == 2


async def test_a_successor_that_the_call_may_not_read_replaces_nothing(client: RensouClient, agent: str) -> None:
    (old,) = await kept(client, agent, "The door code is one two three.", source=pb.Source(id="house"))
    (new,) = await kept(client, agent, "Four five six opens it.", source=pb.Source(id="secret"))
    await declare(client, agent, (new, "corrects", old))
    scope = pb.ReadScope(agent_id=agent, source_id="house")
    for how in (ANY, ANNOTATE, CURRENT):
        answer = await client.recall.Recall(
            rpc.RecallRequest(scope=scope, query="What is the door code?", resolution=how), timeout=30
        )
        (hit,) = answer.hits
        assert hit.record.ref == old and hit.quote.content == "The door code is one two three."
        assert not hit.HasField("standing")
    assert refs(await recall(client, agent, "What is the door code?", resolution=CURRENT)) == [new]


async def test_another_projects_correction_is_not_read(client: RensouClient, agent: str) -> None:
    old, new = await kept(client, agent, "The stall is in row three.", "The stall is in row nine.")
    await declare(client, agent, (new, "corrects", old), project="theirs")
    for project, state in (("mine", resolution.RECORD_STATE_UNSPECIFIED), ("theirs", REPLACED)):
        scope = pb.ReadScope(agent_id=agent, project_id=project)
        request = rpc.RecallRequest(scope=scope, query="Where is the stall?", resolution=ANNOTATE)
        assert hit_of(await client.recall.Recall(request, timeout=30), old).standing.state == state


async def test_a_contradiction_names_the_side_that_is_outside_the_answer_and_ends_when_one_side_is_replaced(
    client: RensouClient, agent: str
) -> None:
    one, other, late = await kept(
        client, agent, "The harbour opens at six.", "Nobody gets in before eight.", "Eight was a misprint."
    )
    (said,) = await declare(client, agent, (one, "contradicts", other))
    for how in (ANNOTATE, CURRENT):
        answer = await recall(client, agent, "When does the harbour open?", resolution=how, limit=1)
        (hit,) = answer.hits
        (partner,) = hit.standing.contradictions
        assert hit.record.ref == one and (partner.ref, partner.relation_ref) == (other, said)
        assert hit.quote.content == "The harbour opens at six."
    (item,) = [
        item
        for item in (await reconstruct(client, agent, "When does the harbour open?", resolution=ANNOTATE)).items
        if one in {claim.ref for claim in item.claims}
    ]
    assert [claim.standing.contradictions[0].ref for claim in item.claims if claim.ref == one] == [other]
    assert [conflict.settled for conflict in item.conflicts] in ([], [False])
    await declare(client, agent, (late, "corrects", other))
    (hit,) = (await recall(client, agent, "When does the harbour open?", resolution=ANNOTATE, limit=1)).hits
    assert hit.standing.state == CURRENTLY and not hit.standing.contradictions


async def test_a_qualifier_is_named_and_replaces_nothing(client: RensouClient, agent: str) -> None:
    claim, but = await kept(client, agent, "Boats leave every hour.", "Not in winter.")
    await declare(client, agent, (but, "qualifies", claim))
    hit = hit_of(await recall(client, agent, "When do boats leave?", resolution=CURRENT), claim)
    assert list(hit.standing.qualified_by) == [but] and hit.standing.state == CURRENTLY


async def test_what_the_walk_reaches_is_judged_even_where_a_candidate_names_it(
    client: RensouClient, agent: str
) -> None:
    harbour, snow = (pb.Associations(entities=[pb.EntityDeclaration(name=name)]) for name in ("Harbour", "Snow"))
    (claim,) = await kept(client, agent, "Boats leave every hour.", associations=harbour)
    (but,) = await kept(client, agent, "Not in snow.", associations=snow)
    (later,) = await kept(client, agent, "Snow stops nobody.")
    await declare(client, agent, ("Snow", "closes", "Harbour"), (but, "qualifies", claim), (later, "corrects", but))
    (item,) = (await reconstruct(client, agent, "Boats leave every hour?", resolution=ANNOTATE, top_k=1)).items
    (reached,) = [one for one in item.claims if one.ref == but]
    assert reached.hops == 1 and reached.standing.state == REPLACED and not reached.HasField("quote")


async def test_a_record_that_replaces_another_may_be_stored_with_what_it_corrects(
    client: RensouClient, agent: str
) -> None:
    (old,) = await kept(client, agent, "The meeting is on Monday.")
    await recall(client, agent, "When is the meeting?")
    stored = await client.recall.Store(memory(agent, "It was put off to Friday."), timeout=30)
    await declare(client, agent, (stored.ref, "corrects", old))
    assert refs(await recall(client, agent, "When is the meeting?", resolution=CURRENT)) == [stored.ref]


async def test_an_unknown_resolution_is_refused_by_name(client: RensouClient, agent: str) -> None:
    for call in (recall(client, agent, "x", resolution=9), reconstruct(client, agent, "x", resolution=9)):
        failure = await failure_of(call)
        assert (failure.code, failure.reason, failure.fields) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            "INVALID_FIELD",
            ("resolution",),
        )


async def test_the_capabilities_list_what_is_taken(client: RensouClient) -> None:
    listed = (await client.admin.GetCapabilities(admin.GetCapabilitiesRequest())).resolutions
    assert list(listed) == [ANY, ANNOTATE, CURRENT]
