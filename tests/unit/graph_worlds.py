"""Small declared graphs for the tests of GRAPH's stages."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from hypothesis import strategies as st

from rensou_recall.types.evidence import Edge
from rensou_recall.types.profile import GraphReach
from rensou_recall.types.retrieval import Ranked
from rensou_recall.types.surroundings import Surroundings
from rensou_shared.ids import EntityId, RecordId, RelationId

_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def ranking(*scores: float) -> list[Ranked]:
    """Records 1, 2, … with these scores, which must fall."""
    return [Ranked(RecordId(number), score, ()) for number, score in enumerate(scores, start=1)]


def surroundings(
    mentions: Mapping[int, Sequence[int]],
    relations: Iterable[tuple[int, str, int]] = (),
    links: Iterable[tuple[int, int]] = (),
    records: Iterable[int] = (),
) -> Surroundings:
    """What is declared: who mentions whom, who is in which relation to whom; entities are numbered from 100."""
    entities = {entity for found in mentions.values() for entity in found}
    entities |= {end for a, _, b in relations for end in (a, b)}
    edges: dict[EntityId, list[Edge]] = {EntityId(entity): [] for entity in entities}
    for number, (subject, predicate, object_) in enumerate(relations, start=1):
        for one, other in ((subject, object_), (object_, subject)):
            edges[EntityId(one)].append(Edge(EntityId(other), RelationId(number), predicate, _NOON))
    of = {record for pair in links for record in pair} | set(mentions) | set(records)
    return Surroundings(
        frozenset(RecordId(record) for record in of),
        frozenset(EntityId(entity) for entity in entities),
        {RecordId(record): frozenset(map(EntityId, found)) for record, found in mentions.items()},
        {entity: tuple(found) for entity, found in edges.items()},
        frozenset((RecordId(min(pair)), RecordId(max(pair))) for pair in links),
        GraphReach(len(entities), len(of), 0, 0, 0),
    )


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Ranked], Surroundings]:
    """A window of up to 8 records, up to 4 others, and what is declared of them."""
    window = ranking(*sorted(draw(st.lists(st.integers(0, 10), min_size=1, max_size=8)), reverse=True))
    records = [*(one.record_id for one in window), *range(20, 20 + draw(st.integers(0, 4)))]
    entity = st.integers(100, 104)
    mentions = {record: draw(st.lists(entity, max_size=3, unique=True)) for record in records}
    pairs = st.tuples(entity, st.sampled_from(["knows", "works on"]), entity).filter(lambda one: one[0] != one[2])
    relations = draw(st.lists(pairs, max_size=4))
    links = draw(st.lists(st.tuples(st.sampled_from(records), st.sampled_from(records)), max_size=3))
    return window, surroundings(mentions, relations, [(a, b) for a, b in links if a != b], records)
