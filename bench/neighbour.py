"""Store of a small agent, alone and beside an agent with very many records. The last line is JSON.

The small agent has 1,000 records. Milliseconds as the client sees them, one call after the other, with an embedding
server that answers at once; the table and the plot are in bench/results/neighbour-ROWS.md and .png.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import uvloop
from matplotlib.figure import Figure

from rensou_embedded.errors import StackError
from results import save_plot, save_table
from service_bench import Bench, running_bench
from timing import percentile, spread, timed

_SMALL, _LARGE = "agent-small", "agent-large"
_SMALL_ROWS, _WARMING, _STORED = 1_000, 50, 300

Figures = dict[str, Any]


async def _store(bench: Bench, seed: int) -> list[float]:
    await timed(bench.storing(_SMALL, _WARMING, seed))
    return await timed(bench.storing(_SMALL, _STORED, seed + 1))


async def measure(bench: Bench, rows: int) -> tuple[Figures, dict[str, list[float]]]:
    """The figures, and the times behind them by name."""
    await bench.load([_SMALL], _SMALL_ROWS)
    alone = await _store(bench, seed=100)
    await bench.load([_LARGE], rows)
    beside = await _store(bench, seed=200)
    figures = {"rows": rows} | spread("store_alone", alone) | spread("store_beside", beside)
    figures["ratio"] = round(percentile(beside, 50) / percentile(alone, 50), 3)
    return figures, {"alone": alone, "beside": beside}


def _save(rows: int, figures: Figures, times: dict[str, list[float]]) -> None:
    name, title = f"neighbour-{rows}", f"Store of a small agent beside one of {rows} records"
    save_table(name, title, ("figure", "value"), list(figures.items()))
    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    for label, series in times.items():
        axes.ecdf(series, label=f"{label}, p50 {percentile(series, 50):.1f} ms")
    axes.set(title=title, xlabel="milliseconds", ylabel="share of the calls", xscale="log")
    axes.legend()
    axes.grid(alpha=0.3)
    save_plot(name, figure)


async def run(rows: int, data_dir: Path) -> Figures:
    """The figures of a fresh stack, saved and returned."""
    async with running_bench(data_dir, dict(os.environ)) as bench:
        figures, times = await measure(bench, rows)
    _save(rows, figures, times)
    return figures


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000, help="records of the large agent")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            figures = uvloop.run(run(arguments.rows, Path(folder, "data")))
        except StackError as error:
            print(f"bench-neighbour: {error}", file=sys.stderr)
            return 1
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
