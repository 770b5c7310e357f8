"""The declared graph around a window as it is read, level by level, within its bounds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rensou_recall.types.evidence import Edge, MentioningRecords
from rensou_recall.types.profile import GraphReach
from rensou_recall.types.surroundings import Surroundings
from rensou_shared.ids import EntityId, RecordId

MAX_ENTITIES: Final = 256
MAX_RECORDS: Final = 2_000
MENTIONS_PER_RECORD: Final = 32
LINKS_PER_RECORD: Final = 32
RECORDS_PER_ENTITY: Final = 128
EDGES_PER_ENTITY: Final = 64


class Growth:
    """What was met so far; each list of neighbours comes one longer than its bound where there is more.

    Within a level nodes are taken by number. What a bound leaves out is counted and is no part of the graph.
    """

    def __init__(self, window: Iterable[RecordId]) -> None:
        self._records = set(window)
        self._entities: set[EntityId] = set()
        self._left_out_records: set[RecordId] = set()
        self._left_out_entities: set[EntityId] = set()
        self._mentions: dict[RecordId, frozenset[EntityId] | None] = {}
        self._edges: dict[EntityId, tuple[Edge, ...]] = {}
        self._links: set[tuple[RecordId, RecordId]] = set()
        self._lists_cut = 0

    def without_mentions(self) -> list[RecordId]:
        """The records of the graph whose mentions were not read, by number."""
        return sorted(self._records - self._mentions.keys())

    def add_mentions(self, records: Sequence[RecordId], mentions: Mapping[RecordId, tuple[EntityId, ...]]) -> None:
        """Notes what `records` mention; one that mentions more than the bound says about nobody whom it is about."""
        for record in records:
            entities = mentions.get(record, ())
            cut = len(entities) > MENTIONS_PER_RECORD
            self._lists_cut += cut
            self._mentions[record] = None if cut else frozenset(entities)

    def entities_of(self, records: Iterable[RecordId]) -> list[EntityId]:
        """The entities that `records` mention and that are new to the graph, taken into it, by number."""
        return self.take_entities(entity for record in records for entity in self._mentions.get(record) or ())

    def take_entities(self, entities: Iterable[EntityId]) -> list[EntityId]:
        """Those of `entities` that are new and that the bound admits, now in the graph, by number."""
        new = sorted(set(entities) - self._entities)
        room = MAX_ENTITIES - len(self._entities)
        self._left_out_entities.update(new[room:])
        self._entities.update(new[:room])
        return new[:room]

    def _take_records(self, records: Iterable[RecordId]) -> list[RecordId]:
        new = sorted(set(records) - self._records)
        room = MAX_RECORDS - len(self._records)
        self._left_out_records.update(new[room:])
        self._records.update(new[:room])
        return new[:room]

    def add_links(self, links: Mapping[RecordId, tuple[RecordId, ...]]) -> list[RecordId]:
        """Notes which records relations join; the far ones that are new to the graph, by number."""
        for record, far in links.items():
            self._lists_cut += len(far) > LINKS_PER_RECORD
            self._links.update((min(record, one), max(record, one)) for one in far[:LINKS_PER_RECORD])
        return self._take_records(one for far in links.values() for one in far[:LINKS_PER_RECORD])

    def add_edges(self, edges: Mapping[EntityId, tuple[Edge, ...]]) -> list[EntityId]:
        """Notes the relations of entities; the far ones that are new to the graph, by number."""
        self._lists_cut += sum(len(found) > EDGES_PER_ENTITY for found in edges.values())
        kept = {entity: found[:EDGES_PER_ENTITY] for entity, found in edges.items()}
        self._edges.update(kept)
        return self.take_entities(edge.to_entity for found in kept.values() for edge in found)

    def add_mentioning(self, records: Mapping[EntityId, MentioningRecords]) -> list[RecordId]:
        """Notes who mentions entities; the records that are new to the graph, by number."""
        self._lists_cut += sum(found.more for found in records.values())
        return self._take_records(one for found in records.values() for one in found.record_ids)

    def surroundings(self) -> Surroundings:
        """The graph as it stands."""
        reach = GraphReach(
            len(self._entities),
            len(self._records),
            len(self._left_out_entities),
            len(self._left_out_records),
            self._lists_cut,
        )
        return Surroundings(
            frozenset(self._records),
            frozenset(self._entities),
            dict(self._mentions),
            dict(self._edges),
            frozenset(self._links),
            reach,
        )
