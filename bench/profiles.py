"""Every profile of Recall on the same store, through the running service. The last line is JSON.

Each turn declares, as entities that it mentions, its speaker and the names that occur twice in its conversation; no
relation is declared. Each question is asked with every profile that the service lists; RERANK is among them when
RENSOU_RERANK_URL is set. NDCG@10 and recall@10 are of the first ten hits; what GRAPH holds places for
stands behind them and is counted apart.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from matplotlib import pyplot
from matplotlib.figure import Figure

from declared_names import declared_names
from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as associations
from rensou.v1 import profile_pb2
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.conversations import Conversation, ConversationQuestion, load_conversations
from rensou_embedded.demo_worklog import DemoFormatError
from rensou_embedded.errors import StackError
from rensou_embedded.evaluation import TOP, score, store_turns
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions
from results import save_plot, save_table

_TIMEOUT_S = 60
_AT_ONCE = 16
_FUSIONS = {"convex": [pb.FUSION_CONVEX], "rrf": [pb.FUSION_RRF], "both": [pb.FUSION_CONVEX, pb.FUSION_RRF]}

Way = tuple[str, str]
"""A profile and a fusion, by name."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question under one profile and fusion: shares between 0 and 1, milliseconds, and held places."""

    conversation: str
    category: str
    ndcg: float
    recall: float
    recall_ms: float
    held: int
    held_evidence: int


async def declare(client: RensouClient, agent_id: str, turn_of: dict[str, str], conversation: Conversation) -> None:
    """Declares what every turn mentions."""
    names, gate = declared_names(conversation.turns), asyncio.Semaphore(_AT_ONCE)

    async def one(ref: str, turn: str) -> None:
        entities = [pb.EntityDeclaration(name=name) for name in names[turn]]
        request = associations.DeclareAssociationsRequest(
            scope=pb.WriteScope(agent_id=agent_id), associations=pb.Associations(entities=entities), anchor_ref=ref
        )
        async with gate:
            await client.associations.DeclareAssociations(request, timeout=_TIMEOUT_S)

    await asyncio.gather(*(one(ref, turn) for ref, turn in turn_of.items()))


async def ask(
    client: RensouClient, request: rpc.RecallRequest, turn_of: dict[str, str], question: ConversationQuestion, run: str
) -> Asked:
    """One question's outcome."""
    started = time.perf_counter()
    response: rpc.RecallResponse = await client.recall.Recall(request, timeout=_TIMEOUT_S)
    recall_ms = (time.perf_counter() - started) * 1000
    ranked = [turn_of[h.record.ref] for h in response.hits if h.explanation.admission != rpc.ADMISSION_GRAPH]
    held = [turn_of[h.record.ref] for h in response.hits if h.explanation.admission == rpc.ADMISSION_GRAPH]
    found, recalled, _ = score(ranked[:TOP], question.evidence)
    evidence = len(question.evidence & set(held))
    return Asked(run, question.category, found, recalled, recall_ms, len(held), evidence)


async def measure(
    client: RensouClient, conversations: Sequence[Conversation], fusions: Sequence[pb.Fusion]
) -> dict[Way, list[Asked]]:
    """Every question under every profile and fusion."""
    capabilities = await client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=_TIMEOUT_S)
    asked: dict[Way, list[Asked]] = defaultdict(list)
    for conversation in conversations:
        agent_id = f"bench:{conversation.id}"
        turn_of = await store_turns(client, agent_id, conversation.turns, lambda _: None)
        await declare(client, agent_id, turn_of, conversation)
        for question in conversation.questions:
            for fusion in fusions:
                for profile in capabilities.profiles:
                    request = rpc.RecallRequest(
                        scope=pb.ReadScope(agent_id=agent_id), query=question.text, profile=profile, fusion=fusion
                    )
                    way = profile_pb2.Profile.Name(profile)[8:], pb.Fusion.Name(fusion)[7:]
                    asked[way].append(await ask(client, request, turn_of, question, conversation.id))
        print(f"{conversation.id}: {len(conversation.questions)} questions", file=sys.stderr)
    return asked


async def run(
    conversations: Sequence[Conversation], fusions: Sequence[pb.Fusion], data_dir: Path
) -> dict[Way, list[Asked]]:
    """The figures on a fresh stack."""
    stack = EmbeddedStack(StackOptions(data_dir, clean_environ(os.environ), grpc_port=0), Console())
    await stack.start()
    try:
        async with RensouClient(stack.grpc_address) as client:
            return await measure(client, conversations, fusions)
    finally:
        await stack.stop()


def summary(asked: Sequence[Asked]) -> dict[str, float | int]:
    """The figures of one profile and fusion: means of the metrics, the median of the times."""
    return {
        "ndcg@10": round(mean(one.ndcg for one in asked), 4),
        "recall@10": round(mean(one.recall for one in asked), 4),
        "recall_ms_p50": round(median(one.recall_ms for one in asked), 2),
        "held": sum(one.held for one in asked),
        "held_evidence": sum(one.held_evidence for one in asked),
    }


def plot(asked: dict[Way, list[Asked]]) -> Figure:
    """NDCG@10 of every profile, a bar a fusion."""
    figure, axes = pyplot.subplots(figsize=(7, 3.5))
    profiles = list(dict.fromkeys(profile for profile, _ in asked))
    for shift, fusion in enumerate(dict.fromkeys(fusion for _, fusion in asked)):
        heights = [mean(one.ndcg for one in asked[profile, fusion]) for profile in profiles]
        bars = axes.bar([place + 0.4 * shift for place in range(len(profiles))], heights, 0.38, label=fusion)
        axes.bar_label(bars, fmt="%.3f", fontsize=8)
    axes.set_xticks([place + 0.2 for place in range(len(profiles))], profiles)
    axes.set_ylabel("NDCG@10")
    axes.legend()
    return figure


def save(name: str, asked: dict[Way, list[Asked]]) -> None:
    """The table by conversation and by category, and the plot."""
    flat = next(iter(asked.values()))
    groups = [("all", lambda _: True)]
    groups += [
        (f"conversation {c}", lambda one, c=c: one.conversation == c) for c in sorted({a.conversation for a in flat})
    ]
    groups += [(c, lambda one, c=c: one.category == c) for c in sorted({a.category for a in flat})]
    rows = [
        (group, *way, *summary(chosen).values())
        for group, belongs in groups
        for way, answers in asked.items()
        if (chosen := [one for one in answers if belongs(one)])
    ]
    header = ("questions", "profile", "fusion", "NDCG@10", "recall@10", "ms p50", "held", "held evidence")
    save_table(name, f"Profiles of Recall, {len(flat)} questions", header, rows)
    save_plot(name, plot(asked))


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fusion", choices=_FUSIONS, default="convex")
    parser.add_argument("--conversations", type=int, default=None, help="only so many, from the start of the file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            conversations = load_conversations(arguments.data)[: arguments.conversations]
            asked = asyncio.run(run(conversations, _FUSIONS[arguments.fusion], Path(folder, "data")))
        except (StackError, DemoFormatError) as error:
            print(f"bench-profiles: {error}", file=sys.stderr)
            return 1
    save(f"profiles-{arguments.data.stem}", asked)
    figures = {f"{profile.lower()}/{fusion.lower()}": summary(answers) for (profile, fusion), answers in asked.items()}
    print(json.dumps({"questions": len(next(iter(asked.values()))), **figures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
