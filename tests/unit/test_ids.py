"""References."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.ids import (
    MAX_ID,
    EntityId,
    RecordId,
    RecordKind,
    RecordRef,
    RelationId,
    format_entity_ref,
    format_relation_ref,
    looks_like_ref,
    parse_entity_ref,
    parse_record_ref,
    parse_relation_ref,
)

IDS = st.integers(1, MAX_ID)
KINDS: list[RecordKind] = ["mem", "ep"]

NO_REFS = [
    "",
    "mem",
    "mem:",
    "mem:0",
    "mem:-1",
    "mem:+1",
    "mem: 1",
    "mem:1 ",
    "mem:1\n",
    " mem:1",
    "MEM:1",
    "mem:1.0",
    "mem:1_000",
    "mem:0x1",
    "mem:1e3",
    f"mem:{MAX_ID + 1}",
    "mem:99999999999999999999",
    "mem:１２",
    "mem:٣",
    "mem:²",
    "ep:一",
    "episode:1",
    "note:1",
]


@given(st.sampled_from(KINDS), IDS)
def test_a_record_ref_comes_back_from_its_text(kind: RecordKind, number: int) -> None:
    ref = RecordRef(kind, RecordId(number))
    assert parse_record_ref(str(ref)) == ref
    assert looks_like_ref(str(ref))


@given(IDS)
def test_entity_and_relation_refs_come_back_from_their_text(number: int) -> None:
    assert parse_entity_ref(format_entity_ref(EntityId(number))) == number
    assert parse_relation_ref(format_relation_ref(RelationId(number))) == number


@pytest.mark.parametrize("text", NO_REFS)
def test_another_spelling_is_no_ref(text: str) -> None:
    assert parse_record_ref(text) is None


@pytest.mark.parametrize("text", ["ent:１", "ent:0", "mem:1", "rel:1", "Ent:1", "ent:1 "])
def test_another_spelling_is_no_entity_ref(text: str) -> None:
    assert parse_entity_ref(text) is None


@pytest.mark.parametrize("text", ["rel:１", "rel:0", "mem:1", "ent:1", "Rel:1", "rel:1 "])
def test_another_spelling_is_no_relation_ref(text: str) -> None:
    assert parse_relation_ref(text) is None


def test_leading_zeros_are_taken_and_not_given_back() -> None:
    assert str(parse_record_ref("mem:0012")) == "mem:12"


def test_the_largest_id_is_a_bigint_of_the_database() -> None:
    assert parse_record_ref(f"ep:{MAX_ID}") == RecordRef("ep", RecordId(MAX_ID))


@pytest.mark.parametrize(
    ("text", "looks"), [("mem:of a thing", True), ("ent:", True), ("member", False), ("a:1", False)]
)
def test_text_that_begins_as_a_ref_is_told_from_a_name(text: str, looks: bool) -> None:
    assert looks_like_ref(text) is looks


@given(st.text())
def test_any_text_is_a_ref_or_none_and_never_an_error(text: str) -> None:
    assert parse_record_ref(text) is None or looks_like_ref(text)


def test_refs_are_ordered_by_kind_and_number() -> None:
    refs = [RecordRef("mem", RecordId(2)), RecordRef("ep", RecordId(9)), RecordRef("mem", RecordId(1))]
    assert [str(ref) for ref in sorted(refs)] == ["ep:9", "mem:1", "mem:2"]
