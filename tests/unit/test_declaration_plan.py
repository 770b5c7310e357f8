"""What is valid of a declaration by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.declaration import plan_anchored_declaration, plan_declaration
from rensou_recall.stages.names import read_end, read_name, read_predicate
from rensou_recall.types.declaration import Anchor, Name
from rensou_recall.types.graph import Associations, DropReason, EntityDeclaration, RelationDeclaration
from rensou_shared.ids import RecordId, RecordRef


def _dropped(associations: Associations) -> list[tuple[str, DropReason]]:
    return [(drop.path.text, drop.reason) for drop in plan_declaration(associations, None).dropped]


def _entities(*names: str) -> Associations:
    return Associations(entities=tuple(EntityDeclaration(name) for name in names))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", DropReason.EMPTY),
        (" \u3000\t", DropReason.EMPTY),
        ("\u200b", DropReason.EMPTY),
        ("tea\0pot", DropReason.INVALID_TEXT),
        ("tea\ud800pot", DropReason.INVALID_TEXT),
        ("x" * 257, DropReason.TOO_LONG),
        ("mem:x", DropReason.INVALID_REF),
        ("ent:99999999999999999999", DropReason.INVALID_REF),
        ("ＭＥＭ：１２", DropReason.INVALID_REF),
    ],
)
def test_a_bad_name_says_why(text: str, reason: DropReason) -> None:
    assert read_name(text) is reason


def test_a_name_is_kept_as_written_but_for_the_space_around_it() -> None:
    assert read_name("  Miz\u3000Eye ") == Name("Miz\u3000Eye", "miz eye")


def test_a_name_of_256_code_points_after_the_trim_is_valid() -> None:
    assert isinstance(read_name(" " + "京" * 256 + " "), Name)


def test_a_name_that_grows_past_an_index_key_is_too_long() -> None:
    assert read_name("\ufdfa" * 256) is DropReason.TOO_LONG


@pytest.mark.parametrize("pair", [("東京", "大阪"), ("Москва", "Київ"), ("😀", "🎉"), ("C++", "C#"), ("C#", "C")])
def test_different_names_stay_distinct(pair: tuple[str, str]) -> None:
    one, other = (read_name(text) for text in pair)
    assert isinstance(one, Name) and isinstance(other, Name) and one.normalized != other.normalized


@pytest.mark.parametrize("pair", [("Zürich", "Zu\u0308rich"), ("が", "か\u3099"), ("ＡＢＣ", "ABC"), ("ｶﾞ", "ガ")])
def test_spellings_of_one_name_are_equal(pair: tuple[str, str]) -> None:
    one, other = (read_name(text) for text in pair)
    assert isinstance(one, Name) and isinstance(other, Name) and one.normalized == other.normalized


@pytest.mark.parametrize(("text", "ref"), [("mem:12", ("mem", 12)), (" ep:007 ", ("ep", 7))])
def test_an_end_may_be_a_record(text: str, ref: tuple[str, int]) -> None:
    assert read_end(text) == RecordRef(ref[0], RecordId(ref[1]))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["mem:0", "mem:", "ep:9223372036854775808", "mem:１２", "ent:5", "rel:1"])
def test_what_looks_like_a_ref_is_never_a_name(text: str) -> None:
    assert read_end(text) is DropReason.INVALID_REF


def test_a_predicate_may_look_like_a_ref() -> None:
    assert read_predicate("rel: of") == Name("rel: of", "rel: of")


def test_items_past_a_bound_are_dropped_one_by_one_and_then_as_a_range() -> None:
    dropped = _dropped(Associations(entities=_entities(*["x"] * 64).entities, entities_beyond=66))
    assert dropped[0] == ("entities[64]", DropReason.BEYOND_BOUND)
    assert dropped[63:] == [
        ("entities[127]", DropReason.BEYOND_BOUND),
        ("entities[128:130]", DropReason.BEYOND_BOUND),
    ]


def test_aliases_past_the_bound_are_dropped() -> None:
    entity = EntityDeclaration("A", tuple(f"a{place}" for place in range(34)))
    assert _dropped(Associations(entities=(entity,))) == [
        ("entities[0].aliases[32]", DropReason.BEYOND_BOUND),
        ("entities[0].aliases[33]", DropReason.BEYOND_BOUND),
    ]


def test_drops_are_in_the_declarations_order() -> None:
    associations = Associations(
        entities=(EntityDeclaration("ok", ("fine", "", "ent:x")), EntityDeclaration("\0")),
        relations=(RelationDeclaration("mem:", " ", "x" * 300), RelationDeclaration("a", "b", "c")),
    )
    assert _dropped(associations) == [
        ("entities[0].aliases[1]", DropReason.EMPTY),
        ("entities[0].aliases[2]", DropReason.INVALID_REF),
        ("entities[1]", DropReason.INVALID_TEXT),
        ("relations[0]", DropReason.EMPTY),
        ("relations[0].subject", DropReason.INVALID_REF),
        ("relations[0].object", DropReason.TOO_LONG),
    ]


def test_a_bad_anchor_is_dropped_last_and_the_rest_stands() -> None:
    plan = plan_anchored_declaration(_entities("A", ""), "mem:x")
    assert [drop.path.text for drop in plan.dropped] == ["entities[1]", "anchor_ref"]
    assert plan.anchor is None and len(plan.entities) == 1


def test_an_anchor_is_read_like_any_ref() -> None:
    assert plan_anchored_declaration(_entities("A"), " ep:07 ").anchor == Anchor(RecordId(7), "ep")
    assert plan_anchored_declaration(_entities("A"), " ").anchor is None


_texts = st.one_of(st.text(max_size=8), st.sampled_from(["mem:1", "mem:x", "ep:3", "a" * 300, "\0", " A ", "a"]))
_declarations = st.builds(
    Associations,
    entities=st.lists(st.builds(EntityDeclaration, _texts, st.lists(_texts, max_size=4).map(tuple)), max_size=70).map(
        tuple
    ),
    relations=st.lists(st.builds(RelationDeclaration, _texts, _texts, _texts), max_size=5).map(tuple),
)


@given(_declarations)
def test_every_item_is_planned_or_dropped(associations: Associations) -> None:
    plan = plan_declaration(associations, None)
    whole = {drop.path.text for drop in plan.dropped if drop.path.text.endswith("]") and ".a" not in drop.path.text}
    assert len(plan.entities) + sum(text.startswith("entities") for text in whole) == len(associations.entities)
    refused = {drop.path.text.split(".")[0] for drop in plan.dropped if drop.path.text.startswith("relations")}
    assert len(plan.relations) + len(refused) == len(associations.relations)


@given(_declarations)
def test_a_path_is_dropped_once_and_in_order(associations: Associations) -> None:
    paths = [drop.path for drop in plan_declaration(associations, None).dropped]
    assert paths == sorted(paths)
    assert len({path.text for path in paths}) == len(paths)
