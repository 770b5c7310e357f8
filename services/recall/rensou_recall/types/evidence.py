"""What Reconstruct is asked, what it reads of the declared graph, and what it assembles."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from functools import cached_property

from rensou_recall.types.confidence import MemoryConfidence
from rensou_recall.types.far import FarList
from rensou_recall.types.reach import Reach
from rensou_recall.types.reconstruct_trace import ReconstructTrace
from rensou_recall.types.records import LoweredBound, NodeSpan, Quote
from rensou_recall.types.retrieval import ALL_STEPS, Degradation, Fusion, GateLevel, Step
from rensou_recall.types.roles import Role
from rensou_recall.types.standing import Resolution, Standing
from rensou_recall.types.validity import NO_TIMELINE, NOTHING_LEFT_OUT, LeftOut, Timeline, Validity
from rensou_shared.ids import EntityId, RecordId, RecordRef, RelationId

_END_OF_TIME = datetime.max.replace(tzinfo=UTC)

MAX_WALKED_ENTITIES = 256
"""Entities that the walk of one item knows at most, those that its records mention included."""


class BoundSource(Enum):
    """Where a bound that was used comes from."""

    REQUEST = auto()
    DEFAULT = auto()
    DEFAULT_RAISED = auto()
    CLAMPED = auto()


@dataclass(frozen=True, slots=True)
class EvidenceBounds:
    """Bounds of one reconstruction, checked: count 0-10, top_k 1-100, hops 0-5, evidence 1-100, budget 800-20,000."""

    count: int
    top_k: int
    max_hops: int
    max_evidence: int
    budget_chars: int


@dataclass(frozen=True, slots=True)
class ReconstructQuestion:
    """A question to Reconstruct; blank text lists the newest records."""

    text: str
    fusion: Fusion
    bounds: EvidenceBounds
    lowered: tuple[LoweredBound, ...] = ()
    steps: frozenset[Step] = ALL_STEPS
    gate: GateLevel = GateLevel.BALANCED
    count_source: BoundSource = BoundSource.DEFAULT
    budget_source: BoundSource = BoundSource.DEFAULT
    resolution: Resolution = Resolution.ANY
    include_replaced: bool = False
    reach: Reach = Reach.NEAR
    valid_at: datetime | None = None
    trace: bool = False
    report: bool = False


class JoinKey(Enum):
    """What joins two candidates, strongest first."""

    EPISODE = "cluster:episode"
    ADJACENT = "cluster:adjacent"
    RELATION = "cluster:relation"


class Shortfall(Enum):
    """Why fewer items than asked came back."""

    COUNT_ZERO = auto()
    NO_RELEVANT_EVIDENCE = auto()
    EXHAUSTED_CANDIDATES = auto()
    BUDGET_EXHAUSTED = auto()


class EvidenceBound(Enum):
    """A bound that shaped a reconstruction."""

    TOP_K = auto()
    MAX_HOPS = auto()
    MAX_EVIDENCE = auto()
    NEIGHBOURHOOD = auto()
    MAX_CORRECTIONS = auto()


@dataclass(frozen=True, slots=True)
class RecordLink:
    """A declared relation between two records, its predicate normalised; its number where a claim may name it."""

    subject: RecordId
    predicate: str
    object: RecordId
    relation_id: RelationId | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A candidate in its cluster. `rank` is retrieval's, from 1; `why` says what joined it, "seed" when nothing did."""

    record_id: RecordId
    rank: int
    why: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Candidates that belong together, best rank first; `key` is the strongest that joined any of them."""

    members: tuple[Member, ...]
    key: JoinKey | None


@dataclass(frozen=True)
class Edge:
    """The newest declared relation between one entity and `to_entity`, in either direction."""

    to_entity: EntityId
    relation_id: RelationId
    predicate: str
    declared_at: datetime

    @cached_property
    def recency(self) -> tuple[timedelta, int]:
        """Sorts newer relations first; equally new ones by number."""
        return _END_OF_TIME - self.declared_at, self.relation_id


@dataclass(frozen=True, slots=True)
class MentioningRecords:
    """Readable records outside the pool that mention an entity, by number; `more`: there are others, not read."""

    record_ids: tuple[RecordId, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class DeclaredGraph:
    """The part of the graph that the walk may need; a missing key is an empty list.

    Attributes:
        mentions: Entities that a record of the pool mentions, by number.
        edges: Edges of an entity, newest first.
        records: Records that mention a reached entity.
        left_out: Records that do and are not true at the time that is asked for.
    """

    mentions: Mapping[RecordId, tuple[EntityId, ...]]
    edges: Mapping[EntityId, tuple[Edge, ...]]
    records: Mapping[EntityId, MentioningRecords]
    left_out: LeftOut = NOTHING_LEFT_OUT


@dataclass(frozen=True, slots=True)
class ReachedRecord:
    """A record that the walk reached over `hops` relations (from 1), the last of which is `predicate`."""

    record_id: RecordId
    predicate: str
    hops: int


@dataclass(frozen=True, slots=True)
class Walked:
    """What the walk adds to one item, in the walk's order, and the bounds that shaped it."""

    records: tuple[ReachedRecord, ...]
    omitted: frozenset[EvidenceBound]
    reached: frozenset[EvidenceBound]


@dataclass(frozen=True, slots=True)
class EvidenceTraits:
    """What the order of claims needs of a record; `occurred_at` in UTC."""

    ref: RecordRef
    occurred_at: datetime | None
    validity: Validity | None = None


@dataclass(frozen=True, slots=True)
class ClaimRole:
    """The role that another record of the item plays for a claim."""

    role: Role
    ref: RecordRef


@dataclass(frozen=True, slots=True)
class Claim:
    """One record of an item; `hops` is None for what retrieval found."""

    ref: RecordRef
    as_of: datetime | None
    why: str
    hops: int | None
    roles: tuple[ClaimRole, ...]
    quote: Quote | None = None
    standing: Standing | None = None
    validity: Validity | None = None
    confidence: MemoryConfidence | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two claims of one item that a relation says contradict each other; the refs rise. `settled`: one is replaced."""

    refs: tuple[RecordRef, RecordRef]
    relation_id: RelationId
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """An item before it is quoted.

    Attributes:
        claims: In the order in which they are shown.
        quoting: The records of the claims in the order in which they are quoted; the first is the head.
    """

    claims: tuple[Claim, ...]
    quoting: tuple[RecordId, ...]
    independence_reason: str
    claims_omitted: int
    conflicts: tuple[Conflict, ...] = ()
    timeline: Timeline = NO_TIMELINE


@dataclass(frozen=True, slots=True)
class QuoteSlot:
    """A place for a quote: the item's position from 0, the record, and the quote's bound in code points."""

    item: int
    record_id: RecordId
    max_chars: int


@dataclass(frozen=True, slots=True)
class ScoredNode:
    """A node of a record and its cosine similarity to the question, None when it cannot be known."""

    span: NodeSpan
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Item:
    """One thing found, with the evidence for it."""

    head_ref: RecordRef
    quote: Quote
    claims: tuple[Claim, ...]
    independence_reason: str
    claims_omitted: int
    quotes_omitted: int
    conflicts: tuple[Conflict, ...] = ()
    retired: bool = False
    timeline: Timeline = NO_TIMELINE


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """The assembled answer; bounds in the order of their enum."""

    items: tuple[Item, ...]
    effective_count: int
    shortfall: Shortfall | None
    used_budget_chars: int
    effective_budget_chars: int
    omitted: tuple[EvidenceBound, ...] = ()
    reached: tuple[EvidenceBound, ...] = ()
    lowered: tuple[LoweredBound, ...] = ()
    degradation: Degradation | None = None
    count_source: BoundSource = BoundSource.DEFAULT
    budget_source: BoundSource = BoundSource.DEFAULT
    terms_omitted: int = 0
    far: FarList | None = None
    left_out: LeftOut = NOTHING_LEFT_OUT
    trace: ReconstructTrace | None = None
    recall_id: str = ""
