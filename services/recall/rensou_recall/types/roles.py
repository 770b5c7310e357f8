"""Roles between records."""

from enum import Enum


class Role(Enum):
    """What the subject of a record relation is to its object; the value is the normalised predicate that says so."""

    SUPPORTS = "supports"
    SUPERSEDES = "supersedes"
    CORRECTS = "corrects"
    QUALIFIES = "qualifies"
    CONTRADICTS = "contradicts"
    TEMPORAL_PREDECESSOR = "temporal_predecessor"
