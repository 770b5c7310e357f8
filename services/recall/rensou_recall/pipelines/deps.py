"""What the pipelines work with, made once by the composition root."""

import secrets
import time
from dataclasses import dataclass, field

from rensou_recall.pipelines.backpressure import Backlog
from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.pipelines.dependency_log import DependencyLog
from rensou_recall.pipelines.embedder import Embedder
from rensou_recall.pipelines.rerank import RerankerLink
from rensou_shared.db.pool import Database
from rensou_shared.domain import ANN_ABOVE_ROWS, MAX_CONTENT_CHARS
from rensou_shared.jobs.caps import QueueCaps
from rensou_shared.jobs.hints import HintSender


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that an operator may move.

    Attributes:
        content_chars: Longest text of a record, in code points.
        queue: Builds that may wait before new ones are deferred.
        ann_above_rows: Readable records above which the vector arm reads the approximate index.
    """

    content_chars: int = MAX_CONTENT_CHARS
    queue: QueueCaps = field(default_factory=QueueCaps)
    ann_above_rows: int = ANN_ABOVE_ROWS


@dataclass(frozen=True, slots=True)
class Deps:
    """The database, the embedding server, what the gate measures with, the way to wake the worker, and the bounds.

    Attributes:
        reranker: The operator's cross-encoder; None where none is set.
        page_key: What page tokens are signed with; random where none is given, so that tokens end with the process.
        seen: How PostgreSQL and Redis were found, and since when.
        backlog: How many builds of all agents wait.
    """

    database: Database
    embedder: Embedder
    calibrator: Calibrator
    hints: HintSender
    limits: Limits
    version: str
    schema_version: str
    reranker: RerankerLink | None = None
    page_key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    seen: DependencyLog = field(default_factory=DependencyLog)
    backlog: Backlog = field(default_factory=lambda: Backlog(time.monotonic))
