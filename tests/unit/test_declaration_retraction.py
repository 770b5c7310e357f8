"""What of a retraction names something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.retraction import plan_retraction
from rensou_recall.types.graph import DropReason, Retraction
from rensou_shared.ids import EntityId, RecordId, RecordRef, RelationId

MENTION = ("ent:1", "mem:1")


def _dropped(retraction: Retraction) -> list[tuple[str, DropReason]]:
    return [(drop.path.text, drop.reason) for drop in plan_retraction(retraction).dropped]


def test_refs_are_read_with_space_around_them_and_leading_zeros() -> None:
    plan = plan_retraction(Retraction((" rel:007 ",), (("\tent:02", "ep:3\u3000"),)))
    assert plan.relations == (RelationId(7),) and plan.dropped == ()
    assert plan.mentions == ((EntityId(2), RecordRef("ep", RecordId(3))),)


@pytest.mark.parametrize(
    "text",
    ["", "7", "rel:", "rel:x", "rel:0", "rel:-1", "rel:9223372036854775808", "mem:1", "rel:１", "rel:1\0", "REL:1"],
)
def test_what_is_no_relation_is_dropped_by_its_place_and_costs_the_others_nothing(text: str) -> None:
    plan = plan_retraction(Retraction(("rel:1", text, "rel:2")))
    assert [(drop.path.text, drop.reason) for drop in plan.dropped] == [
        ("retract.relations[1]", DropReason.INVALID_REF)
    ]
    assert plan.relations == (RelationId(1), RelationId(2))


@pytest.mark.parametrize(
    "mention", [("Ann", "mem:1"), ("ent:1", "note:1"), ("mem:1", "ent:1"), ("", ""), ("ent:1", "mem:１")]
)
def test_a_mention_needs_an_entity_and_a_record(mention: tuple[str, str]) -> None:
    plan = plan_retraction(Retraction(mentions=(MENTION, mention)))
    assert [drop.path.text for drop in plan.dropped] == ["retract.mentions[1]"] and len(plan.mentions) == 1


def test_what_is_past_the_bounds_is_dropped_in_order() -> None:
    retraction = Retraction(("x",), (MENTION,) * 64, relations_beyond=0, mentions_beyond=66)
    dropped = _dropped(retraction)
    assert dropped[:2] == [
        ("retract.relations[0]", DropReason.INVALID_REF),
        ("retract.mentions[64]", DropReason.BEYOND_BOUND),
    ]
    assert dropped[-1] == ("retract.mentions[128:130]", DropReason.BEYOND_BOUND) and len(dropped) == 66


_texts = st.one_of(st.text(max_size=6), st.sampled_from(["rel:1", "ent:1", "mem:1", "ep:2"]))


@given(st.lists(_texts, max_size=70).map(tuple), st.lists(st.tuples(_texts, _texts), max_size=70).map(tuple))
def test_every_item_is_planned_or_dropped_once_and_in_order(
    relations: tuple[str, ...], mentions: tuple[tuple[str, str], ...]
) -> None:
    plan = plan_retraction(Retraction(relations, mentions))
    assert len(plan.relations) + len(plan.mentions) + len(plan.dropped) == len(relations) + len(mentions)
    paths = [drop.path for drop in plan.dropped]
    assert paths == sorted(paths) and len({path.text for path in paths}) == len(paths)
