"""Where benchmarks leave their tables and plots: bench/results/NAME.md and NAME.png."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

RESULTS = Path(__file__).parent / "results"


def save_table(name: str, title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """The rows as a Markdown table under `title`; its path."""
    lines = [f"# {title}", "", "| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def save_plot(name: str, figure: Figure) -> Path:
    """The figure as PNG; its path."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.png"
    figure.savefig(path, dpi=110, bbox_inches="tight")
    return path
