"""What was found among retired records."""

from collections.abc import Mapping
from dataclasses import dataclass

from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Ranked
from rensou_shared.ids import RecordId


@dataclass(frozen=True, slots=True)
class FarList:
    """What was found among retired records.

    Attributes:
        held: The best, for whom places are held, best first; their records are `records`.
        searched: How many were compared.
        beyond: How many of the scope were not.
        refused: How many an arm found and the gate refused.
    """

    held: tuple[Ranked, ...]
    records: Mapping[RecordId, StoredRecord]
    searched: int
    beyond: int
    refused: int
