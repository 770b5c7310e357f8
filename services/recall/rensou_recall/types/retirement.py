"""Why a record is retired."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retirement:
    """Why, by which policy ('': by hand), and by whom."""

    by: str
    reason: str = ""
    policy: str = ""
