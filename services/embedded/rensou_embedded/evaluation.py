"""Retrieval measured on real conversations through the public door: store every turn, recall every question."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.conversations import Conversation, Turn
from rensou_embedded.errors import StackError

TOP = 10
_BATCH = 100
_TIMEOUT_S = 110
_VECTORS_TIMEOUT_S = 300.0

Progress = Callable[[int], None]
"""Told how many more turns or questions are done."""

EmbedProbe = Callable[[str], Awaitable[float]]
"""Embeds a question as the service does and returns the milliseconds that it took."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question's outcome: metrics are shares between 0 and 1, times are milliseconds."""

    category: str
    ndcg: float
    recall: float
    reciprocal_rank: float
    recall_ms: float
    embed_ms: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was measured over all conversations."""

    asked: tuple[Asked, ...]
    stored: int
    store_s: float

    def table(self) -> str:
        """The metrics by category of question, for people, and the questions whose evidence was not among the ten."""
        lines = [f"{'category':<16}{'questions':>10}{'NDCG@10':>10}{'recall@10':>11}{'MRR':>8}{'missed':>8}"]
        categories = sorted({one.category for one in self.asked})
        for name, of in [*((c, [a for a in self.asked if a.category == c]) for c in categories), ("all", self.asked)]:
            missed = sum(one.recall == 0 for one in of)
            lines.append(
                f"{name:<16}{len(of):>10}{mean(a.ndcg for a in of):>10.3f}{mean(a.recall for a in of):>11.3f}"
                f"{mean(a.reciprocal_rank for a in of):>8.3f}{missed:>8}"
            )
        return "\n".join(lines)

    def summary(self) -> dict[str, float | int]:
        """The figures by name: means of the metrics, medians of the times."""
        return {
            "questions": len(self.asked),
            "ndcg@10": round(mean(one.ndcg for one in self.asked), 4),
            "recall@10": round(mean(one.recall for one in self.asked), 4),
            "mrr": round(mean(one.reciprocal_rank for one in self.asked), 4),
            "store_per_s": round(self.stored / self.store_s, 1),
            "recall_ms_p50": round(median(one.recall_ms for one in self.asked), 2),
            "embed_ms_p50": round(median(one.embed_ms for one in self.asked), 2),
            "outside_embed_ms_p50": round(median(one.recall_ms - one.embed_ms for one in self.asked), 2),
        }


def ndcg(ranked: Sequence[str], gold: frozenset[str]) -> float:
    """Normalised discounted cumulative gain of the first ten, binary gains (Järvelin and Kekäläinen, 2002)."""
    gained = math.fsum(1 / math.log2(rank + 1) for rank, one in enumerate(ranked[:TOP], 1) if one in gold)
    ideal = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(len(gold), TOP) + 1))
    return gained / ideal


def score(ranked: Sequence[str], gold: frozenset[str]) -> tuple[float, float, float]:
    """NDCG@10, recall@10 and reciprocal rank (0 past the tenth) of a ranking."""
    found = [rank for rank, one in enumerate(ranked[:TOP], 1) if one in gold]
    return ndcg(ranked, gold), len(found) / len(gold), 1 / found[0] if found else 0.0


def _request(agent_id: str, turn: Turn) -> rpc.StoreRequest:
    occurred = Timestamp()
    occurred.FromDatetime(turn.occurred_at)
    return rpc.StoreRequest(
        scope=pb.WriteScope(agent_id=agent_id),
        memory=rpc.MemoryContent(content=turn.text),
        caller_id=turn.id,
        occurred_time=occurred,
        session_id=turn.session,
        source=pb.Source(type="User", id=turn.speaker, name=turn.speaker),
    )


async def store_turns(client: RensouClient, agent_id: str, turns: Sequence[Turn], progress: Progress) -> dict[str, str]:
    """The turn of each stored ref, once every turn has its embedding.

    Raises:
        StackError: A turn was refused, or the worker did not embed what the embedding server was too slow for.
    """
    turn_of: dict[str, str] = {}
    for start in range(0, len(turns), _BATCH):
        batch = turns[start : start + _BATCH]
        request = rpc.BatchStoreRequest(requests=[_request(agent_id, turn) for turn in batch])
        response = await client.recall.BatchStore(request, timeout=_TIMEOUT_S)
        for turn, result in zip(batch, response.results, strict=True):
            if not result.HasField("response"):
                raise StackError(f"turn {turn.id} was refused: {result.error.field} {result.error.message}")
            turn_of.setdefault(result.response.ref, turn.id)
        progress(len(batch))
    await _wait_for_vectors(client, agent_id)
    return turn_of


async def _wait_for_vectors(client: RensouClient, agent_id: str) -> None:
    request = admin.CheckHealthRequest(agent_id=agent_id)
    deadline = time.monotonic() + _VECTORS_TIMEOUT_S
    while time.monotonic() < deadline:
        health = await client.admin.CheckHealth(request, timeout=_TIMEOUT_S)
        if all(issue.check != "missing_vectors" for issue in health.issues):
            return
        await asyncio.sleep(0.2)
    raise StackError("the worker has not embedded every turn: see nodeworker.log")


async def evaluate(
    client: RensouClient, conversations: Sequence[Conversation], probe: EmbedProbe, progress: Progress, run: str
) -> Evaluation:
    """Stores each conversation under an agent of its own (`run` keeps runs apart) and asks its questions."""
    asked: list[Asked] = []
    stored, store_s = 0, 0.0
    for conversation in conversations:
        agent_id = f"{run}:{conversation.id}"
        started = time.perf_counter()
        turn_of = await store_turns(client, agent_id, conversation.turns, progress)
        store_s += time.perf_counter() - started
        stored += len(conversation.turns)
        for question in conversation.questions:
            embed_ms = await probe(question.text)
            request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent_id), query=question.text)
            started = time.perf_counter()
            response = await client.recall.Recall(request, timeout=_TIMEOUT_S)
            recall_ms = (time.perf_counter() - started) * 1000
            ranked = [turn_of[hit.record.ref] for hit in response.hits]
            asked.append(Asked(question.category, *score(ranked, question.evidence), recall_ms, embed_ms))
            progress(1)
    return Evaluation(tuple(asked), stored, store_s)
