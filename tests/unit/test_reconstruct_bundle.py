"""Which candidates belong to one item."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.bundle import bundle, containing_episodes
from rensou_recall.types.evidence import Cluster, JoinKey, RecordLink
from rensou_recall.types.records import Source, StoredRecord
from rensou_shared.ids import RecordId, RecordKind, RecordRef

_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
_ANONYMOUS = Source()


def _record(
    number: int,
    *,
    kind: RecordKind = "mem",
    at_s: float | None = None,
    until_s: float | None = None,
    source: Source = _ANONYMOUS,
    project: str = "",
    channel: str = "",
) -> StoredRecord:
    start = None if at_s is None else _NOON + timedelta(seconds=at_s)
    end = None if until_s is None else _NOON + timedelta(seconds=until_s)
    ref = RecordRef(kind, RecordId(number))
    return StoredRecord(ref, f"text {number}", project, channel, source, "", start, end, _NOON, False, 1)


def _link(subject: int, predicate: str, object_: int) -> RecordLink:
    return RecordLink(RecordId(subject), predicate, RecordId(object_))


def _groups(clusters: tuple[Cluster, ...]) -> list[list[int]]:
    return [[member.record_id for member in cluster.members] for cluster in clusters]


def test_without_anything_in_common_every_candidate_is_its_own_seed():
    clusters = bundle([_record(5), _record(2)], [])
    assert _groups(clusters) == [[5], [2]]
    assert all(cluster.key is None and cluster.members[0].why == "seed" for cluster in clusters)


def test_an_episode_takes_the_memories_inside_it_both_ends_included():
    pool = [
        _record(1, at_s=0),
        _record(2, at_s=101),
        _record(3, kind="ep", at_s=0, until_s=100),
        _record(4, at_s=100),
        _record(5),
    ]
    clusters = bundle(pool, [])
    assert _groups(clusters) == [[1, 3, 4], [2], [5]]
    assert {member.why for member in clusters[0].members} == {"cluster:episode"}
    assert clusters[0].key is JoinKey.EPISODE
    assert containing_episodes(pool) == (_link(3, "supports", 1), _link(3, "supports", 4))


def test_an_episode_takes_nothing_of_another_project_or_channel():
    pool = [
        _record(1, kind="ep", at_s=0, until_s=100, project="a"),
        _record(2, at_s=50, project="b"),
        _record(3, at_s=50, project="a", channel="c"),
        _record(4, kind="ep", at_s=50, until_s=60, project="a"),
    ]
    assert _groups(bundle(pool, [])) == [[1], [2], [3], [4]]


def test_a_burst_is_measured_from_its_first_record():
    ann = Source("User", "ann")
    pool = [_record(number, at_s=40 * number, source=ann) for number in range(1, 6)]
    assert _groups(bundle(pool, [])) == [[1, 2], [3, 4], [5]]


def test_a_burst_holds_at_exactly_sixty_seconds_and_no_longer():
    ann = Source("User", "ann")
    near = bundle([_record(1, at_s=0, source=ann), _record(2, at_s=60, source=ann)], [])
    far = bundle([_record(1, at_s=0, source=ann), _record(2, at_s=60.001, source=ann)], [])
    assert (_groups(near), _groups(far)) == ([[1, 2]], [[1], [2]])
    assert near[0].key is JoinKey.ADJACENT


def test_anonymous_sources_other_scopes_and_undated_records_make_no_burst():
    ann = Source("User", "ann")
    pool = [
        _record(1, at_s=0),
        _record(2, at_s=1),
        _record(3, at_s=0, source=ann),
        _record(4, at_s=1, source=ann, channel="c"),
        _record(5, at_s=1, source=Source("Agent", "ann")),
        _record(6, source=ann),
    ]
    assert len(bundle(pool, [])) == 6


def test_a_declared_relation_joins_and_says_its_predicate():
    clusters = bundle([_record(1), _record(2), _record(3)], [_link(3, "restates", 1), _link(3, "corrects", 9)])
    assert _groups(clusters) == [[1, 3], [2]]
    assert [member.why for member in clusters[0].members] == ["relation:restates", "relation:restates"]
    assert clusters[0].key is JoinKey.RELATION


def test_a_stronger_key_keeps_its_why_and_names_the_cluster():
    ann = Source("User", "ann")
    pool = [_record(1, at_s=0, source=ann), _record(2, at_s=5, source=ann), _record(3)]
    (cluster,) = bundle(pool, [_link(3, "corrects", 1)])
    assert [member.why for member in cluster.members] == ["cluster:adjacent", "cluster:adjacent", "relation:corrects"]
    assert cluster.key is JoinKey.ADJACENT


_LINKS = st.lists(st.builds(_link, st.integers(1, 6), st.sampled_from(["a", "b"]), st.integers(1, 6)), max_size=8)


@given(_LINKS, st.randoms(use_true_random=False))
def test_bundling_ignores_the_order_of_links(links: list[RecordLink], random):
    pool = [_record(number) for number in (4, 2, 6, 1, 3, 5)]
    shuffled = list(links)
    random.shuffle(shuffled)
    assert bundle(pool, links) == bundle(pool, shuffled)


@given(_LINKS, st.lists(st.integers(0, 200), min_size=6, max_size=6))
def test_clusters_part_the_pool_in_the_order_of_their_best_rank(links: list[RecordLink], times: list[int]):
    ann = Source("User", "ann")
    pool = [_record(number, at_s=time, source=ann) for number, time in enumerate(times, start=1)]
    clusters = bundle(pool, links)
    ranks = [[member.rank for member in cluster.members] for cluster in clusters]
    assert sorted(rank for cluster in ranks for rank in cluster) == [1, 2, 3, 4, 5, 6]
    assert all(cluster == sorted(cluster) for cluster in ranks)
    assert [cluster[0] for cluster in ranks] == sorted(cluster[0] for cluster in ranks)


@given(st.lists(st.integers(0, 200), min_size=6, max_size=6), st.permutations(range(6)))
def test_the_partition_does_not_depend_on_the_ranks(times: list[int], order: list[int]):
    ann = Source("User", "ann")
    pool = [_record(number, at_s=time, source=ann) for number, time in enumerate(times, start=1)]
    one = {frozenset(group) for group in _groups(bundle(pool, []))}
    other = {frozenset(group) for group in _groups(bundle([pool[index] for index in order], []))}
    assert one == other
