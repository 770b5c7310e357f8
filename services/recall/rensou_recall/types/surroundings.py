"""The declared graph around a ranking."""

from collections.abc import Mapping
from dataclasses import dataclass

from rensou_recall.types.evidence import Edge
from rensou_recall.types.profile import GraphReach
from rensou_shared.ids import EntityId, RecordId


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The declared graph around a ranking's window. Neither list of neighbours has an order that means anything.

    Attributes:
        records: Of the graph; those of the window among them, whether anything is declared of them or not.
        entities: Of the graph.
        mentions: The entities that each record mentions, those outside the graph included; None where a bound cut them.
        edges: The declared relations of each entity of the graph, one a neighbour.
        links: Pairs of records that a declared relation joins, the lower number first.
    """

    records: frozenset[RecordId]
    entities: frozenset[EntityId]
    mentions: Mapping[RecordId, frozenset[EntityId] | None]
    edges: Mapping[EntityId, tuple[Edge, ...]]
    links: frozenset[tuple[RecordId, RecordId]]
    reach: GraphReach

    def mentioned(self, record: RecordId) -> frozenset[EntityId]:
        """The entities that `record` is known to mention."""
        return self.mentions.get(record) or frozenset()
