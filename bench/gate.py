"""The relevance gate, through the running service: a conversation's questions asked of it and of the next one.

`own_admitted` and `foreign_admitted` are the shares of questions with a hit among the first ten, `own_hits` and
`foreign_hits` the mean number of those hits; each ratio is foreign over own. The last line is JSON.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from matplotlib.figure import Figure

from rensou.v1 import gate_pb2
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.conversations import Conversation, load_conversations
from rensou_embedded.demo_worklog import DemoFormatError
from rensou_embedded.errors import StackError
from rensou_embedded.evaluation import score, store_turns
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions
from results import save_plot, save_table

_TIMEOUT_S = 110
_LEVELS = {"lenient": gate_pb2.GATE_LENIENT, "balanced": gate_pb2.GATE_BALANCED, "strict": gate_pb2.GATE_STRICT}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: hits of its own conversation, of the next one, and its quality with and without the gate."""

    own: int
    foreign: int
    ndcg: float
    recall: float
    ndcg_without: float
    recall_without: float


async def _refs(client: RensouClient, agent_id: str, question: str, gate: gate_pb2.Gate) -> list[str]:
    request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent_id), query=question, gate=gate, quote_chars=0)
    response = await client.recall.Recall(request, timeout=_TIMEOUT_S)
    return [hit.record.ref for hit in response.hits]


async def ask(
    client: RensouClient, conversations: Sequence[Conversation], gate: gate_pb2.Gate, every: int
) -> list[Asked]:
    """Every `every`th question of every conversation, asked of it and of the next."""
    agents = [f"gate:{one.id}" for one in conversations]
    turns: list[dict[str, str]] = []
    for agent_id, conversation in zip(agents, conversations, strict=True):
        turns.append(await store_turns(client, agent_id, conversation.turns, lambda _: None))
    asked: list[Asked] = []
    for place, conversation in enumerate(conversations):
        turn_of, foreign = turns[place], agents[(place + 1) % len(agents)]
        for question in conversation.questions[::every]:
            own = await _refs(client, agents[place], question.text, gate)
            without = await _refs(client, agents[place], question.text, gate_pb2.GATE_OFF)
            others = await _refs(client, foreign, question.text, gate)
            ndcg, recall, _ = score([turn_of[ref] for ref in own], question.evidence)
            ndcg_without, recall_without, _ = score([turn_of[ref] for ref in without], question.evidence)
            asked.append(Asked(len(own), len(others), ndcg, recall, ndcg_without, recall_without))
    return asked


def summary(asked: Sequence[Asked]) -> dict[str, float | int]:
    """The figures by name."""
    own_admitted, foreign_admitted = mean(one.own > 0 for one in asked), mean(one.foreign > 0 for one in asked)
    own_hits, foreign_hits = mean(one.own for one in asked), mean(one.foreign for one in asked)
    return {
        "questions": len(asked),
        "own_admitted": round(own_admitted, 4),
        "foreign_admitted": round(foreign_admitted, 4),
        "admitted_ratio": round(foreign_admitted / own_admitted, 4) if own_admitted else 0.0,
        "own_hits": round(own_hits, 3),
        "foreign_hits": round(foreign_hits, 3),
        "hits_ratio": round(foreign_hits / own_hits, 4) if own_hits else 0.0,
        "ndcg@10": round(mean(one.ndcg for one in asked), 4),
        "ndcg@10_without_gate": round(mean(one.ndcg_without for one in asked), 4),
        "recall@10": round(mean(one.recall for one in asked), 4),
        "recall@10_without_gate": round(mean(one.recall_without for one in asked), 4),
    }


def plot(figures: Mapping[str, float | int], title: str) -> Figure:
    """Own beside foreign: questions admitted, and hits among the first ten."""
    figure = Figure(figsize=(7, 3.5))
    for place, (name, label) in enumerate((("admitted", "questions with a hit"), ("hits", "hits among ten")), 1):
        axes = figure.add_subplot(1, 2, place)
        axes.bar(["own", "the next one's"], [figures[f"own_{name}"], figures[f"foreign_{name}"]])
        axes.set_title(label)
    figure.suptitle(title)
    return figure


async def measure(
    conversations: Sequence[Conversation], data_dir: Path, gate: gate_pb2.Gate, every: int
) -> dict[str, float | int]:
    """The figures of a fresh stack."""
    stack = EmbeddedStack(StackOptions(data_dir, clean_environ(os.environ), grpc_port=0), Console())
    await stack.start()
    try:
        async with RensouClient(stack.grpc_address) as client:
            return summary(await ask(client, conversations, gate, every))
    finally:
        await stack.stop()


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="at least two conversations")
    parser.add_argument("--level", choices=_LEVELS, default="balanced")
    parser.add_argument("--every", type=int, default=1, help="ask every n-th question only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            conversations = load_conversations(arguments.data)
            if len(conversations) < 2:
                raise DemoFormatError(str(arguments.data), "conversations", "has one: there is no other to ask")
            level = _LEVELS[arguments.level]
            figures = asyncio.run(measure(conversations, Path(folder, "data"), level, arguments.every))
        except (StackError, DemoFormatError) as error:
            print(f"bench-gate: {error}", file=sys.stderr)
            return 1
    title = f"Relevance gate, {arguments.level}, {arguments.data.stem}"
    name = f"gate-{arguments.data.stem}-{arguments.level}"
    save_table(name, title, ("figure", "value"), list(figures.items()))
    save_plot(name, plot(figures, title))
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
