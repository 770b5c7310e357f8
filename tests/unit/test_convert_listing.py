"""Requests for lists as they come, and pages as they leave."""

from datetime import UTC, datetime
from typing import Any

import pytest

from rensou.v1 import association_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.listing import (
    decode_delete_entity,
    decode_list_candidates,
    decode_list_entities,
    decode_list_relations,
    encode_entities,
    encode_relations,
)
from rensou_recall.types.call import Principal
from rensou_recall.types.declaration import Place
from rensou_recall.types.listing import (
    EntityEnd,
    EntityListing,
    ListedEntity,
    ListedRelation,
    Page,
    PageRequest,
    RelationListing,
)
from rensou_recall.types.records import LoweredBound
from rensou_shared.errors import InvalidField, InvalidText, PermissionDenied, TooLarge
from rensou_shared.ids import EntityId, RecordId, RecordRef, RelationId

ANN = Principal("test", frozenset({"ann"}), operator=False)
SCOPE = pb.ReadScope(agent_id="ann")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def relations(**fields: Any) -> RelationListing:
    return decode_list_relations(rpc.ListRelationsRequest(scope=SCOPE, **fields), ANN)


def entities(**fields: Any) -> EntityListing:
    return decode_list_entities(rpc.ListEntitiesRequest(scope=SCOPE, **fields), ANN)


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        (0, PageRequest(50, "t")),
        (1, PageRequest(1, "t")),
        (100, PageRequest(100, "t")),
        (101, PageRequest(100, "t", (LoweredBound("page_size", 101, 100),))),
        (2**31 - 1, PageRequest(100, "t", (LoweredBound("page_size", 2**31 - 1, 100),))),
    ],
)
def test_the_size_of_a_page_has_a_default_and_a_maximum(asked: int, page: PageRequest) -> None:
    candidates = rpc.ListContradictionCandidatesRequest(scope=SCOPE, page_size=asked, page_token="t")
    assert relations(page_size=asked, page_token="t").page == page
    assert entities(page_size=asked, page_token="t").page == page
    assert decode_list_candidates(candidates, ANN).page == page


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"page_size": -1}, InvalidField),
        ({"end_ref": "rel:1"}, InvalidField),
        ({"end_ref": "Ann"}, InvalidField),
        ({"end_ref": "mem:１"}, InvalidField),
        ({"predicate": " "}, InvalidField),
        ({"predicate": "a\0"}, InvalidText),
        ({"predicate": "p" * 257}, TooLarge),
    ],
)
def test_a_bad_choice_of_relations_is_refused_by_its_field(fields: dict[str, Any], fault: type[InvalidField]) -> None:
    with pytest.raises(fault) as refused:
        relations(**fields)
    assert [refused.value.field] == list(fields)


@pytest.mark.parametrize("fields", [{"name": "\u200b"}, {"mentioned_in": "ent:1"}, {"page_size": -5}])
def test_a_bad_choice_of_entities_is_refused_by_its_field(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidField) as refused:
        entities(**fields)
    assert [refused.value.field] == list(fields)


def test_ends_are_entities_or_records_and_names_are_compared_in_normal_form() -> None:
    assert [relations(end_ref=ref).end for ref in ("", "ent:7", "mem:7", "ep:007")] == [
        None,
        EntityId(7),
        RecordRef("mem", RecordId(7)),
        RecordRef("ep", RecordId(7)),
    ]
    assert relations(predicate=" ＫＮＯＷＳ  well ").predicate == "knows well" == entities(name="Knows Well").normalized
    assert entities(mentioned_in="ep:3").mentioned_in == RecordRef("ep", RecordId(3))


def test_another_agent_is_refused_by_every_method() -> None:
    other = pb.ReadScope(agent_id="bob")
    for decode, request in (
        (decode_list_relations, rpc.ListRelationsRequest(scope=other)),
        (decode_list_entities, rpc.ListEntitiesRequest(scope=other)),
        (decode_list_candidates, rpc.ListContradictionCandidatesRequest(scope=other)),
        (decode_delete_entity, rpc.DeleteEntityRequest(agent_id="bob", ref="ent:1")),
    ):
        with pytest.raises(PermissionDenied):
            decode(request, ANN)  # type: ignore[operator]


def test_a_mixed_relation_shows_both_ends_and_the_name_of_the_entity() -> None:
    mem = RecordRef("mem", RecordId(4))
    one = ListedRelation(
        RelationId(9), Place("P", "C"), EntityEnd(EntityId(2), "Ann"), "Wrote", "wrote", mem, "operator", NOON, None
    )
    answer = encode_relations(Page((one,), "next", (LoweredBound("page_size", 101, 100),)))
    (shown,) = answer.relations
    assert (shown.ref, shown.subject, shown.predicate, shown.object) == ("rel:9", "ent:2", "Wrote", "mem:4")
    assert (shown.subject_name, shown.object_name, shown.anchor_ref) == ("Ann", "", "")
    assert (shown.project_id, shown.channel, shown.declared_by) == ("P", "C", "operator")
    assert shown.declare_time.ToDatetime(tzinfo=UTC) == NOON
    assert (answer.next_page_token, answer.lowered[0].applied) == ("next", 100)


def test_an_entity_says_how_many_aliases_are_left_out() -> None:
    one = ListedEntity(EntityId(2), "Ann", Place("", ""), "agent", NOON, ("a", "b"), 5)
    (shown,) = encode_entities(Page((one,), "", ())).entities
    assert (shown.ref, shown.name, list(shown.aliases), shown.aliases_omitted) == ("ent:2", "Ann", ["a", "b"], 5)
