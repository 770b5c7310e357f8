"""Retrieval on conversations with questions about them, through the running service. The last line is JSON.

Beside it, on the same records and vectors, RRF of plain arms (`plain_rrf`), by category: the service must be worse in
none, by NDCG@10 or by recall@10. Times: `recall_ms_p50` is a call as the client sees it, `embed_ms_p50` the embedding
of the same question asked of the embedding server just before, `outside_embed_ms_p50` the median of the differences.
`mrr` counts the first ten. Writes bench/results/locomo*.md and .png.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

from matplotlib.figure import Figure

from embedding_relay import relayed_stack
from plain_rrf import ask_plain
from rensou_embedded.conversations import Conversation, load_conversations
from rensou_embedded.demo import play_conversations
from rensou_embedded.demo_worklog import DemoFormatError
from rensou_embedded.errors import StackError
from rensou_embedded.evaluation import Asked, Evaluation
from results import save_plot, save_table

ALL = "all"


@dataclass(frozen=True, slots=True)
class Compared:
    """One category's means, ours and the baseline's; metrics are shares between 0 and 1."""

    category: str
    questions: int
    ndcg: float
    rrf_ndcg: float
    recall: float
    rrf_recall: float

    @property
    def is_worse(self) -> bool:
        """Whether the baseline is ahead in one of the two."""
        return self.ndcg < self.rrf_ndcg or self.recall < self.rrf_recall

    def row(self) -> tuple[object, ...]:
        """For the table."""
        metrics = (f"{value:.3f}" for value in (self.ndcg, self.rrf_ndcg, self.recall, self.rrf_recall))
        return (self.category, self.questions, *metrics, "WORSE" if self.is_worse else "no")


HEADER = ("category", "questions", "NDCG@10", "NDCG@10 of RRF", "recall@10", "recall@10 of RRF", "worse")


def compare(ours: Sequence[Asked], baseline: Sequence[Asked]) -> tuple[Compared, ...]:
    """Each category in alphabetical order, then all questions together."""
    categories = sorted({one.category for one in ours})
    return tuple(
        Compared(
            name,
            len(mine),
            mean(one.ndcg for one in mine),
            mean(one.ndcg for one in theirs),
            mean(one.recall for one in mine),
            mean(one.recall for one in theirs),
        )
        for name in (*categories, ALL)
        for mine in ([one for one in ours if name in (one.category, ALL)],)
        for theirs in ([one for one in baseline if name in (one.category, ALL)],)
    )


def draw(compared: Sequence[Compared]) -> Figure:
    """NDCG@10 by category, ours beside the baseline."""
    figure = Figure(figsize=(8, 4))
    axes = figure.subplots()
    places = range(len(compared))
    axes.bar([place - 0.2 for place in places], [one.ndcg for one in compared], 0.4, label="Rensou")
    axes.bar([place + 0.2 for place in places], [one.rrf_ndcg for one in compared], 0.4, label="RRF of plain arms")
    axes.set_xticks(list(places), [one.category for one in compared])
    axes.set_ylabel("NDCG@10")
    axes.legend()
    return figure


async def measure(conversations: Sequence[Conversation], folder: Path) -> tuple[Evaluation, tuple[Asked, ...]]:
    """The evaluation on a fresh stack, and the baseline's."""
    async with relayed_stack(folder) as (stack, relay):
        evaluation = await play_conversations(stack, conversations, "bench")
        return evaluation, await ask_plain(conversations, relay)


def without_sessions(conversations: Sequence[Conversation]) -> tuple[Conversation, ...]:
    """The same records, of which none says what it belongs to."""
    return tuple(replace(one, turns=tuple(replace(turn, session="") for turn in one.turns)) for one in conversations)


def result_name(data: Path, sessions: str) -> str:
    """What the table and the plot are called, from the data file's name."""
    name = data.stem if data.stem.startswith("locomo") else f"locomo-{data.stem}"
    return name if sessions == "on" else f"{name}-without-sessions"


def report(name: str, evaluation: Evaluation, compared: Sequence[Compared]) -> None:
    """Prints the tables, saves the comparison and its plot, prints the JSON line."""
    print(evaluation.table(), end="\n\n")
    table = save_table(name, f"Recall of evidence: {name}", HEADER, [one.row() for one in compared])
    save_plot(name, draw(compared))
    print(table.read_text(encoding="utf-8"))
    everything = compared[-1]
    figures = evaluation.summary() | {
        "rrf_ndcg@10": round(everything.rrf_ndcg, 4),
        "rrf_recall@10": round(everything.rrf_recall, 4),
        "worse_categories": [one.category for one in compared if one.is_worse],
    }
    print(json.dumps(figures))


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sessions", choices=("on", "off"), default="on", help="off: records without a session")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            conversations = load_conversations(arguments.data)
            if arguments.sessions == "off":
                conversations = without_sessions(conversations)
            evaluation, baseline = asyncio.run(measure(conversations, Path(folder)))
        except (StackError, DemoFormatError) as error:
            print(f"bench-locomo: {error}", file=sys.stderr)
            return 1
    report(result_name(arguments.data, arguments.sessions), evaluation, compare(evaluation.asked, baseline))
    return 0


if __name__ == "__main__":
    sys.exit(main())
