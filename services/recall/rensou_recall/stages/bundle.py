"""Which candidates belong to one item: union-find over what their records and the declared relations say."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from rensou_recall.types.evidence import Cluster, JoinKey, Member, RecordLink
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.roles import Role

_BURST = timedelta(seconds=60)
_SEED = "seed"
_Join = tuple[int, int, JoinKey, str]


def bundle(pool: Sequence[StoredRecord], links: Iterable[RecordLink]) -> tuple[Cluster, ...]:
    """The clusters of `pool` (retrieval's order, best first), by the rank of their best member.

    Keys in order: a memory inside a candidate episode of its project and channel; memories of one source, project and
    channel within 60 s of the first of their burst; a declared relation with both ends in the pool. The first key that
    touches a record is its `why`, for both ends of a join. Sharing a source or an entity alone joins nothing.
    """
    roots = list(range(len(pool)))
    touched: dict[int, tuple[JoinKey, str]] = {}
    for one, other, key, why in (*_episodes(pool), *_bursts(pool), *_relations(pool, links)):
        _union(roots, one, other)
        touched.setdefault(one, (key, why))
        touched.setdefault(other, (key, why))
    grouped: dict[int, list[int]] = defaultdict(list)
    for index in range(len(pool)):
        grouped[_find(roots, index)].append(index)
    return tuple(_cluster(pool, members, touched) for members in grouped.values())


def containing_episodes(pool: Sequence[StoredRecord]) -> tuple[RecordLink, ...]:
    """That an episode of `pool` supports each memory of `pool` which lies in it, as a declaration would say it."""
    return tuple(
        RecordLink(pool[episode].ref.id, Role.SUPPORTS.value, pool[memory].ref.id)
        for episode, memory, _, _ in _episodes(pool)
    )


def _cluster(pool: Sequence[StoredRecord], indexes: list[int], touched: dict[int, tuple[JoinKey, str]]) -> Cluster:
    members = tuple(
        Member(pool[index].ref.id, index + 1, touched[index][1] if index in touched else _SEED) for index in indexes
    )
    keys = {touched[index][0] for index in indexes if index in touched}
    return Cluster(members, next((key for key in JoinKey if key in keys), None))


def _episodes(pool: Sequence[StoredRecord]) -> Iterator[_Join]:
    for index, episode in enumerate(pool):
        if episode.ref.kind != "ep" or episode.occurred_at is None or episode.ended_at is None:
            continue
        for other, memory in enumerate(pool):
            inside = (
                memory.ref.kind == "mem"
                and memory.occurred_at is not None
                and episode.occurred_at <= memory.occurred_at <= episode.ended_at
                and (memory.project_id, memory.channel) == (episode.project_id, episode.channel)
            )
            if inside:
                yield index, other, JoinKey.EPISODE, JoinKey.EPISODE.value


def _bursts(pool: Sequence[StoredRecord]) -> Iterator[_Join]:
    streams: dict[tuple[str, str, str, str], list[tuple[datetime, int, int]]] = defaultdict(list)
    for index, record in enumerate(pool):
        if record.ref.kind == "mem" and record.occurred_at is not None and record.source.id:
            stream = (record.source.type, record.source.id, record.project_id, record.channel)
            streams[stream].append((record.occurred_at, record.ref.id, index))
    for timeline in streams.values():
        anchor: tuple[datetime, int] | None = None
        for moment, _, index in sorted(timeline):
            if anchor is not None and moment - anchor[0] <= _BURST:
                yield anchor[1], index, JoinKey.ADJACENT, JoinKey.ADJACENT.value
            else:
                # The burst is measured from its first record: otherwise steady traffic would be one endless burst.
                anchor = (moment, index)


def _relations(pool: Sequence[StoredRecord], links: Iterable[RecordLink]) -> Iterator[_Join]:
    positions = {record.ref.id: index for index, record in enumerate(pool)}
    for link in sorted(links, key=lambda link: (link.subject, link.predicate, link.object)):
        if link.subject in positions and link.object in positions:
            yield positions[link.subject], positions[link.object], JoinKey.RELATION, f"relation:{link.predicate}"


def _find(roots: list[int], index: int) -> int:
    while roots[index] != index:
        roots[index] = roots[roots[index]]
        index = roots[index]
    return index


def _union(roots: list[int], one: int, other: int) -> None:
    low, high = sorted((_find(roots, one), _find(roots, other)))
    roots[high] = low
