"""What retrieval finds, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rensou_recall.types.records import StoredRecord
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


ALL_STEPS = frozenset(Step)


class DegradationKind(Enum):
    """What an answer had to do without."""

    NO_QUERY_VECTOR = auto()
    MODEL_MISMATCH = auto()


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
    """

    text: str
    fusion: Fusion
    depth: int
    keep: int = 100
    extra_terms: tuple[str, ...] = ()
    exclude: frozenset[RecordRef] = frozenset()
    steps: frozenset[Step] = ALL_STEPS

    @property
    def to_read(self) -> int:
        """How many of the ranked records are read, so that `keep` are left: refs name kinds, which candidates lack."""
        return self.keep + len(self.exclude)


@dataclass(frozen=True, slots=True)
class Thread:
    """One session of the agent: the same session id in another project or channel is another one."""

    project_id: str
    channel: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Candidate:
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


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the arms found, by id, and how."""

    rows: list[Candidate]
    plan: VectorPlan


@dataclass(frozen=True, slots=True)
class Vote:
    """How one arm saw a record: rank from 1 (None: scored only), raw score, what it added to the fused score."""

    arm: Arm
    rank: int | None
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Prior:
    """What one step added to a record's score, more than 0."""

    step: Step
    share: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A record with its score and what made it: the sum of the shares of its votes and priors."""

    record_id: RecordId
    score: float
    votes: tuple[Vote, ...]
    priors: tuple[Prior, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The answer of retrieval.

    Attributes:
        ranked: Best first, the first `keep` of the candidates that are not excluded.
        candidates: How many candidates the arms found.
        records: The records of `ranked`, all readable by the call.
        query_vector: Unit vector of the question, float32, or None.
        fusion: None for the answer to a blank question.
        model_id: The embedding model in use, or None.
        plan: How the vector arm searched; None for the answer to a blank question.
    """

    ranked: tuple[Ranked, ...]
    candidates: int
    records: Mapping[RecordId, StoredRecord]
    query_vector: NDArray[np.float32] | None
    fusion: Fusion | None
    model_id: int | None
    degradation: Degradation | None
    plan: VectorPlan | None = None
