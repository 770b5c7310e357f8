"""Declarations, and what became of them."""

from itertools import islice

from rensou.v1 import association_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.confidence import CERTAINTIES
from rensou_recall.convert.fields import decode_time
from rensou_recall.convert.scopes import decode_write_scope
from rensou_recall.types.call import Principal
from rensou_recall.types.graph import (
    AssociationReport,
    Associations,
    DeclareRequest,
    Dropped,
    DropReason,
    EntityDeclaration,
    RelationDeclaration,
    Retraction,
    RetractionReport,
    WarningReason,
)
from rensou_recall.types.interval import Interval
from rensou_shared.domain import MAX_ALIASES, MAX_DECLARED, MAX_RETRACTED
from rensou_shared.errors import InvalidField
from rensou_shared.ids import format_entity_ref, format_relation_ref
from rensou_shared.scope import WriteScope

DROP_REASONS = {
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
    DropReason.FAILED: pb.DROP_REASON_FAILED,
    DropReason.INVALID_INTERVAL: pb.DROP_REASON_INVALID_INTERVAL,
    DropReason.RELATION_NOT_FOUND: pb.DROP_REASON_RELATION_NOT_FOUND,
    DropReason.INVALID_CERTAINTY: pb.DROP_REASON_INVALID_CERTAINTY,
}
_WARNINGS = {WarningReason.CYCLE_NOT_EXCLUDED: pb.WARNING_REASON_CYCLE_NOT_EXCLUDED}


def decode_associations(associations: pb.Associations) -> Associations | None:
    """What is declared, or None when nothing is.

    Nothing of it is refused here: a bad item is dropped and reported by the declaration itself. What is past a bound
    is counted without being read, so that a long list costs nothing.
    """
    if not associations.entities and not associations.relations:
        return None
    return Associations(
        entities=tuple(_decode_entity(entity) for entity in islice(associations.entities, MAX_DECLARED)),
        relations=tuple(_decode_relation(relation) for relation in islice(associations.relations, MAX_DECLARED)),
        entities_beyond=max(len(associations.entities) - MAX_DECLARED, 0),
        relations_beyond=max(len(associations.relations) - MAX_DECLARED, 0),
    )


def _decode_entity(entity: pb.EntityDeclaration) -> EntityDeclaration:
    aliases = tuple(islice(entity.aliases, MAX_ALIASES))
    return EntityDeclaration(entity.name, aliases, max(len(entity.aliases) - MAX_ALIASES, 0))


def _decode_relation(relation: pb.RelationDeclaration) -> RelationDeclaration:
    validity = decode_interval(relation.validity) if relation.HasField("validity") else None
    certainty = CERTAINTIES.get(relation.certainty, DropReason.INVALID_CERTAINTY)
    return RelationDeclaration(relation.subject, relation.predicate, relation.object, validity, certainty)


def decode_interval(validity: pb.Validity) -> Interval | DropReason:
    """The interval, or why it is none: nothing of it is refused, and what says it stands."""
    try:
        interval = Interval(
            decode_time("valid_from", validity, "valid_from"), decode_time("valid_to", validity, "valid_to")
        )
    except InvalidField:
        return DropReason.INVALID_INTERVAL
    return DropReason.INVALID_INTERVAL if interval.is_empty else interval


def decode_declare(request: rpc.DeclareAssociationsRequest, principal: Principal) -> tuple[WriteScope, DeclareRequest]:
    """Whom the declaration belongs to, and the declaration.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_write_scope(request.scope, principal)
    associations = decode_associations(request.associations)
    retraction = _decode_retraction(request.retract)
    if associations is None and retraction is None:
        raise InvalidField("associations", "is required when nothing is to be taken back")
    return scope, DeclareRequest(associations or Associations(), request.anchor_ref, retraction)


def _decode_retraction(retract: rpc.Retraction) -> Retraction | None:
    """What is to be taken back, or None when nothing is. As with a declaration, nothing of it is refused here."""
    if not retract.relations and not retract.mentions:
        return None
    return Retraction(
        relations=tuple(islice(retract.relations, MAX_RETRACTED)),
        mentions=tuple((mention.entity, mention.ref) for mention in islice(retract.mentions, MAX_RETRACTED)),
        relations_beyond=max(len(retract.relations) - MAX_RETRACTED, 0),
        mentions_beyond=max(len(retract.mentions) - MAX_RETRACTED, 0),
    )


def encode_drop(dropped: Dropped) -> pb.DroppedItem:
    """An item that was left out, and why."""
    return pb.DroppedItem(item=dropped.item, reason=DROP_REASONS[dropped.reason])


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
        dropped=[encode_drop(dropped) for dropped in report.dropped],
        warnings=[pb.DeclarationWarning(item=one.item, reason=_WARNINGS[one.reason]) for one in report.warnings],
    )


def encode_declared(report: AssociationReport, retracted: RetractionReport | None) -> rpc.DeclareAssociationsResponse:
    """What a declaration by itself did."""
    return rpc.DeclareAssociationsResponse(
        report=encode_report(report),
        retracted=None
        if retracted is None
        else rpc.RetractionReport(relations=retracted.relations, mentions=retracted.mentions),
    )
