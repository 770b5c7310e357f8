"""Rankings whose records are put together when they are looked at: an answer shows ten of some hundred."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, overload

from rensou_recall.types.retrieval import Arm, Candidate, Ranked, Step
from rensou_shared.ids import RecordId


class Ballot(NamedTuple):
    """How one arm voted on each candidate: rank from 1 or None, raw score (None: no vote), share of the sum."""

    ranks: Sequence[int | None]
    scores: Sequence[float | None]
    shares: Sequence[float]


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Candidates in the order of ties, and what made their scores, a place for each of them in every column.

    Attributes:
        priors: What each step added; 0 where it had nothing to add.
        scores: The sum of all shares.
    """

    rows: Sequence[Candidate]
    ballots: Mapping[Arm, Ballot]
    priors: Mapping[Step, Sequence[float]]
    scores: Sequence[float]


class Ranking(Sequence[Ranked]):
    """Ranked records, best first; `ids` are theirs, and `make` gives the one in a place from 0."""

    __slots__ = ("_make", "ids")

    def __init__(self, ids: Sequence[RecordId], make: Callable[[int], Ranked]) -> None:
        self.ids = ids
        self._make = make

    @classmethod
    def of(cls, ranked: Sequence[Ranked]) -> Self:
        """The ranking of records that are put together already."""
        return cls([one.record_id for one in ranked], ranked.__getitem__)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> Ranked: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Ranked, ...]: ...
    def __getitem__(self, place: int | slice) -> Ranked | tuple[Ranked, ...]:
        places = range(len(self.ids))
        return self._make(places[place]) if isinstance(place, int) else tuple(map(self._make, places[place]))
