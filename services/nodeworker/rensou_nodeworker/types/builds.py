"""Builds: rows that say "bring what is derived of this record's present text up to date"."""

from dataclasses import dataclass
from enum import Enum
from uuid import UUID

from rensou_shared.ids import AgentId, BuildId, ModelId, RecordId


@dataclass(frozen=True, slots=True)
class LeasedBuild:
    """A build that this worker holds until its lease ends.

    Attributes:
        content_sha256: Hash of the text that the build is for, 32 bytes.
        model_id: The embedding model that it is for; None: whichever is active when it runs.
        token: The fence: only the holder of the newest one may write.
        errors: Failures so far that the embedding server or the database answered for.
        crashes: Times that a worker went down, or failed without a known cause, while holding it.
        age_s: Seconds since the work was asked for.
    """

    agent_id: AgentId
    build_id: BuildId
    record_id: RecordId
    content_sha256: bytes
    model_id: ModelId | None
    token: UUID
    errors: int
    crashes: int
    age_s: float


class BuildEnd(Enum):
    """How a build ended that did not fail."""

    DONE = "done"
    SUPERSEDED = "superseded"
    """The record's text is another one by now, which has a build of its own."""


class NextState(Enum):
    """Where a build that failed goes."""

    PENDING = "pending"
    DEAD = "dead"
    """It stays in its row until an operator looks at it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a build that failed.

    Attributes:
        errors_added, crashes_added: 0 or 1.
        wait_s: Seconds until it is due again.
        reason: For operators; never any stored text.
        blames_server: Whether the embedding server, not this record, is at fault: other builds would fail as well.
        server_wait_s: How long the server asked to be left alone; 0 when it did not.
    """

    state: NextState
    errors_added: int
    crashes_added: int
    wait_s: float
    reason: str
    blames_server: bool
    server_wait_s: float


class FenceLostError(Exception):
    """The build is no longer this worker's: nothing was written, and its new holder does the work."""


class SupersededError(Exception):
    """The record's text is not the one that the build is for."""
