"""How long the parts of a call take."""

from enum import Enum, auto
from time import perf_counter

from rensou_recall.types.trace import TracedTimings


class Part(Enum):
    """What the time went to."""

    EMBED = auto()
    DATABASE = auto()
    STAGES = auto()
    GATE = auto()
    RERANK = auto()
    TRACE = auto()


class Stopwatch:
    """Runs from when it is made; each lap gives the time since the last one to a part."""

    def __init__(self) -> None:
        self._started = self._lapped = perf_counter()
        self._seconds = dict.fromkeys(Part, 0.0)

    def lap(self, part: Part) -> None:
        """What has passed since the last lap was `part`."""
        now = perf_counter()
        self._seconds[part] += now - self._lapped
        self._lapped = now

    @property
    def timings(self) -> TracedTimings:
        """The laps so far."""
        embed, database, stages, gate, rerank, trace = (self._seconds[part] * 1000 for part in Part)
        return TracedTimings(embed, database, stages, gate, trace, (self._lapped - self._started) * 1000, rerank)
