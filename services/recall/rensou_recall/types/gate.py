"""What the relevance gate asks for, measures and decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

from rensou_recall.types.retrieval import GateLevel, Ranked
from rensou_recall.types.signal import Signal
from rensou_shared.ids import RecordId


@dataclass(frozen=True, slots=True)
class Minimum:
    """What a level asks for.

    Attributes:
        closeness: Of the best candidate: the share of unrelated questions that find no record so near.
        words_beside: Of a candidate whose vector is known and says no: the share of the question that it says.
        words_alone: The same where no vector says anything.
        keeps_first: Whether the first of the words' arm stays where no vector says anything, however little it says:
            of a long question one rare word is a small share.
        cosine: Where closeness cannot be measured: of the best candidate, unless one says a word of the question.
    """

    closeness: float
    words_beside: float
    words_alone: float
    cosine: float
    keeps_first: bool = True


MINIMA: Final[Mapping[GateLevel, Minimum]] = {
    GateLevel.LENIENT: Minimum(closeness=0.5, words_beside=0.4, words_alone=0.1, cosine=0.1),
    GateLevel.BALANCED: Minimum(closeness=0.75, words_beside=0.6, words_alone=0.15, cosine=0.2),
    GateLevel.STRICT: Minimum(closeness=0.9, words_beside=0.7, words_alone=0.25, cosine=0.3, keeps_first=False),
}
"""Chosen on four of seven written dialogues and two of five chats: docs/measurements/gate.md."""


class Reason(Enum):
    """Why a candidate was admitted or refused."""

    NEAR = auto()
    """Nearer than unrelated questions come."""
    BESIDE = auto()
    """Another candidate answers the question; this one is no worse than chance."""
    WORDS = auto()
    """It says enough of the question's words."""
    SMALL_POOL = auto()
    """There is too little to measure against, and nothing speaks against it."""
    OFF = auto()
    """The gate was not asked for."""
    TOO_FAR = auto()
    """Neither it nor another candidate is nearer than unrelated questions come, and it says too few of the words."""
    BACKGROUND = auto()
    """Another candidate answers the question; this one is farther than an average record, and says no word."""
    FIRST_BY_WORDS = auto()
    """No vector speaks for it, and nothing else says as much of the question."""
    TOO_FEW_WORDS = auto()
    """No vector speaks for it, and it says too few of the question's words."""


REFUSALS: Final = (Reason.TOO_FAR, Reason.BACKGROUND, Reason.TOO_FEW_WORDS)
"""The reasons that refuse a candidate."""


class Verdict(NamedTuple):
    """What the gate decided about a candidate: it passes when admitted, whatever `value` is to `threshold`.

    Attributes:
        value: What `signal` measured; None for the signal NONE.
        threshold: What `value` was compared with; None for the signal NONE.
    """

    record_id: RecordId
    signal: Signal
    value: float | None
    threshold: float | None
    reason: Reason

    @property
    def is_refusal(self) -> bool:
        """Whether the candidate is refused."""
        return self.reason in REFUSALS


class Origin(Enum):
    """Where the thresholds come from."""

    CALIBRATED = auto()
    HEURISTIC = auto()


@dataclass(frozen=True, slots=True)
class Calibration:
    """How near questions that have nothing to do with the agent come to a sample of its records.

    Attributes:
        sample: Records in the sample.
        nearest: The best cosine that each of those questions reaches, ascending; empty: not measured.
        background: Their mean cosine over the sample; 0 when not measured.
    """

    sample: int
    nearest: tuple[float, ...] = ()
    background: float = 0.0

    @property
    def origin(self) -> Origin:
        """Whether anything was measured."""
        return Origin.CALIBRATED if self.nearest else Origin.HEURISTIC


@dataclass(frozen=True, slots=True)
class Gated:
    """The gate's decisions.

    Attributes:
        admitted: What passed, in the order given, with its relevance.
        verdicts: One for every candidate, in the order given.
        calibration: What the thresholds come from; None when the gate was off.
    """

    admitted: Sequence[Ranked]
    verdicts: tuple[Verdict, ...]
    calibration: Calibration | None

    @property
    def refused(self) -> tuple[Verdict, ...]:
        """The decisions against a candidate."""
        return tuple(verdict for verdict in self.verdicts if verdict.is_refusal)
