"""Overflow nodes: builds a second, what they cost, and whether what is said of them is true. The last line is JSON.

`builds_per_s` by number of workers, one build a worker at a time, before an embedding server that takes 250 ms a
request; `scaling_at_N` is the share of N times one worker. `model_share` is the nodes a second of one worker with the
bundled model over those of the model alone with the same spans. Medians of the runs, all of which are in the table.
`queued_xor_divided` counts the records of which Store said something else than what was built. With --data also what
conversations joined by session say: how many nodes begin in the middle of a sentence, [those, nodes that begin later
than their text], and how many questions are answered by other records, or in another order, once the nodes are gone.
Writes bench/results/nodes.md and .png.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.figure import Figure

from node_builds import WORKERS, beside_the_model, by_workers, scaling
from node_reads import what_nodes_change
from node_stores import what_stores_cost
from rensou_embedded.conversations import load_conversations
from rensou_embedded.demo_worklog import DemoFormatError
from rensou_embedded.errors import StackError
from results import save_plot, save_table

Figures = dict[str, Any]


def save(figures: Figures, rates: dict[int, list[float]]) -> None:
    """The table, and the plot of builds by workers beside linear growth."""
    save_table("nodes", "Overflow nodes", ("figure", "value"), list(figures.items()))
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    for count, runs in rates.items():
        axes.plot([count] * len(runs), runs, "o", color="tab:blue")
    one = median(rates[1])
    axes.plot(WORKERS, [count * one for count in WORKERS], "--", color="grey", label="linear")
    axes.plot(WORKERS, [median(rates[count]) for count in WORKERS], color="tab:blue", label="median")
    axes.set(xlabel="workers, one build each", ylabel="builds a second", title="250 ms a request to embed")
    axes.legend()
    axes.grid(alpha=0.3)
    save_plot("nodes", figure)


async def measure(arguments: argparse.Namespace, folder: Path) -> tuple[Figures, dict[int, list[float]]]:
    """The figures, and builds a second of every run by workers."""
    environ = dict(os.environ)
    rates = await by_workers(folder / "scaling", environ, arguments.runs)
    figures: Figures = scaling(rates) | {
        "every_run": {str(count): [round(r, 2) for r in rates[count]] for count in rates}
    }
    pairs = await beside_the_model(folder / "model", environ, arguments.runs)
    figures["nodes_per_s"] = [[round(ours, 2), round(alone, 2)] for ours, alone in pairs]
    figures["model_share"] = round(median(ours / alone for ours, alone in pairs), 3)
    figures |= await what_stores_cost(folder / "stores", environ, arguments.stores)
    if arguments.data:
        figures |= await what_nodes_change(folder / "reads", environ, load_conversations(arguments.data))
    return figures, rates


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--stores", type=int, default=2_000)
    parser.add_argument("--data", type=Path, help="conversations to join by session")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            figures, rates = asyncio.run(measure(arguments, Path(folder)))
        except (StackError, DemoFormatError) as error:
            print(f"bench-nodes: {error}", file=sys.stderr)
            return 1
    save(figures, rates)
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
