"""What was known at a time, and what stood since when, through the public door."""

from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import history_pb2
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import found, recall, store


async def _history(client: RensouClient, agent: str, ref: str, token: str = "") -> history_pb2.GetHistoryResponse:
    request = history_pb2.GetHistoryRequest(
        scope=pb.ReadScope(agent_id=agent), ref=ref, page_size=1, page_token=token, include_texts=True
    )
    return await client.lifecycle.GetHistory(request, timeout=60)


async def _times(client: RensouClient, agent: str, ref: str) -> list[history_pb2.HistoricText]:
    """The texts of the record, page by page."""
    page = await _history(client, agent, ref)
    texts = [entry.text for entry in page.entries]
    while page.next_page_token:
        page = await _history(client, agent, ref, page.next_page_token)
        texts += [entry.text for entry in page.entries]
    return texts


async def test_a_history_says_what_to_ask_for_and_known_at_gives_it(
    client: RensouClient, lexical: RensouClient, agent: str
) -> None:
    ref = (await store(client, agent, "The umbrella hangs in the hall.")).ref
    await client.lifecycle.ReviseRecord(
        life.ReviseRecordRequest(agent_id=agent, ref=ref, content="The bicycle stands behind the shed."), timeout=60
    )
    first, second = await _times(client, agent, ref)
    assert first.current_to_time == second.current_from_time
    (hit,) = (await recall(client, agent, "umbrella", known_at=first.current_from_time)).hits
    assert (hit.record.ref, hit.quote.content, hit.record.revision) == (ref, first.content, 1)
    last = first.current_to_time
    just_before = Timestamp(seconds=last.seconds, nanos=last.nanos - 1_000) if last.nanos else Timestamp(seconds=0)
    assert await found(lexical, agent, "umbrella", known_at=just_before) == [ref]
    assert await found(lexical, agent, "umbrella", known_at=last) == []
    assert await found(lexical, agent, "bicycle", known_at=last) == [ref]


async def test_a_retracted_relation_is_walked_as_of_then(client: RensouClient, agent: str) -> None:
    graph = pb.Associations(
        entities=[pb.EntityDeclaration(name="Ann")],
        relations=[pb.RelationDeclaration(subject="Ann", predicate="works at", object="Tower")],
    )
    stored = await store(client, agent, "Ann is at work.", associations=graph)
    relation = stored.associations.relations[0].ref
    (entry,) = (await _history(client, agent, relation)).entries
    await client.associations.DeclareAssociations(
        assoc.DeclareAssociationsRequest(
            scope=pb.WriteScope(agent_id=agent), retract=assoc.Retraction(relations=[relation])
        ),
        timeout=60,
    )
    asked = rpc.TraverseRequest(scope=pb.ReadScope(agent_id=agent), entity="Ann")
    assert not (await client.recall.Traverse(asked, timeout=60)).relations
    asked.known_at.CopyFrom(entry.relation.declare_time)
    (walked,) = (await client.recall.Traverse(asked, timeout=60)).relations
    assert (walked.ref, walked.predicate) == (relation, "works at")
    (entry,) = (await _history(client, agent, relation)).entries
    assert entry.relation.HasField("retract_time")
