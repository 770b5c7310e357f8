"""What a part of the benchmark found: rows for the table, figures for the last line, a panel for the plot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from matplotlib.figure import Figure

Row = tuple[str, str, int, str]
HEADER = ("set", "figure", "of", "value")


@dataclass(frozen=True, slots=True)
class Panel:
    """Bars, side by side for each label; shares between 0 and 1."""

    title: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Found:
    """The findings of one part."""

    rows: Sequence[Row]
    panel: Panel
    figures: Mapping[str, object] = field(default_factory=dict[str, object])


def draw(panels: Sequence[Panel]) -> Figure:
    """Every panel, from left to right."""
    figure = Figure(figsize=(4.5 * len(panels), 4))
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        width = 0.8 / len(panel.series)
        for place, (name, values) in enumerate(panel.series.items()):
            axes.bar([spot + place * width for spot in range(len(panel.labels))], values, width, label=name)
        middle = (len(panel.series) - 1) * width / 2
        axes.set_xticks([spot + middle for spot in range(len(panel.labels))], panel.labels)
        axes.set(title=panel.title, ylim=(0, 1.25), ylabel="share")
        axes.legend(loc="upper right", fontsize="small")
    return figure
