"""Quality and time of a recall as an agent grows: 1,000, 10,000, 100,000 records and, on request, 1,000,000.

Asked is the same at every size: questions whose evidence stands among the records. Without DATA these are the
questions of bench/intelligence/correction.json, with nothing declared: evidence is the old record, which speaks the
words of the question, and the correcting one, which does not. With DATA the first conversations of the
file that fit in 1,000 records. The rest is made up (`ladder_texts`); up to 10,000 it is stored through the service and
embedded by the bundled model, beyond by COPY with vectors that are those plus noise. Times are of questions asked
before, so that no embedding is in them. Memory: the peak of recall, and what the processes of PostgreSQL hold
together after the questions. Writes bench/results/ladder.md and .png; the last line is JSON.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean

from matplotlib.figure import Figure

from intelligence_sets import TIMEOUT_S, load_corrections, memory
from ladder_store import AGENT, Growth
from process_memory import family_mb, peak_mb
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.conversations import load_conversations
from rensou_embedded.demo_store import store_all
from rensou_embedded.demo_worklog import DemoFormatError
from rensou_embedded.errors import StackError
from rensou_embedded.evaluation import score, store_turns
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, Part, StackOptions
from results import save_plot, save_table
from timing import percentile

SIZES = (1_000, 10_000, 100_000, 1_000_000)
_HEADER = (
    "records",
    "questions",
    "recall@10",
    "NDCG@10",
    "candidates",
    "p50 ms",
    "p95 ms",
    "recall MB",
    "PostgreSQL MB",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the refs that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Rung:
    """What was measured at one size; shares between 0 and 1, milliseconds, megabytes."""

    records: int
    questions: int
    recall: float
    ndcg: float
    candidates: float
    p50_ms: float
    p95_ms: float
    recall_mb: float
    postgres_mb: float


async def store_own(client: RensouClient) -> tuple[int, list[Asked]]:
    """How many records our own set takes, and its questions."""
    asked: list[Asked] = []
    stored = 0
    for case in load_corrections():
        texts = (*case.distractors, case.old, case.correction)
        refs = await store_all(client, [memory(AGENT, text) for text in texts])
        asked.append(Asked(case.question, frozenset(refs[-2:])))
        stored += len(refs)
    return stored, asked


async def store_file(client: RensouClient, path: Path) -> tuple[int, list[Asked]]:
    """The same of the first conversations of a file."""
    asked: list[Asked] = []
    stored = 0
    for conversation in load_conversations(path):
        if stored + len(conversation.turns) > SIZES[0]:
            break
        # Two conversations of a file may give their turns the same ids.
        turns = [replace(turn, id=f"{conversation.id}/{turn.id}") for turn in conversation.turns]
        ref_of = {turn: ref for ref, turn in (await store_turns(client, AGENT, turns, lambda _: None)).items()}
        stored += len(ref_of)
        for question in conversation.questions:
            # A turn that says again what was said at the same time is no record of its own.
            evidence = {f"{conversation.id}/{turn}" for turn in question.evidence} & ref_of.keys()
            if evidence:
                asked.append(Asked(question.text, frozenset(ref_of[turn] for turn in evidence)))
    if not asked:
        raise StackError(f"{path}: the first conversation has more than {SIZES[0]} records, or no question")
    return stored, asked


async def climb(stack: EmbeddedStack, client: RensouClient, records: int, questions: Sequence[Asked]) -> Rung:
    """What the questions find, and how fast."""
    requests = [rpc.RecallRequest(scope=pb.ReadScope(agent_id=AGENT), query=one.text) for one in questions]
    answers = [await client.recall.Recall(request, timeout=TIMEOUT_S) for request in requests]
    if any(answer.HasField("degradation") for answer in answers):
        raise StackError("recall had to do without something")
    times: list[float] = []
    for request in requests:
        started = time.perf_counter()
        await client.recall.Recall(request, timeout=TIMEOUT_S)
        times.append((time.perf_counter() - started) * 1000)
    scores = [
        score([hit.record.ref for hit in answer.hits], one.evidence)
        for one, answer in zip(questions, answers, strict=True)
    ]
    return Rung(
        records,
        len(questions),
        round(mean(recall for _, recall, _ in scores), 4),
        round(mean(ndcg for ndcg, _, _ in scores), 4),
        round(mean(answer.candidates for answer in answers), 1),
        round(percentile(times, 50), 1),
        round(percentile(times, 95), 1),
        round(peak_mb(stack.pid(Part.RECALL)), 1),
        round(family_mb(stack.pid(Part.POSTGRES)), 1),
    )


def draw(rungs: Sequence[Rung], label: str) -> Figure:
    """Quality, time and memory over the number of records."""
    figure = Figure(figsize=(13, 4))
    quality, times, memory_axes = figure.subplots(1, 3)
    records = [one.records for one in rungs]
    quality.plot(records, [one.recall for one in rungs], "o-", label="recall@10")
    quality.plot(records, [one.ndcg for one in rungs], "s--", label="NDCG@10")
    quality.set(title=label, ylabel="share", ylim=(0, 1.05))
    times.plot(records, [one.p50_ms for one in rungs], "o-", label="p50")
    times.plot(records, [one.p95_ms for one in rungs], "s--", label="p95")
    times.set(title="one caller, question asked before", ylabel="milliseconds", ylim=(0, None))
    memory_axes.plot(records, [one.recall_mb for one in rungs], "o-", label="recall, peak")
    memory_axes.plot(records, [one.postgres_mb for one in rungs], "s--", label="PostgreSQL")
    memory_axes.set(title="memory", ylabel="MB", ylim=(0, None))
    for axes in (quality, times, memory_axes):
        axes.set(xscale="log", xlabel="records of the agent")
        axes.legend()
        axes.grid(alpha=0.3)
    note = "Beyond 10,000 records: made-up texts loaded by COPY, their vectors real ones plus noise."
    figure.text(0.5, -0.04, note, ha="center")
    return figure


async def run(sizes: Sequence[int], data: Path | None, folder: Path) -> list[Rung]:
    """One rung a size, on one stack whose agent grows."""
    stack = EmbeddedStack(StackOptions(folder / "data", clean_environ(os.environ), grpc_port=0), Console())
    await stack.start()
    rungs: list[Rung] = []
    try:
        async with RensouClient(stack.grpc_address) as client:
            stored, questions = await (store_own(client) if data is None else store_file(client, data))
            growth = Growth(stack, client, folder, stored)
            for size in sizes:
                await growth.grow(size)
                rungs.append(await climb(stack, client, size, questions))
                print(rungs[-1], flush=True)
    finally:
        await stack.stop()
    return rungs


def report(rungs: Sequence[Rung], name: str) -> str:
    """Saves the table and the plot; the figures as JSON."""
    label = "our own questions" if name == "ladder" else name.removeprefix("ladder-")
    title = f"As an agent grows, {label}"
    print(save_table(name, title, _HEADER, [tuple(asdict(one).values()) for one in rungs]).read_text("utf-8"))
    save_plot(name, draw(rungs, label))
    return json.dumps({"rungs": [asdict(one) for one in rungs]})


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=None, help="conversations with questions, as for bench-locomo")
    parser.add_argument("--rows", type=int, default=100_000, help="the highest rung: 1000, 10000, 100000 or 1000000")
    arguments = parser.parse_args()
    sizes = [size for size in SIZES if size <= arguments.rows]
    name = "ladder" if arguments.data is None else f"ladder-{arguments.data.stem}"
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            rungs = asyncio.run(run(sizes, arguments.data, Path(folder)))
        except (StackError, DemoFormatError) as error:
            print(f"bench-ladder: {error}", file=sys.stderr)
            return 1
    print(report(rungs, name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
