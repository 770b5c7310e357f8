"""Which places of one agent may be connected by a declaration."""

from collections.abc import Iterable
from itertools import combinations

from rensou_recall.types.declaration import Place


def crosses_isolation(places: Iterable[Place]) -> bool:
    """Whether two of `places` belong to different projects or different channels; '' belongs to every one.

    Nobody who reads one project and one channel sees such two things together.
    """
    return any(
        _differ(here.project_id, there.project_id) or _differ(here.channel, there.channel)
        for here, there in combinations(dict.fromkeys(places), 2)
    )


def _differ(one: str, other: str) -> bool:
    return one != "" and other != "" and one != other
