"""Does a memory say what replaced it, when it was true, and how sure it is? Sets of ours through the public door.

What is measured and what decides stands in docs/measurements/intelligence.md. A fresh stack with the bundled model.
Writes bench/results/intelligence.md and .png; the last line is JSON.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from intelligence_claims import find_confidence
from intelligence_corrections import find_corrections
from intelligence_found import HEADER, Found, draw
from intelligence_reports import find_reports
from intelligence_retention import find_retention
from intelligence_time import find_time
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.errors import StackError
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions
from results import save_plot, save_table

_PARTS: tuple[Callable[[RensouClient], Awaitable[Found]], ...] = (
    find_corrections,
    find_time,
    find_confidence,
    find_retention,
    find_reports,
)


async def measure(client: RensouClient) -> dict[str, object]:
    """The figures, with the table and the plot saved."""
    found = [await part(client) for part in _PARTS]
    rows = [row for one in found for row in one.rows]
    title = "Corrections, time, confidence, policies and reports"
    print(save_table("intelligence", title, HEADER, rows).read_text("utf-8"))
    save_plot("intelligence", draw([one.panel for one in found]))
    return {name: figure for one in found for name, figure in one.figures.items()}


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
