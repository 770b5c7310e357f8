"""What the relevance gate measures."""

from enum import Enum, auto


class Signal(Enum):
    """What was measured."""

    CLOSENESS = auto()
    WORDS = auto()
    COSINE = auto()
    NONE = auto()
