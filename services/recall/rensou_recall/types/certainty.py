"""How sure a caller is."""

from enum import Enum


class Certainty(Enum):
    """How sure the caller is of what it says; the value is the word that is stored."""

    SURE = "sure"
    LIKELY = "likely"
    VAGUE = "vague"
