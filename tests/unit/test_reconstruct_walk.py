"""What declared relations add to the items."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.reach import reach
from rensou_recall.stages.walk import walk
from rensou_recall.store.evidence_graph import EDGES_OF_A_WALKED_ENTITY
from rensou_recall.types.evidence import (
    MAX_WALKED_ENTITIES,
    Cluster,
    DeclaredGraph,
    Edge,
    EvidenceBound,
    Member,
    MentioningRecords,
    ReachedRecord,
)
from rensou_shared.ids import EntityId, RecordId, RelationId

_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_Triple = tuple[int, int, int]


def _item(*numbers: int) -> Cluster:
    return Cluster(tuple(Member(RecordId(number), number, "seed") for number in numbers), None)


def _graph(
    mentions: dict[int, list[int]], relations: list[_Triple], records: dict[int, list[int]], full: tuple[int, ...] = ()
) -> DeclaredGraph:
    """`relations` are (entity, entity, minute of the declaration), numbered from 1; predicates are "p<number>"."""
    edges: dict[EntityId, list[Edge]] = {}
    for number, (one, other, minute) in enumerate(relations, start=1):
        declared_at = _EPOCH + timedelta(minutes=minute)
        for here, there in ((one, other), (other, one)):
            edge = Edge(EntityId(there), RelationId(number), f"p{number}", declared_at)
            edges.setdefault(EntityId(here), []).append(edge)
    known = {entity for one, other, _ in relations for entity in (one, other)}
    known |= {entity for entities in mentions.values() for entity in entities}
    return DeclaredGraph(
        {RecordId(record): tuple(map(EntityId, entities)) for record, entities in mentions.items()},
        {
            EntityId(entity): tuple(sorted(edges.get(EntityId(entity), ()), key=lambda edge: edge.recency))
            for entity in known
        },
        {
            EntityId(entity): MentioningRecords(tuple(map(RecordId, numbers)), entity in full)
            for entity, numbers in records.items()
        },
    )


def _found(*records: tuple[int, str, int]) -> tuple[ReachedRecord, ...]:
    return tuple(ReachedRecord(RecordId(number), predicate, hops) for number, predicate, hops in records)


def test_reading_2_a_record_two_relations_away_is_two_hops_away_with_the_last_predicate():
    graph = _graph({1: [1]}, [(2, 1, 0), (2, 3, 1)], {3: [6]})
    (walked,) = walk([_item(1)], {RecordId(1)}, graph, max_hops=2)
    assert walked.records == _found((6, "p2", 2))
    assert walked.omitted == frozenset()


def test_a_relation_left_at_the_bound_of_hops_is_reported():
    graph = _graph({1: [1]}, [(2, 1, 0), (2, 3, 1)], {3: [6]})
    (walked,) = walk([_item(1)], {RecordId(1)}, graph, max_hops=1)
    assert walked.records == ()
    assert walked.omitted == {EvidenceBound.MAX_HOPS}


def test_invariant_5_no_hops_walk_nowhere_and_say_so():
    (walked,) = walk([_item(1)], {RecordId(1)}, _graph({1: [1]}, [(1, 2, 0)], {2: [6]}), max_hops=0)
    assert (walked.records, walked.omitted) == ((), {EvidenceBound.MAX_HOPS})


def test_reading_2_sharing_an_entity_is_no_relation():
    (walked,) = walk([_item(1)], {RecordId(1)}, _graph({1: [1]}, [], {1: [6]}), max_hops=2)
    assert walked.records == ()


def test_reading_2_a_start_is_never_reached_again_over_its_neighbour():
    (walked,) = walk([_item(1)], {RecordId(1)}, _graph({1: [1]}, [(1, 2, 0)], {1: [6], 2: [7]}), max_hops=5)
    assert walked.records == _found((7, "p1", 1))


def test_invariant_5_order_is_hops_then_newest_relation_then_number():
    relations = [(1, 2, 0), (1, 3, 9), (3, 4, 99), (1, 5, 9)]
    graph = _graph({1: [1]}, relations, {2: [20], 3: [32, 31], 4: [10], 5: [11]})
    (walked,) = walk([_item(1)], {RecordId(1)}, graph, max_hops=2)
    assert [(r.record_id, r.predicate) for r in walked.records] == [
        (31, "p2"), (32, "p2"), (11, "p4"), (20, "p1"), (10, "p3"),
    ]  # fmt: skip


def test_the_newest_of_two_edges_of_equal_length_is_credited():
    graph = _graph({1: [1, 2]}, [(1, 3, 0), (2, 3, 5)], {3: [9]})
    (walked,) = walk([_item(1)], {RecordId(1)}, graph, max_hops=1)
    assert walked.records == _found((9, "p2", 1))


def test_reading_3_a_record_of_the_pool_stays_where_retrieval_put_it():
    graph = _graph({1: [1]}, [(1, 2, 0)], {2: [5, 6]})
    (walked,) = walk([_item(1)], {RecordId(1), RecordId(5)}, graph, max_hops=2)
    assert walked.records == _found((6, "p1", 1))


def test_reading_3_a_record_that_two_items_reach_belongs_to_the_earlier():
    graph = _graph({1: [1], 2: [1]}, [(1, 2, 0)], {2: [6]})
    first, second = walk([_item(1), _item(2)], {RecordId(1), RecordId(2)}, graph, max_hops=1)
    assert (first.records, second.records) == (_found((6, "p1", 1)), ())


def test_reading_4_more_records_than_were_read_is_a_bound_reached():
    graph = _graph({1: [1], 2: [9]}, [(1, 2, 0)], {2: [6]}, full=(2,))
    first, second = walk([_item(1), _item(2)], {RecordId(1), RecordId(2)}, graph, max_hops=1)
    assert first.reached == {EvidenceBound.MAX_EVIDENCE}
    assert second.reached == frozenset()


def test_a_full_neighbourhood_keeps_the_newest_and_says_so():
    relations = [(1, entity, entity) for entity in range(2, 302)]
    graph = _graph({1: [1]}, relations, {entity: [1000 + entity] for entity in range(2, 302)})
    (walked,) = walk([_item(1)], {RecordId(1)}, graph, max_hops=3)
    assert walked.omitted == {EvidenceBound.NEIGHBOURHOOD}
    newest = range(301, 301 - (MAX_WALKED_ENTITIES - 1), -1)
    assert [record.record_id for record in walked.records] == [1000 + entity for entity in newest]


@pytest.mark.parametrize("known", [0, 100, MAX_WALKED_ENTITIES - 1])
def test_of_a_hub_the_newest_relations_that_the_store_reads_are_enough(known: int):
    graph = _graph({}, [(1, number, number) for number in range(2, 700)], {})
    hub, starts = EntityId(1), [EntityId(1), *(EntityId(699 - number) for number in range(known))]
    read = graph.edges[hub][:EDGES_OF_A_WALKED_ENTITY]
    assert len(read) < len(graph.edges[hub])
    found = reach(starts, {**graph.edges, hub: read}, max_hops=3)
    assert found == reach(starts, graph.edges, max_hops=3)
    assert found.entities_cut and len(found.entities) == MAX_WALKED_ENTITIES - len(starts)


@pytest.mark.parametrize("neighbours", [MAX_WALKED_ENTITIES - 1, MAX_WALKED_ENTITIES])
def test_the_neighbourhood_is_cut_only_past_its_bound(neighbours: int):
    relations = [(1, 1 + number, 0) for number in range(1, neighbours + 1)]
    (walked,) = walk([_item(1)], {RecordId(1)}, _graph({1: [1]}, relations, {}), max_hops=1)
    assert (EvidenceBound.NEIGHBOURHOOD in walked.omitted) is (neighbours == MAX_WALKED_ENTITIES)


def test_what_is_not_read_yet_is_asked_for_level_by_level():
    edges = _graph({}, [(1, 2, 0), (2, 3, 0)], {}).edges
    assert reach([EntityId(1)], {}, 2).unread == {1}
    assert reach([EntityId(1)], {EntityId(1): edges[EntityId(1)]}, 2).unread == {2}
    assert reach([EntityId(1)], edges, 2).unread == frozenset()


_ENTITIES = st.integers(1, 7)
_RELATIONS = st.lists(
    st.tuples(_ENTITIES, _ENTITIES, st.integers(0, 3)).filter(lambda r: r[0] != r[1]),
    max_size=12,
    unique_by=lambda r: frozenset(r[:2]),
)
_MENTIONS = st.dictionaries(st.integers(1, 4), st.lists(_ENTITIES, max_size=2, unique=True))
_RECORDS = st.dictionaries(_ENTITIES, st.lists(st.integers(1, 20), max_size=4, unique=True).map(sorted))
_HOPS = st.integers(0, 4)


def _both_ways(relations: list[_Triple]) -> list[tuple[int, int, int, int]]:
    """(from, to, minute, number) of every relation in either direction."""
    numbered = [(one, other, minute, number) for number, (one, other, minute) in enumerate(relations, start=1)]
    return numbered + [(other, one, minute, number) for one, other, minute, number in numbered]


def _distances(starts: list[int], relations: list[_Triple], hops: int) -> dict[int, int]:
    """Hops to every entity within the bound, by relaxation until nothing can change."""
    distance = dict.fromkeys(starts, 0)
    for _ in relations:
        for here, there, _, _ in _both_ways(relations):
            if distance.get(here, hops) < hops:
                distance[there] = min(distance.get(there, 99), distance[here] + 1)
    return distance


def _naive(
    mentions: dict[int, list[int]], relations: list[_Triple], records: dict[int, list[int]], items: int, hops: int
) -> list[list[tuple[int, str, int]]]:
    """Every record by its best (hops, recency, relation) over all edges that lead one hop further out."""
    taken, answer = set(range(1, items + 1)), []
    for item in range(1, items + 1):
        distance = _distances(mentions.get(item, []), relations, hops)
        ways: dict[int, tuple[int, int, int]] = {}
        for here, there, minute, number in _both_ways(relations):
            if 0 < distance.get(there, 0) == distance.get(here, 99) + 1:
                way = (distance[there], -minute, number)
                ways |= {record: min(ways.get(record, way), way) for record in records.get(there, [])}
        found = sorted((way, record) for record, way in ways.items() if record not in taken)
        answer.append([(record, f"p{way[2]}", way[0]) for way, record in found])
        taken.update(ways)
    return answer


@given(_MENTIONS, _RELATIONS, _RECORDS, _HOPS)
def test_the_walk_equals_a_naive_search(mentions, relations, records, hops):
    items = [_item(number) for number in range(1, 5)]
    walked = walk(items, set(map(RecordId, range(1, 5))), _graph(mentions, relations, records), hops)
    found = [[(r.record_id, r.predicate, r.hops) for r in item.records] for item in walked]
    assert found == _naive(mentions, relations, records, 4, hops)


@given(_MENTIONS, _RELATIONS, _RECORDS, _HOPS, st.integers(0, 4))
def test_reading_3_what_an_item_gains_does_not_depend_on_how_many_follow(mentions, relations, records, hops, count):
    items = [_item(number) for number in range(1, 5)]
    pool = set(map(RecordId, range(1, 5)))
    graph = _graph(mentions, relations, records)
    assert walk(items[:count], pool, graph, hops) == walk(items, pool, graph, hops)[:count]


@given(_MENTIONS, _RELATIONS, _RECORDS, _HOPS)
def test_invariant_5_the_walk_stays_within_its_hops_and_outside_the_pool(mentions, relations, records, hops):
    pool = set(map(RecordId, range(1, 5)))
    walked = walk([_item(number) for number in range(1, 5)], pool, _graph(mentions, relations, records), hops)
    found = [record for item in walked for record in item.records]
    assert all(1 <= record.hops <= hops for record in found)
    assert len({record.record_id for record in found}) == len(found)
    assert not pool & {record.record_id for record in found}


@given(_MENTIONS, _RELATIONS, _RECORDS, st.randoms(use_true_random=False))
def test_the_walk_ignores_the_order_of_edges(mentions, relations, records, random):
    graph = _graph(mentions, relations, records)
    shuffled = {entity: tuple(random.sample(edges, len(edges))) for entity, edges in graph.edges.items()}
    items = [_item(number) for number in range(1, 5)]
    other = DeclaredGraph(graph.mentions, shuffled, graph.records)
    assert walk(items, set(), graph, 3) == walk(items, set(), other, 3)
