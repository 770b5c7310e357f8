"""The declared graph as GRAPH reads it: bounds hold, and what they leave out is counted."""

from datetime import UTC, datetime

from rensou_recall.stages import growth as bounds
from rensou_recall.stages.growth import Growth
from rensou_recall.types.evidence import Edge, MentioningRecords
from rensou_shared.ids import EntityId, RecordId, RelationId

_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def records(*numbers: int) -> tuple[RecordId, ...]:
    return tuple(map(RecordId, numbers))


def entities(*numbers: int) -> tuple[EntityId, ...]:
    return tuple(map(EntityId, numbers))


def edges(count: int) -> tuple[Edge, ...]:
    return tuple(Edge(EntityId(1_000 + n), RelationId(n), "knows", _NOON) for n in range(count))


def test_the_window_is_in_the_graph_from_the_start_and_its_mentions_are_asked_for() -> None:
    growth = Growth(records(2, 1))
    assert growth.without_mentions() == [1, 2]
    growth.add_mentions(records(1, 2), {RecordId(1): entities(7, 8)})
    assert growth.without_mentions() == []
    assert growth.entities_of(records(1, 2)) == [7, 8]
    assert growth.entities_of(records(1, 2)) == []
    assert growth.surroundings().mentions == {1: {7, 8}, 2: frozenset()}


def test_entities_and_records_beyond_their_bounds_are_counted_and_left_out() -> None:
    growth = Growth(records(1))
    met = entities(*range(1, bounds.MAX_ENTITIES + 4))
    assert growth.take_entities(reversed(met)) == list(met[: bounds.MAX_ENTITIES])
    mentioning = {EntityId(1): MentioningRecords(records(*range(1, bounds.MAX_RECORDS + 3)), more=True)}
    assert growth.add_mentioning(mentioning) == list(range(2, bounds.MAX_RECORDS + 1))
    reach = growth.surroundings().reach
    assert (reach.entities, reach.entities_omitted) == (bounds.MAX_ENTITIES, 3)
    assert (reach.records, reach.records_omitted, reach.lists_cut) == (bounds.MAX_RECORDS, 2, 1)


def test_lists_beyond_their_bounds_are_cut_and_counted() -> None:
    growth = Growth(records(1))
    growth.add_mentions(records(1), {RecordId(1): entities(*range(bounds.MENTIONS_PER_RECORD + 1))})
    growth.add_edges({EntityId(1): edges(bounds.EDGES_PER_ENTITY + 1), EntityId(2): edges(bounds.EDGES_PER_ENTITY)})
    growth.add_links({RecordId(1): records(*range(10, 11 + bounds.LINKS_PER_RECORD))})
    around = growth.surroundings()
    assert around.mentions == {1: None}
    assert around.mentioned(RecordId(1)) == frozenset()
    assert len(around.edges[EntityId(1)]) == bounds.EDGES_PER_ENTITY
    assert len(around.links) == bounds.LINKS_PER_RECORD
    assert around.reach.lists_cut == 3


def test_a_link_read_from_both_ends_is_one() -> None:
    growth = Growth(records(1, 2))
    assert growth.add_links({RecordId(1): records(2, 3), RecordId(2): records(1)}) == [3]
    assert growth.surroundings().links == {(1, 2), (1, 3)}
