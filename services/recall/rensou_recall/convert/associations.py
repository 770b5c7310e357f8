"""Declarations, and what became of them."""

from itertools import islice

from rensou.v1 import association_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.fields import require_entity_ref, require_list, require_record_ref, require_relation_ref
from rensou_recall.convert.scopes import decode_write_scope
from rensou_recall.types.call import Principal
from rensou_recall.types.graph import (
    AssociationReport,
    Associations,
    DeclareRequest,
    DropReason,
    EntityDeclaration,
    RelationDeclaration,
    Retraction,
    RetractionReport,
)
from rensou_shared.domain import MAX_ALIASES, MAX_DECLARED
from rensou_shared.errors import InvalidField
from rensou_shared.ids import format_entity_ref, format_relation_ref
from rensou_shared.scope import WriteScope

MAX_RETRACTED = 64

_REASONS = {
    DropReason.EMPTY: pb.DROP_REASON_EMPTY,
    DropReason.TOO_LONG: pb.DROP_REASON_TOO_LONG,
    DropReason.INVALID_TEXT: pb.DROP_REASON_INVALID_TEXT,
    DropReason.BEYOND_BOUND: pb.DROP_REASON_BEYOND_BOUND,
    DropReason.ALIAS_TAKEN: pb.DROP_REASON_ALIAS_TAKEN,
    DropReason.RECORD_NOT_FOUND: pb.DROP_REASON_RECORD_NOT_FOUND,
    DropReason.SELF_RELATION: pb.DROP_REASON_SELF_RELATION,
    DropReason.CROSSES_ISOLATION: pb.DROP_REASON_CROSSES_ISOLATION,
    DropReason.CYCLE: pb.DROP_REASON_CYCLE,
    DropReason.INVALID_REF: pb.DROP_REASON_INVALID_REF,
}


def decode_associations(associations: pb.Associations) -> Associations | None:
    """What is declared, or None when nothing is.

    Nothing of it is refused here: a bad item is dropped and reported by the declaration itself. What is past a bound
    is counted without being read, so that a long list costs nothing.
    """
    if not associations.entities and not associations.relations:
        return None
    return Associations(
        entities=tuple(_decode_entity(entity) for entity in islice(associations.entities, MAX_DECLARED)),
        relations=tuple(
            RelationDeclaration(relation.subject, relation.predicate, relation.object)
            for relation in islice(associations.relations, MAX_DECLARED)
        ),
        entities_beyond=max(len(associations.entities) - MAX_DECLARED, 0),
        relations_beyond=max(len(associations.relations) - MAX_DECLARED, 0),
    )


def _decode_entity(entity: pb.EntityDeclaration) -> EntityDeclaration:
    aliases = tuple(islice(entity.aliases, MAX_ALIASES))
    return EntityDeclaration(entity.name, aliases, max(len(entity.aliases) - MAX_ALIASES, 0))


def decode_declare(request: rpc.DeclareAssociationsRequest, principal: Principal) -> tuple[WriteScope, DeclareRequest]:
    """Whom the declaration belongs to, and the declaration.

    Raises:
        InvalidField, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_write_scope(request.scope, principal)
    associations = decode_associations(request.associations)
    retraction = _decode_retraction(request.retract)
    if associations is None and retraction is None:
        raise InvalidField("associations", "is required when nothing is to be taken back")
    return scope, DeclareRequest(associations or Associations(), request.anchor_ref, retraction)


def _decode_retraction(retract: rpc.Retraction) -> Retraction | None:
    require_list("retract.relations", retract.relations, MAX_RETRACTED)
    require_list("retract.mentions", retract.mentions, MAX_RETRACTED)
    if not retract.relations and not retract.mentions:
        return None
    return Retraction(
        relations=tuple(
            require_relation_ref(f"retract.relations[{place}]", ref) for place, ref in enumerate(retract.relations)
        ),
        mentions=tuple(
            (
                require_entity_ref(f"retract.mentions[{place}].entity", mention.entity),
                require_record_ref(f"retract.mentions[{place}].ref", mention.ref),
            )
            for place, mention in enumerate(retract.mentions)
        ),
    )


def encode_report(report: AssociationReport) -> pb.AssociationReport:
    """What a declaration did."""
    return pb.AssociationReport(
        entities=[
            pb.DeclaredEntity(ref=format_entity_ref(entity.id), name=entity.name, created=entity.created)
            for entity in report.entities
        ],
        mentions=report.mentions,
        relations=[
            pb.DeclaredRelation(ref=format_relation_ref(relation.id), created=relation.created)
            for relation in report.relations
        ],
        dropped=[pb.DroppedItem(item=dropped.item, reason=_REASONS[dropped.reason]) for dropped in report.dropped],
    )


def encode_declared(report: AssociationReport, retracted: RetractionReport | None) -> rpc.DeclareAssociationsResponse:
    """What a declaration by itself did."""
    return rpc.DeclareAssociationsResponse(
        report=encode_report(report),
        retracted=None
        if retracted is None
        else rpc.RetractionReport(relations=retracted.relations, mentions=retracted.mentions),
    )
