"""What the pipelines work with, made once by the composition root."""

from dataclasses import dataclass

from rensou_recall.pipelines.embedder import Embedder
from rensou_shared.db.pool import Database
from rensou_shared.domain import ANN_ABOVE_ROWS, MAX_CONTENT_CHARS
from rensou_shared.jobs.hints import HintSender


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that an operator may move.

    Attributes:
        content_chars: Longest text of a record, in code points.
        pending_builds: Builds of one agent that may wait before new ones are deferred.
        ann_above_rows: Readable records above which the vector arm reads the approximate index.
    """

    content_chars: int = MAX_CONTENT_CHARS
    pending_builds: int = 10_000
    ann_above_rows: int = ANN_ABOVE_ROWS


@dataclass(frozen=True, slots=True)
class Deps:
    """The database, the embedding server, the way to wake the worker, and the bounds."""

    database: Database
    embedder: Embedder
    hints: HintSender
    limits: Limits
    version: str
    schema_version: str
