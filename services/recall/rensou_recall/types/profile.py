"""What a profile does with a ranking."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class Profile(Enum):
    """What is done with the ranking of the arms, after it and before the limit."""

    FLAT = auto()
    DIVERSE = auto()
    GRAPH = auto()
    RERANK = auto()


RERANK_WINDOW: Final = 50
"""Hits whose texts are sent to the cross-encoder."""


@dataclass(frozen=True, slots=True)
class ProfileEffect:
    """What a profile made of one hit.

    Attributes:
        score: What it ordered the hit by.
        fused_rank: Rank by the fused score, from 1; None for what only the graph reached.
        similarity: The largest cosine similarity to a hit above, by DIVERSE; None without one.
        page_rank: The record's share of the PageRank, 0-1, by GRAPH.
    """

    profile: Profile
    score: float
    fused_rank: int | None
    similarity: float | None = None
    page_rank: float | None = None


@dataclass(frozen=True, slots=True)
class GraphReach:
    """How much of the declared graph was read, and what its bounds left out of what was met."""

    entities: int
    records: int
    entities_omitted: int
    records_omitted: int
    lists_cut: int


@dataclass(frozen=True, slots=True)
class ProfileOutcome:
    """What a profile did to an answer: whether its order stands, and how many hits of the ranking it read."""

    profile: Profile
    applied: bool
    window: int
    graph: GraphReach | None = None
