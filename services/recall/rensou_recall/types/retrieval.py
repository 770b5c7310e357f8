"""What retrieval finds, and why."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rensou_recall.types.profile import RERANK_WINDOW, Profile, ProfileEffect
from rensou_recall.types.reach import Reach
from rensou_recall.types.signal import Signal
from rensou_recall.types.time_cue import TimeCue
from rensou_shared.domain import ANN_ABOVE_ROWS
from rensou_shared.ids import ModelId, RecordId, RecordRef
from rensou_shared.text.traits import Trait


class Arm(Enum):
    """One way to retrieve."""

    VECTOR = auto()
    LEXICAL = auto()
    RECENT = auto()
    TRIGRAM = auto()


class Fusion(Enum):
    """How the arms' rankings become one."""

    CONVEX = auto()
    RRF = auto()


class Step(Enum):
    """What `CONVEX` adds for records with a session, each on its own."""

    CONTEXT = auto()
    NAMED_DATES = auto()
    TIME_WORDS = auto()
    SESSION = auto()
    ASKED = auto()
    SPEAKER = auto()
    ASKS = auto()


ALL_STEPS = frozenset(Step)


class Admission(Enum):
    """What a hit is there for."""

    RANKED = auto()
    TIME_CUE = auto()
    GRAPH = auto()
    RETIRED = auto()


class GateLevel(Enum):
    """How much a candidate must have to do with the question."""

    OFF = auto()
    LENIENT = auto()
    BALANCED = auto()
    STRICT = auto()


class DegradationKind(Enum):
    """What an answer had to do without."""

    NO_QUERY_VECTOR = auto()
    MODEL_MISMATCH = auto()
    RERANKER_UNAVAILABLE = auto()


@dataclass(frozen=True, slots=True)
class Degradation:
    """What an answer had to do without, why, and since when (UTC)."""

    kind: DegradationKind
    reason: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of retrieval.

    Attributes:
        text: The question; blank lists the newest records.
        fusion: How the arms are fused.
        depth: Candidates an arm.
        keep: How many of the ranked records are read and returned.
        extra_terms: Texts whose words also count for the lexical arm (names of a mentioned entity); the vector arm
            and the trigrams read the question alone.
        exclude: Records that are ranked and not returned; those behind them move up.
        steps: What is added for records with a session; `RRF` adds nothing.
        time_cue: When the answer was; None when nobody says.
        trace: Whether to say how the answer came about.
        gate: How much a candidate must have to do with `text`; `extra_terms` are no part of it and admit nothing.
        profile: What is done with the ranking before it is cut.
        reach: Whether retired records are searched as well, for the places held behind the others.
        valid_at: When the answer is to be true; None leaves nothing out.
        report: Whether to say which stage found what.
    """

    text: str
    fusion: Fusion
    depth: int
    keep: int = 100
    extra_terms: tuple[str, ...] = ()
    exclude: frozenset[RecordRef] = frozenset()
    steps: frozenset[Step] = ALL_STEPS
    time_cue: TimeCue | None = None
    trace: bool = False
    gate: GateLevel = GateLevel.BALANCED
    profile: Profile = Profile.FLAT
    reach: Reach = Reach.NEAR
    valid_at: datetime | None = None
    report: bool = False

    @property
    def to_read(self) -> int:
        """How many of the ranked records are read.

        As many that `keep` are left, since refs name kinds, which candidates lack; and what a cross-encoder reads.
        """
        to_answer = self.keep + len(self.exclude)
        return max(to_answer, RERANK_WINDOW) if self.profile is Profile.RERANK else to_answer


# Threads and candidates are named tuples and no dataclasses: a recall makes some hundred of each, and a frozen
# dataclass takes more than twice as long to make.


class Thread(NamedTuple):
    """One session of the agent: the same session id in another project or channel is another one."""

    project_id: str
    channel: str
    session_id: str


class Candidate(NamedTuple):
    """A record that an arm found, scored by every arm.

    Attributes:
        cosine: Similarity, -1 to 1; None without a query vector or without the record's.
        vector_rank: Rank in the vector arm from 1; None when that arm did not find it.
        bm25: Score of the words, 0 and up.
        lexical_rank: Rank in the lexical arm from 1; None when that arm did not find it.
        trigrams: BM25 over the character trigrams, 0 and up.
        context: What `bm25` gains from the two records before this one in its session, 0 and up.
        thread: None for a record without a session.
        occurred_at: When it happened (aware), or None.
        traits: Whether the record asks, whether it names a time.
        former: The record before this one in its session; None without one, and when no step asked for it.
        source_name: Whom the record comes from, as stored; may be empty.
    """

    record_id: RecordId
    cosine: float | None
    vector_rank: int | None
    bm25: float
    lexical_rank: int | None
    trigrams: float
    context: float = 0.0
    thread: Thread | None = None
    occurred_at: datetime | None = None
    traits: Trait = Trait.NONE
    former: RecordId | None = None
    source_name: str = ""


class VectorQuery(NamedTuple):
    """What the vector arm is asked.

    Attributes:
        vector: Unit vector of the question, float32.
        model_id: Whose vectors it is compared with.
        ann_above: Readable records above which an approximate index is read, where the agent is in one.
    """

    vector: NDArray[np.float32]
    model_id: ModelId
    ann_above: int = ANN_ABOVE_ROWS


class VectorPlan(NamedTuple):
    """How the vector arm searched.

    Attributes:
        name: `exact`; `ann`; `ann, then exact` when the index gave fewer rows than asked; `none` without a vector.
        readable_records: How many records the project filter left the agent, by its counts.
    """

    name: str
    readable_records: int


class SampleDigest(NamedTuple):
    """A sample of an agent's records: how many different texts, and SHA-256 of the texts' hashes in order."""

    records: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the arms found, by id, and how; and the sample of the agent's records as it is."""

    rows: list[Candidate]
    plan: VectorPlan
    sample: SampleDigest


class Vote(NamedTuple):
    """How one arm saw a record: rank from 1 (None: scored only), raw score, what it added to the fused score."""

    arm: Arm
    rank: int | None
    score: float
    share: float


class Prior(NamedTuple):
    """What one step added to a record's score, or took from it; never 0."""

    step: Step
    share: float


class Ranked(NamedTuple):
    """A record with its score and what made it: the sum of the shares of its votes and priors.

    `relevance` is what the gate measured and `relevance_signal` what that is a measure of, None when it measured
    nothing; `effect` what a profile made of it.
    """

    record_id: RecordId
    score: float
    votes: tuple[Vote, ...]
    priors: tuple[Prior, ...] = ()
    admission: Admission = Admission.RANKED
    relevance: float | None = None
    effect: ProfileEffect | None = None
    relevance_signal: Signal | None = None

    def told(self, effect: ProfileEffect) -> "Ranked":
        """The same with what a profile made of it."""
        return self._replace(effect=effect)
