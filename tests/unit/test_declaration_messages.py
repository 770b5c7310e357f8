"""Declarations as messages."""

import pytest

from rensou.v1 import association_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.associations import decode_associations, decode_declare, encode_declared, encode_report
from rensou_recall.types.call import Principal
from rensou_recall.types.graph import (
    AssociationReport,
    DeclaredEntity,
    DeclaredRelation,
    Dropped,
    DropReason,
    RetractionReport,
)
from rensou_shared.errors import InvalidField, TooLarge
from rensou_shared.ids import EntityId, RecordRef, RelationId

ANN = Principal("test", frozenset({"ann"}), operator=False)


def _request(**fields: object) -> rpc.DeclareAssociationsRequest:
    return rpc.DeclareAssociationsRequest(scope=pb.WriteScope(agent_id="ann"), **fields)  # type: ignore[arg-type]


def test_an_empty_declaration_is_none() -> None:
    assert decode_associations(pb.Associations()) is None


def test_what_is_past_a_bound_is_counted_without_being_held() -> None:
    declared = decode_associations(
        pb.Associations(
            entities=[pb.EntityDeclaration(name="a", aliases=["b"] * 40)] * 70,
            relations=[pb.RelationDeclaration(subject="a")] * 65,
        )
    )
    assert declared is not None
    assert (len(declared.entities), declared.entities_beyond) == (64, 6)
    assert (len(declared.relations), declared.relations_beyond) == (64, 1)
    assert (len(declared.entities[0].aliases), declared.entities[0].aliases_beyond) == (32, 8)


def test_a_request_declares_or_takes_back() -> None:
    with pytest.raises(InvalidField) as refused:
        decode_declare(_request(retract=rpc.Retraction()), ANN)
    assert refused.value.field == "associations"


@pytest.mark.parametrize(
    ("retract", "field"),
    [
        (rpc.Retraction(relations=["rel:1", "rel:x"]), "retract.relations[1]"),
        (rpc.Retraction(mentions=[rpc.MentionRef(entity="Ann", ref="mem:1")]), "retract.mentions[0].entity"),
        (rpc.Retraction(mentions=[rpc.MentionRef(entity="ent:1", ref="note:1")]), "retract.mentions[0].ref"),
    ],
)
def test_a_bad_ref_of_a_retraction_is_refused_by_its_field(retract: rpc.Retraction, field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        decode_declare(_request(retract=retract), ANN)
    assert refused.value.field == field


def test_a_long_retraction_is_refused() -> None:
    with pytest.raises(TooLarge):
        decode_declare(_request(retract=rpc.Retraction(relations=["rel:1"] * 65)), ANN)


def test_a_retraction_is_read() -> None:
    mention = rpc.MentionRef(entity="ent:2", ref="ep:3")
    _, request = decode_declare(_request(retract=rpc.Retraction(relations=["rel:1"], mentions=[mention])), ANN)
    assert request.retraction is not None
    assert request.retraction.relations == (RelationId(1),)
    assert request.retraction.mentions == ((EntityId(2), RecordRef("ep", 3)),)  # type: ignore[arg-type]


def test_every_reason_has_its_name_in_the_contract() -> None:
    report = AssociationReport(dropped=tuple(Dropped("x", reason) for reason in DropReason))
    names = [pb.DropReason.Name(item.reason) for item in encode_report(report).dropped]
    assert names == [f"DROP_REASON_{reason.name}" for reason in DropReason]
    assert len(names) + 1 == len(pb.DropReason.keys())


def test_an_answer_names_refs_and_what_was_taken_back() -> None:
    report = AssociationReport((DeclaredEntity(EntityId(1), "A", True),), 1, (DeclaredRelation(RelationId(2), False),))
    answer = encode_declared(report, RetractionReport(3, 4))
    assert (answer.report.entities[0].ref, answer.report.relations[0].ref) == ("ent:1", "rel:2")
    assert (answer.retracted.relations, answer.retracted.mentions) == (3, 4)
    assert not encode_declared(report, None).HasField("retracted")
