"""Successors in the places of the records that they replace."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rensou_recall.stages.standing import Standings
from rensou_recall.types.evidence import RecordLink
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Ranked
from rensou_shared.ids import RecordId, RecordRef

Records = Mapping[RecordId, StoredRecord]


@dataclass(frozen=True, slots=True)
class Seat:
    """A place of the ranking and who sits there; `in_place_of` is who was ranked, where that is another."""

    ranked: Ranked
    record: StoredRecord
    in_place_of: RecordRef | None = None


def live(records: Records) -> Records:
    """Those that are not retired: a retired successor takes no place, and what it replaced stays replaced."""
    return {number: record for number, record in records.items() if not record.retired}


def sinks_of(numbers: Iterable[RecordId], standings: Standings) -> list[RecordId]:
    """The first successor of each replaced record of `numbers` that has one, each once."""
    found = (first_successor(number, standings) for number in numbers)
    return list(dict.fromkeys(one for one in found if one is not None))


def first_successor(number: RecordId, standings: Standings) -> RecordId | None:
    """Who takes the place of a record; None where nobody does."""
    standing = standings.get(number)
    return standing.successors[0].ref.id if standing is not None and standing.successors else None


def seat_successors(
    ranked: Sequence[Ranked], records: Records, standings: Standings, exclude: AbstractSet[RecordRef]
) -> tuple[Seat, ...]:
    """The places of `ranked` in order. A replaced record gives its place to its first successor.

    A successor that sits elsewhere already, or is excluded, lets the place fall away. One that is not among `records`
    (forgotten meanwhile, retired) leaves it to the record that was ranked, which is replaced nevertheless.
    """
    taken = {one.record_id for one in ranked if first_successor(one.record_id, standings) is None}
    seats: list[Seat] = []
    for one in ranked:
        own, successor = records[one.record_id], first_successor(one.record_id, standings)
        if successor is None or successor not in records:
            seats.append(Seat(one, own))
        elif successor not in taken and records[successor].ref not in exclude:
            taken.add(successor)
            seats.append(Seat(one, records[successor], own.ref))
    return tuple(seats)


def with_successors(
    pool: Records, records: Records, standings: Standings
) -> tuple[dict[RecordId, StoredRecord], list[RecordLink]]:
    """`pool` with each replaced candidate behind its first successor, and what joins the two; the order is the rank.

    A successor that is a candidate itself takes the better of the two ranks.
    """
    placed: dict[RecordId, StoredRecord] = {}
    links: list[RecordLink] = []
    for number, record in pool.items():
        successor = first_successor(number, standings)
        if successor is not None and successor in records:
            placed.setdefault(successor, records[successor])
            links.append(RecordLink(successor, standings[number].successors[0].role.value, number))
        placed.setdefault(number, record)
    return placed, links
