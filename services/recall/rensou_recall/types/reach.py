"""How far is searched."""

from enum import Enum, auto


class Reach(Enum):
    """How far is searched: live records alone, or retired ones as well."""

    NEAR = auto()
    WIDE = auto()
