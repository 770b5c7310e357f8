"""What a declaration means against what stands."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.declaration import plan_anchored_declaration, plan_declaration
from rensou_recall.stages.isolation import crosses_isolation
from rensou_recall.stages.replacement import MAX_SEARCHED, judge_replacements
from rensou_recall.stages.resolution import names_anything_new, resolve_declaration, visible_places
from rensou_recall.types.declaration import KnownEntity, Name, NewEntity, Place, Resolution, Standing
from rensou_recall.types.graph import Associations, DropReason, EntityDeclaration, RelationDeclaration
from rensou_shared.ids import AgentId, EntityId, RecordId, RecordKind
from rensou_shared.scope import ReadScope

GLOBAL, PROJECT = Place("", ""), Place("P", "")
Names = Mapping[Place, Mapping[str, KnownEntity]]


def _entity(number: int, name: str, place: Place) -> KnownEntity:
    return KnownEntity(EntityId(number), name, place)


def _entities(*declared: tuple[str, ...]) -> Associations:
    return Associations(entities=tuple(EntityDeclaration(name, aliases) for name, *aliases in declared))  # type: ignore[arg-type]


def _relation(subject: str, predicate: str, obj: str) -> Associations:
    return Associations(relations=(RelationDeclaration(subject, predicate, obj),))


def _resolve(
    associations: Associations,
    writer: Place = PROJECT,
    names: Names | None = None,
    records: Mapping[RecordId, tuple[RecordKind, Place]] | None = None,
) -> Resolution:
    return resolve_declaration(plan_declaration(associations, None), writer, Standing(names or {}, records or {}))


def _reasons(resolution: Resolution) -> list[tuple[str, DropReason]]:
    return [(drop.path.text, drop.reason) for drop in resolution.dropped]


def test_places_are_visible_from_the_most_specific_on() -> None:
    assert visible_places(Place("P", "C")) == (Place("P", "C"), Place("P", ""), Place("", "C"), GLOBAL)
    assert visible_places(GLOBAL) == (GLOBAL,)


def test_a_name_without_aliases_means_the_visible_entity() -> None:
    known = _entity(1, "MizEye", GLOBAL)
    found = _resolve(_entities(("mizeye",)), names={GLOBAL: {"mizeye": known}})
    assert found.named == ((known, False),) and not found.registered


def test_a_name_with_an_alias_gets_an_entity_of_the_writers_own_place() -> None:
    known = _entity(1, "MizEye", GLOBAL)
    found = _resolve(_entities(("MizEye", "the eye")), names={GLOBAL: {"mizeye": known}})
    assert found.named == ((NewEntity(0, "MizEye", PROJECT), True),)
    assert [name.written for _, name in found.aliases] == ["the eye"]


def test_an_alias_of_another_visible_entity_is_refused_and_the_entity_stands() -> None:
    names = {GLOBAL: {"ミズアイ": _entity(1, "MizEye", GLOBAL)}}
    found = _resolve(_entities(("Other", "ﾐｽﾞｱｲ")), names=names)
    assert _reasons(found) == [("entities[0].aliases[0]", DropReason.ALIAS_TAKEN)]
    assert found.named == ((NewEntity(0, "Other", PROJECT), True),)


def test_an_alias_of_the_same_entity_changes_nothing() -> None:
    known = _entity(1, "A", PROJECT)
    found = _resolve(_entities(("A", "b", "a")), names={PROJECT: {"a": known, "b": known}})
    assert found.aliases == () and found.dropped == ()


def test_a_later_item_sees_what_an_earlier_one_registered() -> None:
    found = _resolve(_entities(("A", "b"), ("B",), ("C", "B")))
    assert [entity.name for entity, _ in found.named] == ["A", "A", "C"]
    assert [created for _, created in found.named] == [True, False, True]
    assert _reasons(found) == [("entities[2].aliases[0]", DropReason.ALIAS_TAKEN)]


def test_an_entity_of_a_relation_alone_is_registered_and_not_mentioned() -> None:
    found = _resolve(_relation("A", "knows", "B"))
    assert [name.written for name in found.registered] == ["A", "B"]
    assert found.mentioned == () and len(found.named) == 2


def test_a_relation_to_itself_is_refused_and_registers_nothing() -> None:
    found = _resolve(_relation("A", "is", "ａ"))
    assert _reasons(found) == [("relations[0]", DropReason.SELF_RELATION)]
    assert found.registered == ()


def test_a_relation_between_two_names_of_one_entity_is_refused() -> None:
    known = _entity(1, "A", PROJECT)
    found = _resolve(_relation("a", "is", "b"), names={PROJECT: {"a": known, "b": known}})
    assert _reasons(found) == [("relations[0]", DropReason.SELF_RELATION)]


def test_an_unknown_record_or_one_of_another_kind_is_refused_by_its_path() -> None:
    found = _resolve(_relation("mem:1", "corrects", "ep:2"), records={RecordId(2): ("mem", GLOBAL)})
    assert _reasons(found) == [
        ("relations[0].subject", DropReason.RECORD_NOT_FOUND),
        ("relations[0].object", DropReason.RECORD_NOT_FOUND),
    ]


def test_records_of_different_projects_are_not_related() -> None:
    records: dict[RecordId, tuple[RecordKind, Place]] = {
        RecordId(1): ("mem", Place("P", "")),
        RecordId(2): ("mem", Place("Q", "")),
        RecordId(3): ("mem", GLOBAL),
    }
    assert _reasons(_resolve(_relation("mem:1", "corrects", "mem:2"), records=records)) == [
        ("relations[0].object", DropReason.CROSSES_ISOLATION)
    ]
    assert _reasons(_resolve(_relation("mem:1", "corrects", "mem:3"), records=records)) == []


def test_records_that_the_writers_place_does_not_read_are_not_related() -> None:
    records: dict[RecordId, tuple[RecordKind, Place]] = {RecordId(n): ("mem", Place("Q", "")) for n in (1, 2)}
    assert _reasons(_resolve(_relation("mem:1", "corrects", "mem:2"), records=records)) == [
        ("relations[0].subject", DropReason.CROSSES_ISOLATION),
        ("relations[0].object", DropReason.CROSSES_ISOLATION),
    ]
    assert not _resolve(_relation("A", "is in", "mem:1"), GLOBAL, records=records).relations


def test_records_of_different_channels_are_not_related_by_one_who_reads_both() -> None:
    records: dict[RecordId, tuple[RecordKind, Place]] = {
        RecordId(1): ("mem", Place("P", "C")),
        RecordId(2): ("mem", Place("P", "D")),
    }
    found = _resolve(_relation("mem:1", "corrects", "mem:2"), records=records)
    assert _reasons(found) == [("relations[0]", DropReason.CROSSES_ISOLATION)]


def test_a_relation_does_not_rest_on_a_record_of_another_channel_than_its_ends() -> None:
    records: dict[RecordId, tuple[RecordKind, Place]] = {
        RecordId(1): ("mem", Place("P", "C")),
        RecordId(2): ("mem", Place("P", "D")),
    }
    both = Associations(relations=(RelationDeclaration("A", "is in", "mem:1"), RelationDeclaration("A", "p", "B")))
    found = resolve_declaration(plan_anchored_declaration(both, "mem:2"), PROJECT, Standing({}, records))
    assert _reasons(found) == [("relations[0]", DropReason.CROSSES_ISOLATION)]
    assert found.anchor == RecordId(2) and len(found.relations) == 1


def test_an_entity_is_not_related_to_a_record_of_another_channel() -> None:
    records: dict[RecordId, tuple[RecordKind, Place]] = {RecordId(1): ("mem", Place("P", "D"))}
    found = _resolve(_relation("A", "is in", "mem:1"), writer=Place("P", "C"), records=records)
    assert _reasons(found) == [("relations[0].object", DropReason.CROSSES_ISOLATION)] and not found.registered


def test_an_unknown_anchor_is_dropped_and_the_rest_stands() -> None:
    plan = plan_anchored_declaration(_entities(("A",)), "mem:9")
    found = resolve_declaration(plan, PROJECT, Standing({}, {RecordId(9): ("ep", PROJECT)}))
    assert _reasons(found) == [("anchor_ref", DropReason.RECORD_NOT_FOUND)]
    assert found.anchor is None and len(found.registered) == 1


def test_an_anchor_that_the_writers_place_does_not_read_is_dropped_and_the_rest_stands() -> None:
    plan = plan_anchored_declaration(_entities(("A",)), "mem:9")
    found = resolve_declaration(plan, PROJECT, Standing({}, {RecordId(9): ("mem", Place("Q", ""))}))
    assert _reasons(found) == [("anchor_ref", DropReason.CROSSES_ISOLATION)]
    assert found.anchor is None and len(found.registered) == 1


_names = st.sampled_from(["a", "b", "c", "d", "A", "ｂ"])
_places = st.sampled_from([GLOBAL, PROJECT, Place("", "C"), Place("P", "C"), Place("Q", "")])
_declarations = st.builds(
    Associations,
    entities=st.lists(st.builds(EntityDeclaration, _names, st.lists(_names, max_size=3).map(tuple)), max_size=5).map(
        tuple
    ),
    relations=st.lists(st.builds(RelationDeclaration, _names, st.just("knows"), _names), max_size=5).map(tuple),
)


def _after(standing: Names, writer: Place, found: Resolution) -> dict[Place, dict[str, KnownEntity]]:
    """What stands once the resolution is written."""
    names = {place: dict(meanings) for place, meanings in standing.items()}
    own = names.setdefault(writer, {})
    first = sum(len(meanings) for meanings in names.values()) + 1
    new = [_entity(first + place, name.written, writer) for place, name in enumerate(found.registered)]
    rows: list[tuple[KnownEntity, Name]] = [*zip(new, found.registered, strict=True)]
    rows += [(e if isinstance(e, KnownEntity) else new[e.index], name) for e, name in found.aliases]
    for entity, name in rows:
        assert name.normalized not in own, "one normal form, one entity a place"
        own[name.normalized] = entity
    return names


@given(st.lists(st.tuples(_places, _declarations), min_size=1, max_size=4))
def test_declaring_again_registers_nothing_and_no_place_has_a_name_twice(
    history: list[tuple[Place, Associations]],
) -> None:
    names: dict[Place, dict[str, KnownEntity]] = {}
    for writer, associations in history:
        names = _after(names, writer, _resolve(associations, writer, names))
    writer, associations = history[-1]
    again = _resolve(associations, writer, names)
    assert again.registered == () and again.aliases == ()
    assert not names_anything_new(plan_declaration(associations, None), writer, names)


@given(_places, _places, _places)
def test_crossing_knows_no_order_and_the_global_pool_never_crosses(one: Place, other: Place, third: Place) -> None:
    assert crosses_isolation([one, other]) == crosses_isolation([other, one])
    assert not crosses_isolation([one, one]) and not crosses_isolation([one, GLOBAL])
    pairs = [(one, other), (one, third), (other, third)]
    assert crosses_isolation([one, other, third]) == any(crosses_isolation(pair) for pair in pairs)


@given(_places, _places)
def test_a_writer_reads_what_a_call_for_its_place_reads(writer: Place, place: Place) -> None:
    call = ReadScope(AgentId("ann"), writer.project_id, writer.channel)
    assert writer.reads(place) == call.reads(place.project_id, place.channel)


@given(_places, _places, _places)
def test_what_one_declaration_connects_some_reader_of_one_project_and_channel_sees(
    writer: Place, one: Place, other: Place
) -> None:
    records: dict[RecordId, tuple[RecordKind, Place]] = {RecordId(1): ("mem", one), RecordId(2): ("ep", other)}
    found = _resolve(_relation("mem:1", "corrects", "ep:2"), writer, records=records)
    readers = [Place(project, channel) for project in ("P", "Q", "") for channel in ("C", "D")]
    together = any(all(reader.reads(place) for place in (writer, one, other)) for reader in readers)
    assert bool(found.relations) == (together and writer.reads(one) and writer.reads(other))


def _leads(edges: set[tuple[int, int]], start: int, end: int) -> bool:
    seen, frontier = {start}, {start}
    while frontier:
        frontier = {obj for subject, obj in edges if subject in frontier} - seen
        seen |= frontier
    return end in seen


_edges = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda e: e[0] != e[1]), max_size=12)


@given(_edges, _edges)
def test_replacements_never_close_a_cycle(standing: list[tuple[int, int]], new: list[tuple[int, int]]) -> None:
    acyclic: set[tuple[int, int]] = set()
    for subject, obj in standing:
        if not _leads(acyclic, obj, subject):
            acyclic.add((subject, obj))
    reached = {RecordId(o): {RecordId(n) for n in range(1, 7) if _leads(acyclic, o, n)} for _, o in new}
    verdict = judge_replacements({place: (RecordId(s), RecordId(o)) for place, (s, o) in enumerate(new)}, reached)
    assert not verdict.unsure
    for place, (subject, obj) in enumerate(new):
        assert (place in verdict.closing) == _leads(acyclic, obj, subject)
        if place not in verdict.closing:
            acyclic.add((subject, obj))


def test_a_search_that_meets_its_bound_takes_the_edge_and_says_that_it_is_not_sure() -> None:
    far = {RecordId(number) for number in range(10, 10 + MAX_SEARCHED)}
    edges = {0: (RecordId(10), RecordId(5000)), 1: (RecordId(5000), RecordId(2)), 2: (RecordId(7), RecordId(2))}
    verdict = judge_replacements(edges, {RecordId(2): far, RecordId(5000): {RecordId(5000)}})
    assert verdict.closing == set() and verdict.unsure == {1, 2}
