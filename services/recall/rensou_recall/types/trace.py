"""How an answer came about: refs, names and numbers, never a text."""

from dataclasses import dataclass

from rensou_recall.types.retrieval import Arm, Fusion, GateLevel, Ranked, Step
from rensou_recall.types.time_cue import CueHit
from rensou_shared.ids import RecordRef
from rensou_shared.scope import ReadScope

TRACE_VERSION = 1


@dataclass(frozen=True, slots=True)
class TracedBounds:
    """What was asked of retrieval; `fusion` is None for a blank question."""

    limit: int
    depth: int
    fusion: Fusion | None
    steps: frozenset[Step]
    exclude: int
    gate: GateLevel


@dataclass(frozen=True, slots=True)
class TracedPlan:
    """How the vector arm searched, and how many records the scope was counted to read."""

    name: str
    readable_records: int


@dataclass(frozen=True, slots=True)
class TracedRow:
    """One candidate of an arm: rank from 1, raw score."""

    ref: RecordRef
    rank: int
    raw: float


@dataclass(frozen=True, slots=True)
class TracedArm:
    """What one arm found, by rank; `depth_met` when it may have found more."""

    arm: Arm
    rows: tuple[TracedRow, ...]
    depth_met: bool


@dataclass(frozen=True, slots=True)
class TracedDecision:
    """What the gate decided about one candidate, and why."""

    ref: RecordRef
    signal: str
    score: float | None
    threshold: float | None
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class TracedGate:
    """What the gate did; `decisions` are in the order of the fused score."""

    origin: str
    sample: int
    decisions: tuple[TracedDecision, ...]


@dataclass(frozen=True, slots=True)
class TracedMove:
    """A hit that the time cue moved, places from 1."""

    ref: RecordRef
    from_place: int
    to_place: int


@dataclass(frozen=True, slots=True)
class TracedCue:
    """What the time cue found, best first, and did."""

    rows: tuple[tuple[RecordRef, CueHit], ...]
    moves: tuple[TracedMove, ...]
    seats: tuple[RecordRef, ...]


@dataclass(frozen=True, slots=True)
class TracedCuts:
    """Where candidates went that are no hits: the sum of all but the first, and the hits, is the first."""

    candidates: int
    refused: int
    excluded: int
    gone: int
    beyond_limit: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class TracedPart:
    """The part [start, end) of the question, in code points, and the hits that hold it, in their order."""

    start: int
    end: int
    refs: tuple[RecordRef, ...]


@dataclass(frozen=True, slots=True)
class TracedCoverage:
    """Which hits hold which parts of the question; of each text the first `chars_a_hit` code points were looked at."""

    parts: tuple[TracedPart, ...]
    parts_omitted: int
    chars_a_hit: int


@dataclass(frozen=True, slots=True)
class TracedTimings:
    """Milliseconds of wall time."""

    embed_ms: float
    database_ms: float
    stages_ms: float
    gate_ms: float
    trace_ms: float
    total_ms: float
    rerank_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer came about. `vector_was_kept` is None without a question's vector."""

    server_version: str
    policies: tuple[str, ...]
    scope: ReadScope
    bounds: TracedBounds
    plan: TracedPlan | None
    arms: tuple[TracedArm, ...]
    candidates: tuple[tuple[RecordRef, Ranked], ...]
    gate: TracedGate | None
    time_cue: TracedCue | None
    cuts: TracedCuts
    coverage: TracedCoverage
    vector_was_kept: bool | None
    timings: TracedTimings
