"""What the reconciler sees of all agents' builds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BuildsOverview:
    """How many builds stand in each unfinished state, and how long the oldest pending one waits, in seconds.

    Quarantined ones that wait are counted apart, but they are among what waits long; rebuilds are not: that they wait
    long is in their nature.
    """

    pending: int
    quarantined: int
    rebuilds: int
    running: int
    dead: int
    oldest_pending_s: float


@dataclass(frozen=True, slots=True)
class Folded:
    """One batch of folded term deltas: how many, the slots whose count came to nothing, whether a project's did."""

    deltas: int
    empty_slots: list[int]
    any_empty_project: bool
