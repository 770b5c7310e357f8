"""The same data and the same question give the same bytes, whatever happens in between."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import grpc.aio
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import gate_pb2
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import TIMEOUT_S, builds_settle, eventually, rows
from tests.e2e.test_outages import stopped

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
TALK = (
    "Where did you leave the old kettle, Mira?",
    "It was behind the boat in the harbour yesterday.",
    "Kenji repaired the clock of the ferry on 3 March.",
    "昨日、京都の会議で明日の予定を決めました。",
    "明日は何時に京都へ行きますか？",
    "九時の電車です。",
    "The map of Lisbon is worth more than the kettle.",
    "Did the council pay for the harbour wall?",
    "No, the ferry company paid for all of it last summer.",
    "ERR_42::x came back in foo-bar.baz/v2 at night.",
)
QUESTIONS = (
    "who repaired the old clock of the ferry, and when did the council pay for the harbour wall?",
    "京都の会議はいつですか？",
    "kettle Mira Kenji Lisbon boat harbour map wall company summer night ERR_42::x",
    "nothing of the kind",
    "",
)
# By either fusion; without the gate, so that whole rankings are compared, and with it.
WAYS = (
    (pb.FUSION_CONVEX, gate_pb2.GATE_OFF),
    (pb.FUSION_CONVEX, gate_pb2.GATE_BALANCED),
    (pb.FUSION_RRF, gate_pb2.GATE_OFF),
)
TABLES = ("records", "record_vectors", "record_terms", "term_frequencies", "term_deltas", "scope_counts")


def _requests(agent: str) -> list[rpc.StoreRequest]:
    """Forty records: three sessions in two projects, and ten records without a session; no text twice."""
    requests: list[rpc.StoreRequest] = []
    for turn, (session, project) in enumerate((("a", ""), ("b", "P"), ("c", ""), ("", ""))):
        for place, text in enumerate(TALK):
            at = Timestamp()
            at.FromDatetime(START + timedelta(days=turn, minutes=place))
            requests.append(
                rpc.StoreRequest(
                    scope=pb.WriteScope(agent_id=agent, project_id=project),
                    memory=rpc.MemoryContent(content=f"{text} ({'once more ' * turn}{turn})"),
                    session_id=session,
                    occurred_time=at,
                )
            )
    return requests


async def _store(client: RensouClient, stack: EmbeddedStack, requests: Sequence[rpc.StoreRequest]) -> list[str]:
    """The refs, once each record has its vector."""
    answer = await client.recall.BatchStore(rpc.BatchStoreRequest(requests=requests), timeout=TIMEOUT_S)
    await builds_settle(stack.admin_dsn, requests[0].scope.agent_id)
    return [result.response.ref for result in answer.results]


async def _answers(client: RensouClient, agent: str) -> list[rpc.RecallResponse | rpc.ReconstructResponse]:
    """What every question is answered, in every scope, in every way and by Reconstruct."""
    answers: list[rpc.RecallResponse | rpc.ReconstructResponse] = []
    for scope in (pb.ReadScope(agent_id=agent), pb.ReadScope(agent_id=agent, project_id="P")):
        for query in QUESTIONS:
            for fusion, gate in WAYS:
                recall = rpc.RecallRequest(scope=scope, query=query, limit=100, fusion=fusion, gate=gate)
                answers.append(await client.recall.Recall(recall, timeout=TIMEOUT_S))
            reconstruct = rpc.ReconstructRequest(scope=scope, query=query)
            answers.append(await client.recall.Reconstruct(reconstruct, timeout=TIMEOUT_S))
    assert not any(answer.HasField("degradation") for answer in answers)
    return answers


async def _bytes(client: RensouClient, agent: str) -> list[bytes]:
    return [answer.SerializeToString(deterministic=True) for answer in await _answers(client, agent)]


def _contents(answers: Sequence[rpc.RecallResponse | rpc.ReconstructResponse]) -> list[list[str]]:
    """What each answer of Recall that is a ranking quotes, best first; a blank question lists the newest."""
    return [
        [hit.quote.content for hit in answer.hits]
        for answer in answers
        if isinstance(answer, rpc.RecallResponse) and answer.hits and answer.hits[0].explanation.fusion
    ]


async def _whole_again(client: RensouClient, agent: str) -> None:
    """Returns when recall has its database and its embedding server again."""

    async def whole() -> bool:
        request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent), query="anything")
        try:
            return not (await client.recall.Recall(request, timeout=5)).HasField("degradation")
        except grpc.aio.AioRpcError:
            return False

    await eventually(whole, "recall does not answer whole again")


@pytest.mark.parametrize(("fusion", "gate"), WAYS)
async def test_the_same_call_a_hundred_times_gives_the_same_bytes(
    client: RensouClient, stack: EmbeddedStack, agent: str, fusion: pb.Fusion, gate: gate_pb2.Gate
) -> None:
    await _store(client, stack, _requests(agent))
    request = rpc.RecallRequest(
        scope=pb.ReadScope(agent_id=agent), query=QUESTIONS[0], limit=100, fusion=fusion, gate=gate
    )
    answers = [await client.recall.Recall(request, timeout=TIMEOUT_S) for _ in range(100)]
    assert len(answers[0].hits) + answers[0].refused == 4 * len(TALK)
    assert len(answers[0].hits) == 4 * len(TALK) or gate != gate_pb2.GATE_OFF
    assert len({answer.SerializeToString(deterministic=True) for answer in answers}) == 1


async def test_vacuum_and_new_statistics_and_indexes_change_no_byte(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    await _store(client, stack, _requests(agent))
    before = await _bytes(client, agent)
    for command in ("VACUUM (ANALYZE) {}", "VACUUM (FULL) {}", "REINDEX TABLE {}"):
        for table in TABLES:
            await rows(stack.admin_dsn, command.format(table))
        assert await _bytes(client, agent) == before


async def test_a_restart_of_recall_and_of_its_database_and_embedding_server_changes_no_byte(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    await _store(client, stack, _requests(agent))
    before = await _bytes(client, agent)
    for part in ("recall", "postgres", "embedding"):
        async with stopped(stack, part):
            pass
        await _whole_again(client, agent)
        assert await _bytes(client, agent) == before, part


async def test_records_that_were_stored_in_another_order_come_back_in_the_same_order(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """With both arms exact; only scores that are equal to the last bit are told apart by the ref."""
    requests = _requests(agent)
    asked = [request for request in requests if request.session_id]
    plain = [request for request in requests if not request.session_id]
    seen: list[list[list[str]]] = []
    for order in (requests, requests[::-1], [*asked[1::2], *plain, *asked[::2]]):
        refs = await _store(client, stack, order)
        seen.append(_contents(await _answers(client, agent)))
        forget = life.ForgetRequest(agent_id=agent, refs=refs, mode=life.FORGET_MODE_HARD)
        assert (await client.lifecycle.Forget(forget, timeout=TIMEOUT_S)).results
    assert seen[0] == seen[1] == seen[2]


async def test_of_equal_scores_the_lower_ref_stands_first(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """What is said twice is two records with one score."""
    requests = [
        rpc.StoreRequest(
            scope=pb.WriteScope(agent_id=agent), memory=rpc.MemoryContent(content=TALK[0]), source=pb.Source(id=f"{n}")
        )
        for n in range(6)
    ]
    refs = await _store(client, stack, requests)
    for fusion in (pb.FUSION_CONVEX, pb.FUSION_RRF):
        request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent), query=TALK[0], fusion=fusion)
        hits = (await client.recall.Recall(request, timeout=TIMEOUT_S)).hits
        assert [hit.record.ref for hit in hits] == refs
