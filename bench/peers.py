"""Ours and CPersona 2.6.14 on the same records, questions and vectors, in one run. The last line is JSON.

CPersona runs in an environment of its own with its default settings, its update check off, over MCP (`peer_cpersona`).
Both embed through one relay before the bundled model; to the peer, which knows no sides, the relay gives the side of
questions during recalls. A text is embedded once and replayed to whoever asks for it later. Time outside embedding: a
call as its client sees it (gRPC, MCP), less what the relay spent during that call; each question is asked of one and at
once of the other, after five to warm, so that what else the machine does weighs on both alike.

With --rows the first conversation alone, filled up with made-up records, whose vectors are drawn and not embedded: for
the times. Writes bench/results/peers-*.md and .png.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

from matplotlib.figure import Figure

from embedding_relay import PASSAGE, QUERY, EmbeddingRelay, relayed_stack
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
_END_TIMEOUT_S = 20
_LONGEST_LINE = 64 * 1024 * 1024
_PER_SESSION = 20
_MADE_UP = "made-up-"


class Peer:
    """CPersona behind its driver; one call at a time."""

    def __init__(self, python: Path, folder: Path, relay: EmbeddingRelay) -> None:
        self._python, self._folder, self._relay = python, folder, relay
        self._process: asyncio.subprocess.Process | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Runs it with a database of its own in the folder."""
        environ = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self._folder),
            "CPERSONA_DB_PATH": str(self._folder / "peer.db"),
            "CPERSONA_EMBEDDING_MODE": "http",
            "CPERSONA_EMBEDDING_URL": self._relay.url,
            "CPERSONA_UPDATE_CHECK": "false",
            "NO_PROXY": "127.0.0.1,localhost",
        }
        pipe = asyncio.subprocess.PIPE
        with self._log_path.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                self._python, _DRIVER, stdin=pipe, stdout=pipe, stderr=log, env=environ, limit=_LONGEST_LINE
            )
            try:
                yield
            finally:
                await self._end()

    async def store(self, conversation: Conversation) -> dict[str, str]:
        """The turn of each ref, once the peer has done all that it does with them."""
        self._relay.default_side = PASSAGE
        records = [
            {"id": turn.id, "text": turn.text, "time": turn.occurred_at.isoformat(), "speaker": turn.speaker}
            for turn in conversation.turns
        ]
        return (await self._ask({"store": {"agent": conversation.id, "records": records}}))["record_of"]

    async def recall(self, agent: str, question: str) -> tuple[list[str], float]:
        """Refs, best first, and the milliseconds outside embedding."""
        self._relay.default_side, spent = QUERY, self._relay.spent_ms
        answer = await self._ask({"recall": {"agent": agent, "question": question, "limit": TOP}})
        return answer["refs"], answer["ms"] - (self._relay.spent_ms - spent)

    async def _ask(self, request: dict[str, object]) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        if not line:
            said = self._log_path.read_text(encoding="utf-8", errors="replace")
            raise StackError(f"the peer ended: {said[-2000:]}")
        return json.loads(line)

    async def _end(self) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _END_TIMEOUT_S)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    @property
    def _log_path(self) -> Path:
        return self._folder / "peer.log"


@dataclass(frozen=True, slots=True)
class Answer:
    """One question's ranking, best first, and its milliseconds outside embedding."""

    ranked: list[str]
    outside_ms: float


@dataclass(slots=True)
class Answers:
    """Every question's answer, in order, of each system."""

    ours: list[Answer] = field(default_factory=list[Answer])
    peer: list[Answer] = field(default_factory=list[Answer])


def fill_up(conversation: Conversation, rows: int) -> Conversation:
    """The conversation with made-up records to `rows`, in sessions of twenty."""
    first = conversation.turns[0]
    made_up = tuple(
        Turn(f"{_MADE_UP}{n}", f"{_MADE_UP}{n // _PER_SESSION}", first.occurred_at, "bench", text)
        for n, text in enumerate(sentences(rows - len(conversation.turns)))
    )
    return replace(conversation, turns=conversation.turns + made_up)


async def recall_ours(client: RensouClient, relay: EmbeddingRelay, agent: str, text: str) -> tuple[list[str], float]:
    """Refs, best first, and the milliseconds outside embedding."""
    request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent), query=text)
    spent, started = relay.spent_ms, time.perf_counter()
    response = await client.recall.Recall(request, timeout=_TIMEOUT_S)
    outside_ms = (time.perf_counter() - started) * 1000 - (relay.spent_ms - spent)
    return [hit.record.ref for hit in response.hits], outside_ms


async def ask_both(client: RensouClient, peer: Peer, relay: EmbeddingRelay, one: Conversation, into: Answers) -> None:
    """Stores the conversation with both, then asks each question of one and at once of the other."""
    turn_of = await store_turns(client, one.id, one.turns, lambda _: None)
    record_of = await peer.store(one)
    for text in _WARMING:
        await recall_ours(client, relay, one.id, text)
        await peer.recall(one.id, text)
    for question in one.questions:
        refs, outside_ms = await recall_ours(client, relay, one.id, question.text)
        into.ours.append(Answer([turn_of[ref] for ref in refs], outside_ms))
        refs, outside_ms = await peer.recall(one.id, question.text)
        into.peer.append(Answer([record_of[ref] for ref in refs if ref in record_of], outside_ms))


async def measure(conversations: Sequence[Conversation], python: Path, folder: Path) -> Answers:
    """Ours and the peer's answers.

    Raises:
        StackError: The stack or the peer did not do its part.
    """
    answers = Answers()
    async with relayed_stack(folder, replays=True) as (stack, relay):
        made_up = [turn.text for one in conversations for turn in one.turns if turn.id.startswith(_MADE_UP)]
        relay.keep(made_up, PASSAGE, vectors(made_up).tolist() if made_up else [])
        peer = Peer(python, folder, relay)
        async with peer.running(), RensouClient(stack.grpc_address) as client:
            for one in conversations:
                await ask_both(client, peer, relay, one, answers)
    return answers


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
            answers = asyncio.run(measure(conversations, arguments.peer_python, Path(folder)))
        except (StackError, DemoFormatError) as error:
            print(f"bench-peers: {error}", file=sys.stderr)
            return 1
    rows = round(mean(len(one.turns) for one in conversations))
    report(name, rows, summarise(conversations, answers.ours), summarise(conversations, answers.peer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
