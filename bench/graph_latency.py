"""Reconstruct and Traverse in a large declared graph, beside Recall, their statements and what others would write.

The last line is JSON; the table and the plot are in bench/results/graph-latency.md and .png.

Two agents of as many made-up records (`topics`): one with 10,000 entities and three hubs that each lead to all of them
(`bulk_graph`), one with nothing declared. Milliseconds, one call after the other, the series of a comparison in turns
by twenties, so that what disturbs the machine disturbs all; questions that were asked before, so that nothing is
embedded. Traverse asks for 5 hops from a hub; `raw` is the same statements with the same parameters straight to
PostgreSQL, BEGIN with its settings and COMMIT; `echo` a gRPC call of as many bytes. The naive walk (naive_walk.sql)
has 20 seconds. Names alone: the statement that finds the names in a question, beside one that looks at every name
(scan_names.sql), at 10,000, 20,000 and 30,000 names.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import uvloop
from matplotlib.figure import Figure

from bulk_graph import HUBS, load_graph, load_names
from recorded_statements import RecordingDatabase, Statement, replay
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.errors import StackError
from rensou_recall.pipelines.traverse import traverse
from rensou_recall.stages.expansion import MAX_MATCHES
from rensou_recall.store.expansion import find_question_aliases
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.traverse import TraverseRequest
from rensou_shared.db.pool import begin
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope
from rensou_shared.text.normalize import normalize_name
from results import save_plot, save_table
from rivals import Echo
from service_bench import TIMEOUT_S, Bench, running_bench
from timing import percentile, spread, timed
from topics import make_question, topic_words

_GRAPH, _PLAIN = "graph", "plain"
_QUESTIONS, _WARMING, _BLOCK = 200, 40, 20
_HOPS, _LIMITS = 5, (20, 100)
_NAIVE_CALLS, _NAIVE_TIMEOUT_MS = 5, 20_000
_NAMES = (10_000, 20_000, 30_000)
_FOLDER = Path(__file__).parent

Figures = dict[str, Any]
Series = dict[str, list[float]]
MakeCall = Callable[[int], Awaitable[object]]


async def in_turns(count: int, calls: dict[str, MakeCall]) -> Series:
    """Milliseconds of the `count` calls of each name, by blocks in turns, after one block each that does not count."""
    times: Series = {name: [] for name in calls}
    for make in calls.values():
        await timed([lambda n=n, make=make: make(n) for n in range(min(_BLOCK, count))])
    for start in range(0, count, _BLOCK):
        for name, make in calls.items():
            block = range(start, min(start + _BLOCK, count))
            times[name] += await timed([lambda n=n, make=make: make(n) for n in block])
    return times


async def measure_reconstruct(bench: Bench) -> Series:
    """Recall and Reconstruct of the agent with the graph, and of the one without."""
    questions = [make_question(number) for number in range(_QUESTIONS)]
    for question in questions:  # embedded once
        await bench.ask(_GRAPH, question)
    return await in_turns(
        _QUESTIONS,
        {
            "recall": lambda n: bench.ask(_GRAPH, questions[n]),
            "reconstruct": lambda n: bench.reconstruct(_GRAPH, questions[n]),
            "recall_plain": lambda n: bench.ask(_PLAIN, questions[n]),
            "reconstruct_plain": lambda n: bench.reconstruct(_PLAIN, questions[n]),
        },
    )


@dataclass(frozen=True, slots=True)
class _Deps:
    """What the pipeline of Traverse uses of its dependencies."""

    database: RecordingDatabase


async def record_traverse(connection: psycopg.AsyncConnection[Any], name: str, limit: int) -> list[Statement]:
    """The statements of one Traverse."""
    database = RecordingDatabase(connection)
    call = Call(Principal("bench", frozenset({_GRAPH}), operator=False), asyncio.get_running_loop().time() + TIMEOUT_S)
    deps: Any = _Deps(database)
    await traverse(deps, call, TraverseRequest(ReadScope(AgentId(_GRAPH)), name, name, _HOPS, limit))
    return database.statements


async def measure_traverse(bench: Bench, connection: psycopg.AsyncConnection[Any], limit: int) -> Series:
    """A Traverse of 5 hops from each hub in turn, its statements, its walk alone, and an empty call."""
    requests = [
        rpc.TraverseRequest(scope=pb.ReadScope(agent_id=_GRAPH), entity=hub, max_hops=_HOPS, limit=limit)
        for hub in HUBS
    ]
    recorded = [await record_traverse(connection, hub, limit) for hub in HUBS]
    walks = [[one for one in statements if b"WITH RECURSIVE walk" in one.text] for statements in recorded]
    answers = [await bench.client.recall.Traverse(request, timeout=TIMEOUT_S) for request in requests]
    async with Echo(requests[0].ByteSize(), max(answer.ByteSize() for answer in answers)) as echo:
        return await in_turns(
            _QUESTIONS,
            {
                "traverse": lambda n: bench.client.recall.Traverse(requests[n % len(HUBS)], timeout=TIMEOUT_S),
                "raw": lambda n: replay(connection, _GRAPH, recorded[n % len(HUBS)]),
                "walk": lambda n: replay(connection, _GRAPH, walks[n % len(HUBS)]),
                "echo": lambda _: echo.call(),
            },
        )


async def measure_naive(bench: Bench, connection: psycopg.AsyncConnection[Any]) -> list[float]:
    """The naive walk from a hub; a call that the timeout ended counts with the time it had."""
    statement = (_FOLDER / "naive_walk.sql").read_bytes()
    with psycopg.connect(bench.stack.admin_dsn) as admin:
        found = admin.execute(b"SELECT e.id FROM rensou.entities e WHERE e.name = %s", (HUBS[0],))
        (start,) = found.fetchone() or (0,)
    params = {"agent_id": _GRAPH, "start": start, "max_hops": _HOPS, "keep": _LIMITS[0]}

    async def walk() -> None:
        await begin(connection, AgentId(_GRAPH), _NAIVE_TIMEOUT_MS)
        try:
            await (await connection.execute(statement, params)).fetchall()
        except psycopg.errors.QueryCanceled:
            pass
        finally:
            await connection.rollback()

    return await timed([walk] * _NAIVE_CALLS)


async def measure_names(bench: Bench, connection: psycopg.AsyncConnection[Any]) -> dict[int, Series]:
    """Finding the names in a question, by the service's statement and by a scan, by how many names there are."""
    scan = (_FOLDER / "scan_names.sql").read_bytes()
    questions = [normalize_name(make_question(number)) for number in range(_QUESTIONS)]
    found: dict[int, Series] = {}
    for names in _NAMES:
        agent_id = f"names-{names}"
        words = topic_words()[: names // 3]
        rows = [(word, f"the {word} affair", f"our {word}") for word in words]
        with psycopg.connect(bench.stack.admin_dsn) as admin:
            load_names(admin, agent_id, rows)
        with psycopg.connect(bench.stack.admin_dsn, autocommit=True) as admin:
            admin.execute(b"VACUUM (ANALYZE) rensou.entity_aliases")
        scope = ReadScope(AgentId(agent_id))
        await begin(connection, AgentId(agent_id), 60_000)
        found[names] = await in_turns(
            _QUESTIONS,
            {
                "names": lambda n, scope=scope: find_question_aliases(connection, scope, questions[n], MAX_MATCHES),
                "scan": lambda n, agent_id=agent_id: connection.execute(
                    scan, {"agent_id": agent_id, "question": questions[n], "keep": MAX_MATCHES}
                ),
            },
        )
        await connection.commit()
    return found


def ratio(ours: float, theirs: float) -> float:
    return round(ours / theirs, 2)


async def measure(bench: Bench, rows: int, entities: int) -> tuple[Figures, dict[str, Series]]:
    """The figures, and the series behind them."""
    await bench.load([_GRAPH, _PLAIN], rows)
    graph = await asyncio.to_thread(load_graph, bench.stack.admin_dsn, _GRAPH, entities)
    figures: Figures = {"rows": rows, "entities": graph.entities, "names": graph.names, "mentions": graph.mentions}
    figures["relations"] = graph.relations
    for number in range(_WARMING):
        await bench.reconstruct(_GRAPH, make_question(number, seed=5))
    asked = await measure_reconstruct(bench)
    for name, series in asked.items():
        figures |= spread(name, series)
    for percent in (50, 95):
        told = {name: percentile(series, percent) for name, series in asked.items()}
        figures[f"reconstruct_ratio_p{percent}"] = ratio(told["reconstruct"], told["recall"])
        figures[f"reconstruct_plain_ratio_p{percent}"] = ratio(told["reconstruct_plain"], told["recall_plain"])
    every = {"reconstruct": asked}
    async with await psycopg.AsyncConnection.connect(bench.stack.recall_dsn, autocommit=True) as connection:
        for limit in _LIMITS:
            series = await measure_traverse(bench, connection, limit)
            every[f"traverse, limit {limit}"] = series
            p50 = {name: percentile(times, 50) for name, times in series.items()}
            figures |= {f"limit_{limit}_{name}_ms_p50": round(ms, 2) for name, ms in p50.items()}
            figures[f"limit_{limit}_traverse_ratio"] = ratio(p50["traverse"], p50["raw"] + p50["echo"])
        naive = await measure_naive(bench, connection)
        figures["naive_walk_ms_p50"] = round(percentile(naive, 50), 1)
        figures["naive_walk_over_walk"] = ratio(percentile(naive, 50), figures[f"limit_{_LIMITS[0]}_walk_ms_p50"])
        for names, series in (await measure_names(bench, connection)).items():
            every[f"{names} names"] = series
            figures |= {f"{name}_{names}_ms_p50": round(percentile(times, 50), 2) for name, times in series.items()}
    return figures, every


def save(figures: Figures, every: dict[str, Series]) -> None:
    """The table, and the plot of the first three comparisons."""
    title = f"A graph of {figures['entities']} entities and {figures['relations']} relations"
    save_table("graph-latency", title, ("figure", "value"), list(figures.items()))
    figure = Figure(figsize=(7, 9))
    for place, (name, series) in enumerate(list(every.items())[:3], 1):
        axes = figure.add_subplot(3, 1, place)
        for label, times in series.items():
            axes.ecdf(times, label=f"{label}, p50 {percentile(times, 50):.1f} ms")
        axes.set(title=name, xlabel="milliseconds", ylabel="share of the calls", xscale="log")
        axes.legend(fontsize=7)
        axes.grid(alpha=0.3)
    figure.tight_layout()
    save_plot("graph-latency", figure)


async def run(rows: int, entities: int, data_dir: Path) -> Figures:
    """The figures of a fresh stack, saved and returned."""
    async with running_bench(data_dir, dict(os.environ)) as bench:
        figures, every = await measure(bench, rows, entities)
    save(figures, every)
    return figures


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000, help="records of each agent")
    parser.add_argument("--entities", type=int, default=10_000, help="entities beside the hubs, at most 12,000")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            figures = uvloop.run(run(arguments.rows, arguments.entities, Path(folder, "data")))
        except StackError as error:
            print(f"bench-graph: {error}", file=sys.stderr)
            return 1
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
