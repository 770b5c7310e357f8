"""One assembled answer as the measurement of associations sees it: turns by their part in it, shares of evidence."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rensou.v1 import recall_service_pb2 as rpc


@dataclass(frozen=True, slots=True)
class WalkedClaim:
    """A turn that the walk added to the item at `position`, from 1."""

    position: int
    head: str
    turn: str
    hops: int
    why: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """Turns of an answer, by id: the heads in order, what retrieval placed in each item, what the walk added."""

    heads: tuple[str, ...]
    placed: tuple[frozenset[str], ...]
    walked: tuple[WalkedClaim, ...]
    quoted: frozenset[str]

    @property
    def retrieved(self) -> frozenset[str]:
        return frozenset[str]().union(*self.placed)

    @property
    def claimed(self) -> frozenset[str]:
        return self.retrieved | {claim.turn for claim in self.walked}


def read_answer(response: rpc.ReconstructResponse, turn_of: Mapping[str, str]) -> Answer:
    """The answer; `turn_of` has the turn of each ref."""
    placed: list[frozenset[str]] = []
    walked: list[WalkedClaim] = []
    quoted: set[str] = set()
    for position, item in enumerate(response.items, 1):
        head = turn_of[item.head_ref]
        if item.HasField("quote"):
            quoted.add(head)
        quoted |= {turn_of[claim.ref] for claim in item.claims if claim.HasField("quote")}
        placed.append(frozenset(turn_of[claim.ref] for claim in item.claims if not claim.HasField("hops")))
        walked += [
            WalkedClaim(position, head, turn_of[claim.ref], claim.hops, claim.why, claim.HasField("quote"))
            for claim in item.claims
            if claim.HasField("hops")
        ]
    return Answer(
        tuple(turn_of[item.head_ref] for item in response.items), tuple(placed), tuple(walked), frozenset(quoted)
    )


def share(found: Iterable[str], evidence: frozenset[str]) -> float:
    """Which share of the evidence was found."""
    return len(evidence.intersection(found)) / len(evidence)
