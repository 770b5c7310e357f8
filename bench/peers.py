"""Ours and CPersona 2.6.14 on the same records, questions and vectors, in one run. The last line is JSON.

CPersona runs in an environment of its own with its default settings, its update check off, over MCP (`peer_cpersona`).
Both embed through one relay before the bundled model; to the peer, which knows no sides, the relay gives the side of
questions during recalls. A text is embedded once and replayed to whoever asks for it later. Time outside embedding: a
call as its client sees it (gRPC, MCP), less what the relay spent during that call; one call after the other, five to
warm.

With --rows the first conversation alone, filled up with made-up records, whose vectors are drawn and not embedded: for
the times. Writes bench/results/peers-*.md and .png.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median

from matplotlib.figure import Figure

from embedding_relay import PASSAGE, EmbeddingRelay, relayed_stack
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.conversations import Conversation, Turn, load_conversations
from rensou_embedded.demo_worklog import DemoFormatError
from rensou_embedded.errors import StackError
from rensou_embedded.evaluation import TOP, score, store_turns
from results import save_plot, save_table
from topics import vectors
from workload import sentences

_DRIVER = Path(__file__).parent / "peer_cpersona.py"
_WARMING = ("What happened last week?", "Who was there?", "Where did they go?", "What was bought?", "When was that?")
_TIMEOUT_S = 110
_PER_SESSION = 20


@dataclass(frozen=True, slots=True)
class Answer:
    """One question's ranking, best first, and its milliseconds outside embedding."""

    ranked: list[str]
    outside_ms: float


def fill_up(conversation: Conversation, rows: int) -> Conversation:
    """The conversation with made-up records to `rows`, in sessions of twenty."""
    first = conversation.turns[0]
    made_up = tuple(
        Turn(f"made-up-{n}", f"made-up-{n // _PER_SESSION}", first.occurred_at, "bench", text)
        for n, text in enumerate(sentences(rows - len(conversation.turns)))
    )
    return replace(conversation, turns=conversation.turns + made_up)


async def ask_ours(address: str, conversations: Sequence[Conversation], relay: EmbeddingRelay) -> list[Answer]:
    """Each question's answer from Rensou, in order."""
    answers: list[Answer] = []
    async with RensouClient(address) as client:
        for one in conversations:
            turn_of = await store_turns(client, one.id, one.turns, lambda _: None)
            for text in (*_WARMING, *(question.text for question in one.questions)):
                request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=one.id), query=text)
                spent, started = relay.spent_ms, time.perf_counter()
                response = await client.recall.Recall(request, timeout=_TIMEOUT_S)
                outside_ms = (time.perf_counter() - started) * 1000 - (relay.spent_ms - spent)
                answers.append(Answer([turn_of[hit.record.ref] for hit in response.hits], outside_ms))
            del answers[-len(one.questions) - len(_WARMING) : -len(one.questions)]
    return answers


def _job(conversations: Sequence[Conversation], relay: EmbeddingRelay, folder: Path) -> dict[str, object]:
    environ = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "CPERSONA_DB_PATH": str(folder / "peer.db"),
        "CPERSONA_EMBEDDING_MODE": "http",
        "CPERSONA_EMBEDDING_URL": relay.url,
        "CPERSONA_UPDATE_CHECK": "false",
        "NO_PROXY": "127.0.0.1,localhost",
    }
    agents = [
        {
            "id": one.id,
            "records": [
                {"id": turn.id, "text": turn.text, "time": turn.occurred_at.isoformat(), "speaker": turn.speaker}
                for turn in one.turns
            ],
            "warming": _WARMING,
            "questions": [question.text for question in one.questions],
        }
        for one in conversations
    ]
    base = relay.url.removesuffix("/embed")
    return {"relay": base, "environ": environ, "log": str(folder / "peer.log"), "limit": TOP, "agents": agents}


async def ask_peer(
    python: Path, conversations: Sequence[Conversation], relay: EmbeddingRelay, folder: Path
) -> list[Answer]:
    """Each question's answer from CPersona, in order.

    Raises:
        StackError: The peer did not do its part; the message holds the end of what it said.
    """
    job, outcome = folder / "job.json", folder / "outcome.json"
    job.write_text(json.dumps(_job(conversations, relay, folder)), encoding="utf-8")
    done = await asyncio.to_thread(
        subprocess.run, [python, _DRIVER, job, outcome], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise StackError(f"the peer failed: {done.stderr[-2000:]}")
    agents = json.loads(outcome.read_text(encoding="utf-8"))["agents"]
    return [
        Answer(ranked, recall_ms - embed_ms)
        for agent in agents
        for ranked, recall_ms, embed_ms in zip(agent["ranked"], agent["recall_ms"], agent["embed_ms"], strict=True)
    ]


async def measure(
    conversations: Sequence[Conversation], python: Path, folder: Path
) -> tuple[list[Answer], list[Answer]]:
    """Ours and the peer's answers."""
    async with relayed_stack(folder, replays=True) as (stack, relay):
        made_up = [turn.text for one in conversations for turn in one.turns if turn.id.startswith("made-up-")]
        relay.keep(made_up, PASSAGE, vectors(made_up).tolist())
        ours = await ask_ours(stack.grpc_address, conversations, relay)
        return ours, await ask_peer(python, conversations, relay, folder)


@dataclass(frozen=True, slots=True)
class Figures:
    """One system's means of the metrics, and its median milliseconds outside embedding."""

    ndcg: float
    recall: float
    outside_ms: float


def summarise(conversations: Sequence[Conversation], answers: Sequence[Answer]) -> Figures:
    """The figures over all questions."""
    gold = [question.evidence for one in conversations for question in one.questions]
    scores = [score(answer.ranked, evidence) for answer, evidence in zip(answers, gold, strict=True)]
    outside_ms = median(answer.outside_ms for answer in answers)
    return Figures(mean(one[0] for one in scores), mean(one[1] for one in scores), outside_ms)


def draw(ours: Figures, peer: Figures) -> Figure:
    """Quality and time beside each other."""
    figure = Figure(figsize=(8, 3.5))
    quality, speed = figure.subplots(1, 2)
    for axes, names, values in (
        (quality, ("NDCG@10", "recall@10"), [(one.ndcg, one.recall) for one in (ours, peer)]),
        (speed, ("ms outside embedding, p50",), [(one.outside_ms,) for one in (ours, peer)]),
    ):
        places = range(len(names))
        axes.bar([place - 0.2 for place in places], values[0], 0.4, label="Rensou")
        axes.bar([place + 0.2 for place in places], values[1], 0.4, label="CPersona 2.6.14")
        axes.set_xticks(list(places), names)
    quality.legend()
    return figure


def report(name: str, rows: int, ours: Figures, peer: Figures) -> None:
    """Saves the table and the plot, prints the table and the JSON line."""
    table = [
        (system, f"{one.ndcg:.3f}", f"{one.recall:.3f}", f"{one.outside_ms:.1f}")
        for system, one in (("Rensou", ours), ("CPersona 2.6.14", peer))
    ]
    header = ("system", "NDCG@10", "recall@10", "ms outside embedding, p50")
    path = save_table(name, f"Beside CPersona 2.6.14: {name}, {rows} records an agent", header, table)
    save_plot(name, draw(ours, peer))
    print(path.read_text(encoding="utf-8"))
    figures = {
        "rows": rows,
        "ndcg@10": round(ours.ndcg, 4),
        "peer_ndcg@10": round(peer.ndcg, 4),
        "ratio": round(ours.ndcg / peer.ndcg, 3) if peer.ndcg else None,
        "recall@10": round(ours.recall, 4),
        "peer_recall@10": round(peer.recall, 4),
        "outside_embed_ms_p50": round(ours.outside_ms, 2),
        "peer_outside_embed_ms_p50": round(peer.outside_ms, 2),
    }
    print(json.dumps(figures))


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--peer-python", type=Path, required=True, help="python of the peer's own environment")
    parser.add_argument("--rows", type=int, help="fill the first conversation up to so many records, for the times")
    arguments = parser.parse_args()
    name = f"peers-{arguments.data.stem}"
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            conversations = load_conversations(arguments.data)
            if arguments.rows:
                conversations = (fill_up(conversations[0], arguments.rows),)
                name = f"{name}-{arguments.rows}"
            ours, peer = asyncio.run(measure(conversations, arguments.peer_python, Path(folder)))
        except (StackError, DemoFormatError) as error:
            print(f"bench-peers: {error}", file=sys.stderr)
            return 1
    rows = round(mean(len(one.turns) for one in conversations))
    report(name, rows, summarise(conversations, ours), summarise(conversations, peer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
