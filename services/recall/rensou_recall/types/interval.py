"""A half-open stretch of time, and where an instant lies in it."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Final


class ValidityState(Enum):
    """Where an instant lies in an asserted interval, seen from the instant."""

    VALID = auto()
    PAST = auto()
    FUTURE = auto()


@dataclass(frozen=True, slots=True)
class Interval:
    """[valid_from, valid_to), aware; None is no bound."""

    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no instant lies in it."""
        return self.valid_from is not None and self.valid_to is not None and self.valid_from >= self.valid_to

    def state_at(self, at: datetime) -> ValidityState:
        """Where `at` (aware) lies in it."""
        if self.valid_to is not None and self.valid_to <= at:
            return ValidityState.PAST
        if self.valid_from is not None and at < self.valid_from:
            return ValidityState.FUTURE
        return ValidityState.VALID


ALWAYS: Final = Interval()
"""Without a beginning and without an end."""
