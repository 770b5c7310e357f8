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
    Warned,
    WarningReason,
)
from rensou_shared.errors import InvalidField
from rensou_shared.ids import EntityId, RelationId

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


def test_a_retraction_is_read_as_it_is_written_and_counted_past_its_bounds() -> None:
    mention = rpc.MentionRef(entity="ent:2", ref="Ann")
    retract = rpc.Retraction(relations=["rel:1", "x"] * 33, mentions=[mention] * 65)
    _, request = decode_declare(_request(retract=retract), ANN)
    assert request.retraction is not None
    assert request.retraction.relations == ("rel:1", "x") * 32 and request.retraction.relations_beyond == 2
    assert request.retraction.mentions == (("ent:2", "Ann"),) * 64 and request.retraction.mentions_beyond == 1


def test_every_reason_has_its_name_in_the_contract() -> None:
    report = AssociationReport(dropped=tuple(Dropped("x", reason) for reason in DropReason))
    names = [pb.DropReason.Name(item.reason) for item in encode_report(report).dropped]
    assert names == [f"DROP_REASON_{reason.name}" for reason in DropReason]
    assert len(names) + 1 == len(pb.DropReason.keys())


def test_every_doubt_has_its_name_in_the_contract() -> None:
    report = AssociationReport(warnings=tuple(Warned("x", reason) for reason in WarningReason))
    names = [pb.WarningReason.Name(item.reason) for item in encode_report(report).warnings]
    assert names == [f"WARNING_REASON_{reason.name}" for reason in WarningReason]
    assert len(names) + 1 == len(pb.WarningReason.keys())


def test_an_answer_names_refs_and_what_was_taken_back() -> None:
    report = AssociationReport((DeclaredEntity(EntityId(1), "A", True),), 1, (DeclaredRelation(RelationId(2), False),))
    answer = encode_declared(report, RetractionReport(3, 4))
    assert (answer.report.entities[0].ref, answer.report.relations[0].ref) == ("ent:1", "rel:2")
    assert (answer.retracted.relations, answer.retracted.mentions) == (3, 4)
    assert not encode_declared(report, None).HasField("retracted")
