"""Does a memory say what replaced it, when it was true, and how sure it is? Sets of ours through the public door.

What is measured and what decides stands in docs/measurements/intelligence.md. A fresh stack with the bundled model.
Writes bench/results/intelligence.md and .png; the last line is JSON.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from intelligence_corrections import Shares, Verdict, measure_corrections, shares
from intelligence_sets import load_corrections
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.errors import StackError
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions
from results import save_plot, save_table

Row = tuple[str, str, int, str]
HEADER = ("set", "figure", "of", "value")


def correction_rows(verdicts: Mapping[str, Sequence[Verdict]]) -> list[Row]:
    """The shares under each resolution, whole and by language."""
    rows: list[Row] = []
    for name, of in verdicts.items():
        for language in ("en", "ja", ""):
            found = shares([one for one in of if language in (one.language, "")])
            label = f"corrections, {name}{language and ', ' + language}"
            rows += [
                (label, "stale as current", found.cases, f"{found.stale:.3f}"),
                (label, "old text quoted without a mark", found.cases, f"{found.unmarked:.3f}"),
                (label, "corrector returned", found.cases, f"{found.corrector_returned:.3f}"),
                (label, "corrector first", found.cases, f"{found.corrector_first:.3f}"),
            ]
    return rows


def draw(corrections: Mapping[str, Shares]) -> Figure:
    """The shares under each resolution."""
    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    places = range(len(corrections))
    axes.bar([place - 0.2 for place in places], [one.stale for one in corrections.values()], 0.4, label="stale")
    axes.bar(
        [place + 0.2 for place in places],
        [one.corrector_returned for one in corrections.values()],
        0.4,
        label="corrector returned",
    )
    axes.set_xticks(list(places), list(corrections))
    axes.set(title="Corrections", ylabel="share of the cases", ylim=(0, 1.05))
    axes.legend()
    return figure


async def measure(client: RensouClient) -> dict[str, object]:
    """The figures, with the table and the plot saved."""
    verdicts = await measure_corrections(client, load_corrections())
    rows = correction_rows(verdicts)
    print(save_table("intelligence", "Corrections and time", HEADER, rows).read_text("utf-8"))
    found = {name: shares(of) for name, of in verdicts.items()}
    save_plot("intelligence", draw(found))
    return {
        "stale_as_current": {name: round(one.stale, 4) for name, one in found.items()},
        "corrector_returned": round(found["current"].corrector_returned, 4),
    }


async def run(data_dir: Path) -> dict[str, object]:
    """The figures of a fresh stack."""
    stack = EmbeddedStack(StackOptions(data_dir, clean_environ(os.environ), grpc_port=0), Console())
    await stack.start()
    try:
        async with RensouClient(stack.grpc_address) as client:
            return await measure(client)
    finally:
        await stack.stop()


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            figures = asyncio.run(run(Path(folder, "data")))
        except StackError as error:
            print(f"bench-intelligence: {error}", file=sys.stderr)
            return 1
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
