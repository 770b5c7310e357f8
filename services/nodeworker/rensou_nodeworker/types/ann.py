"""An agent of a model and the approximate index."""

from dataclasses import dataclass
from enum import Enum


class AnnState(Enum):
    """Where an agent stands; the value is the database's."""

    FLAGGING = "flagging"
    READY = "ready"
    LEAVING = "leaving"


@dataclass(frozen=True, slots=True)
class Standing:
    """An agent of a model as the database has it.

    Attributes:
        records: All of the agent's, by its counts.
        share: Of the records of its lane's agents, 0 to 1; 1 without a lane.
        state: None for an agent that is in no lane.
        any_unflagged, any_flagged: Whether it has vectors outside the lane, and in it.
        seen_by_all: Every writer that may not have seen `state` has ended.
    """

    records: int
    share: float
    state: AnnState | None
    any_unflagged: bool
    any_flagged: bool
    seen_by_all: bool
