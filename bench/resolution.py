"""What it costs a Recall to say which records were replaced. The last line is JSON.

An agent of made-up records (`topics`), of which 2,000 pairs are joined by "corrects", "supersedes", "qualifies" or
"contradicts", drawn by a fixed seed. Milliseconds of one caller, the same questions under each resolution in turns by
twenties; questions that were asked before, so that nothing is embedded. `ratio_…` is the median over that under ANY;
wanted: at most 1.1. `hits_marked` is the share of the hits under ANNOTATE of which anything is declared. Writes
bench/results/resolution.md and .png.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import psycopg
import uvloop
from matplotlib.figure import Figure

from graph_latency import Series, in_turns
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import resolution_pb2 as resolution
from rensou.v1 import types_pb2 as pb
from rensou_embedded.errors import StackError
from results import save_plot, save_table
from service_bench import TIMEOUT_S, Bench, running_bench
from timing import percentile, spread
from topics import make_question

_AGENT = "resolution"
_QUESTIONS = 200
_RESOLUTIONS = {
    "any": resolution.RESOLUTION_ANY,
    "annotate": resolution.RESOLUTION_ANNOTATE,
    "current": resolution.RESOLUTION_CURRENT,
}
# Subjects and objects by a hash of a counter: two records are joined once, in one direction.
_DECLARE = b"""
WITH ids AS (
  SELECT r.id, row_number() OVER (ORDER BY md5(r.id::text)) AS place FROM rensou.records r WHERE r.agent_id = %(agent)s
)
INSERT INTO rensou.relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,
                              object_record, declared_by)
SELECT %(agent)s, '', '', s.id, p.predicate, p.predicate, o.id, 'agent'
FROM generate_series(1, %(relations)s) n
JOIN ids s ON s.place = 2 * n - 1
JOIN ids o ON o.place = 2 * n
CROSS JOIN LATERAL (
  SELECT (ARRAY['corrects', 'supersedes', 'qualifies', 'contradicts'])[n %% 4 + 1] AS predicate
) p
"""

Figures = dict[str, Any]


def _declare(admin_dsn: str, relations: int) -> None:
    with psycopg.connect(admin_dsn, autocommit=True) as admin:
        admin.execute(_DECLARE, {"agent": _AGENT, "relations": relations})
        admin.execute(b"ANALYZE rensou.relations")


def _request(number: int, how: resolution.Resolution) -> rpc.RecallRequest:
    return rpc.RecallRequest(scope=pb.ReadScope(agent_id=_AGENT), query=make_question(number), resolution=how)


async def measure(bench: Bench, rows: int, relations: int) -> tuple[Figures, Series]:
    """The figures, and the times of every call."""
    await bench.load([_AGENT], rows)
    await asyncio.to_thread(_declare, bench.stack.admin_dsn, relations)
    recall = bench.client.recall.Recall
    marked = hits = 0
    for number in range(_QUESTIONS):
        answer = await recall(_request(number, resolution.RESOLUTION_ANNOTATE), timeout=TIMEOUT_S)
        hits += len(answer.hits)
        marked += sum(hit.HasField("standing") for hit in answer.hits)
    times = await in_turns(
        _QUESTIONS,
        {name: lambda n, how=how: recall(_request(n, how), timeout=TIMEOUT_S) for name, how in _RESOLUTIONS.items()},
    )
    figures: Figures = {"rows": rows, "relations": relations, "hits_marked": round(marked / hits, 3)}
    for name, series in times.items():
        figures |= spread(name, series)
    base = percentile(times["any"], 50)
    figures |= {f"ratio_{name}": round(percentile(times[name], 50) / base, 3) for name in ("annotate", "current")}
    return figures, times


def save(figures: Figures, times: Series) -> None:
    """The table and the plot."""
    save_table("resolution", "Recall by resolution", ("figure", "value"), list(figures.items()))
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    for name, series in times.items():
        axes.ecdf(series, label=f"{name}, p50 {percentile(series, 50):.1f} ms")
    axes.set(title=f"{figures['rows']} records", xlabel="milliseconds", ylabel="share of the calls", xscale="log")
    axes.legend()
    axes.grid(alpha=0.3)
    save_plot("resolution", figure)


async def run(rows: int, relations: int, data_dir: Path) -> Figures:
    """The figures of a fresh stack, saved and returned."""
    async with running_bench(data_dir, dict(os.environ)) as bench:
        figures, times = await measure(bench, rows, relations)
    save(figures, times)
    return figures


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000, help="records of the agent")
    parser.add_argument("--relations", type=int, default=2_000, help="relations between them, at most half as many")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            figures = uvloop.run(run(arguments.rows, arguments.relations, Path(folder, "data")))
        except StackError as error:
            print(f"bench-resolution: {error}", file=sys.stderr)
            return 1
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
