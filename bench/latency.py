"""A recall beside its own statements and an empty gRPC call, at a number of records for each agent.

The last line is JSON; the table and the plot are in bench/results/latency-ROWS[xAGENTS].md and .png.

PostgreSQL, recall, the worker and the reconciler are the real ones, the embedding server answers at once. Records are
made up (`topics`) and loaded by COPY. Milliseconds, one call after the other unless `callers` says otherwise:
recall: as the client sees it, of questions that were asked before, so that no embedding is in it. raw: the same
statements with the same parameters straight to PostgreSQL. echo: a gRPC call of as many bytes. The three take turns by
twenties, so that what disturbs the machine disturbs all. ratio: recall over raw and echo together.
recall_uncached, outside_embed: questions asked for the first time, and the same less what the embedding server took for
the same question just before. store is less the median of that; reconstruct asks what was asked before.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop
from matplotlib.figure import Figure

from recorded_recall import RecallRecorder
from rensou_embedded.errors import StackError
from results import save_plot, save_table
from rivals import Asked, DirectStatements, Echo, prepare
from service_bench import Bench, recall_request, running_bench
from sizes import load_sizes
from statement_cpu import Backend, measure_cpu, measure_recall
from timing import crowd, percentile, spread, timed
from topics import make_question, vectors

_QUESTIONS, _WARMING, _BLOCK, _STORED = 200, 50, 20, 100
_CROWD_S = 4.0

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: `rows` records for each of `agents` agents, `callers` at once."""

    rows: int
    agents: int
    callers: int

    @property
    def name(self) -> str:
        return f"latency-{self.rows}" + (f"x{self.agents}" if self.agents > 1 else "")

    @property
    def agent_ids(self) -> list[str]:
        return [f"agent-{number}" for number in range(self.agents)]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one agent."""

    agent_id: str
    text: str


def _questions(plan: Plan, count: int, seed: int) -> list[Question]:
    ids = plan.agent_ids
    return [Question(ids[number * 7 % len(ids)], make_question(number, seed)) for number in range(count)]


async def _first_asks(bench: Bench, questions: Sequence[Question]) -> tuple[Figures, list[Any]]:
    """Each question embedded beside the service, then asked of it for the first time; and the answers."""
    embedded: list[float] = []
    asked: list[float] = []
    answers: list[Any] = []

    async def ask(one: Question) -> None:
        answers.append(await bench.ask(one.agent_id, one.text))

    for one in questions:
        embedded.append(await bench.probe(one.text))
        asked += await timed([lambda one=one: ask(one)])
    outside = [whole - embedding for whole, embedding in zip(asked, embedded, strict=True)]
    return spread("recall_uncached", asked) | spread("embed", embedded) | spread("outside_embed", outside), answers


async def _in_turn(
    bench: Bench, direct: DirectStatements, echo: Echo, questions: Sequence[Question], asked: Sequence[Asked]
) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"recall": [], "raw": [], "echo": []}
    await direct.open(1)
    for one in asked[:_BLOCK]:  # its plans and statements, as the service has long had them
        await direct.run(one)
    for start in range(0, len(questions), _BLOCK):
        block = range(start, min(start + _BLOCK, len(questions)))
        times["recall"] += await timed([lambda q=questions[n]: bench.ask(q.agent_id, q.text) for n in block])
        times["raw"] += await timed([lambda n=n: direct.run(asked[n]) for n in block])
        times["echo"] += await timed([echo.call for _ in block])
    return times


async def _crowds(
    plan: Plan,
    bench: Bench,
    direct: DirectStatements,
    echo: Echo,
    questions: Sequence[Question],
    asked: Sequence[Asked],
) -> Figures:
    def ask(number: int, _: int) -> Any:
        one = questions[number % len(questions)]
        return bench.ask(one.agent_id, one.text)

    await direct.open(plan.callers)
    await crowd(plan.callers, 1.0, ask)  # the service's pool grows to what is asked of it
    one, two = await crowd(1, _CROWD_S, ask), await crowd(2, _CROWD_S, ask)
    many = await crowd(plan.callers, _CROWD_S, ask)
    raw = await crowd(plan.callers, _CROWD_S, lambda n, caller: direct.run(asked[n % len(asked)], caller))
    empty = await crowd(plan.callers, 1.0, lambda _, __: echo.call())
    figures: Figures = {
        "calls_per_s_1": round(one.calls_per_s, 1),
        "calls_per_s_2": round(two.calls_per_s, 1),
        "callers": plan.callers,
        "callers_calls_per_s": round(many.calls_per_s, 1),
        **spread("callers_recall", many.every),
        "callers_raw_ms_p50": round(percentile(raw.every, 50), 2),
        "callers_echo_ms_p50": round(percentile(empty.every, 50), 2),
        "callers_errors": one.errors + two.errors + many.errors,
        "callers_fairness": round(many.fairness, 2),
    }
    rivals = figures["callers_raw_ms_p50"] + figures["callers_echo_ms_p50"]
    return figures | {"callers_ratio": round(figures["callers_recall_ms_p50"] / rivals, 2)}


def _statements(bench: Bench, asked: Sequence[Asked]) -> Figures:
    backend = Backend(bench.stack.admin_dsn)
    try:
        for one in asked[:_BLOCK]:
            backend.become(one.agent_id)
            backend.rows(b"SELECT 1", {})
        return measure_cpu(backend, asked[: len(asked) // 2]) | measure_recall(backend, asked)
    finally:
        backend.close()


async def measure(plan: Plan, bench: Bench) -> tuple[Figures, dict[str, list[float]], dict[str, int]]:
    """The figures, the times behind them by name, and the bytes by table and index."""
    await bench.load(plan.agent_ids, plan.rows)
    sizes = load_sizes(bench.stack.admin_dsn)
    for one in _questions(plan, _WARMING, seed=5):
        await bench.ask(one.agent_id, one.text)
    questions = _questions(plan, _QUESTIONS, seed=11)
    first, answers = await _first_asks(bench, questions)
    told = vectors([one.text for one in questions])
    async with RecallRecorder(bench.stack.recall_dsn, bench.stack.embedding_url) as recorder:
        asked = [
            await prepare(recorder, one.agent_id, one.text, vector, bench.model_id)
            for one, vector in zip(questions, told, strict=True)
        ]
    answer_bytes = sorted(answer.ByteSize() for answer in answers)[len(answers) // 2]
    request_bytes = recall_request(questions[0].agent_id, questions[0].text).ByteSize()
    async with DirectStatements(bench.stack.recall_dsn) as direct, Echo(request_bytes, answer_bytes) as echo:
        times = await _in_turn(bench, direct, echo, questions, asked)
        crowds = await _crowds(plan, bench, direct, echo, questions, asked)
    figures: Figures = {"rows": plan.rows, "agents": plan.agents}
    for name, series in times.items():
        figures |= spread(name, series)
    figures["ratio"] = round(figures["recall_ms_p50"] / (figures["raw_ms_p50"] + figures["echo_ms_p50"]), 3)
    figures |= _statements(bench, asked)
    figures["bytes_per_record"] = round(sum(sizes.values()) / (plan.rows * plan.agents))
    figures |= first | crowds | await _others(bench, questions, first["embed_ms_p50"])
    return figures, times, sizes


async def _others(bench: Bench, questions: Sequence[Question], embed_ms: float) -> Figures:
    reconstructed = await timed([lambda q=q: bench.reconstruct(q.agent_id, q.text) for q in questions[:_STORED]])
    stored = await timed(bench.storing(questions[0].agent_id, _STORED, seed=17))
    return spread("reconstruct", reconstructed) | spread("store", [ms - embed_ms for ms in stored])


def _save(plan: Plan, figures: Figures, times: dict[str, list[float]], sizes: dict[str, int]) -> None:
    records = plan.rows * plan.agents
    rows: list[Sequence[object]] = list(figures.items())
    rows += [(f"bytes per record: {name}", round(size / records, 1)) for name, size in sizes.items() if size]
    title = f"Recall, {plan.agents} agent(s) of {plan.rows} records"
    save_table(plan.name, title, ("figure", "value"), rows)
    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    for name, series in times.items():
        axes.ecdf(series, label=f"{name}, p50 {percentile(series, 50):.1f} ms")
    axes.set(title=title, xlabel="milliseconds", ylabel="share of the calls", xscale="log")
    axes.legend()
    axes.grid(alpha=0.3)
    save_plot(plan.name, figure)


async def run(plan: Plan, data_dir: Path) -> Figures:
    """The figures of a fresh stack, saved and returned."""
    async with running_bench(data_dir, dict(os.environ)) as bench:
        figures, times, sizes = await measure(plan, bench)
    _save(plan, figures, times, sizes)
    return figures


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1000, help="records of each agent")
    parser.add_argument("--agents", type=int, default=1)
    parser.add_argument("--callers", type=int, default=8, help="how many call at once where throughput is measured")
    arguments = parser.parse_args()
    plan = Plan(arguments.rows, arguments.agents, arguments.callers)
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            figures = uvloop.run(run(plan, Path(folder, "data")))
        except StackError as error:
            print(f"bench-latency: {error}", file=sys.stderr)
            return 1
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
