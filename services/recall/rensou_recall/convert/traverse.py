"""Walks over what is declared."""

from rensou.v1 import recall_service_pb2 as rpc
from rensou_recall.convert.fields import bound, decode_time, encode_time, require_text
from rensou_recall.convert.records import encode_lowered
from rensou_recall.convert.scopes import decode_known_scope
from rensou_recall.convert.validity import encode_left_out, encode_relation_timeline, encode_validity
from rensou_recall.types.call import Principal
from rensou_recall.types.traverse import Neighbourhood, TraversedEntity, TraversedRelation, TraverseRequest
from rensou_shared.domain import MAX_NAME_CHARS
from rensou_shared.errors import InvalidField
from rensou_shared.ids import EntityId, format_entity_ref, format_relation_ref, looks_like_ref, parse_entity_ref
from rensou_shared.text.normalize import normalize_name

DEFAULT_HOPS = 1
MAX_HOPS = 5
DEFAULT_LIMIT = 20
MAX_LIMIT = 100


def decode_traverse(request: rpc.TraverseRequest, principal: Principal) -> TraverseRequest:
    """What is asked.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_known_scope(request, principal)
    asked = require_text("entity", request.entity.strip(), MAX_NAME_CHARS)
    hops, lowered_hops = bound(request, "max_hops", default=DEFAULT_HOPS, maximum=MAX_HOPS)
    limit, lowered_limit = bound(request, "limit", default=DEFAULT_LIMIT, maximum=MAX_LIMIT, minimum=1)
    lowered = (*lowered_hops, *lowered_limit)
    valid_at = decode_time("valid_at", request, "valid_at")
    return TraverseRequest(scope, asked, _decode_start(asked), hops, limit, lowered, valid_at)


def _decode_start(asked: str) -> EntityId | str:
    """The entity of a ref, or the normal form of a name; what looks like another ref is no name of any entity."""
    entity = parse_entity_ref(asked)
    if entity is not None:
        return entity
    normalized = normalize_name(asked)
    if looks_like_ref(normalized):
        raise InvalidField("entity", 'must be a name, an alias, or an entity ref "ent:N"')
    return normalized


def encode_neighbourhood(found: Neighbourhood) -> rpc.TraverseResponse:
    """The answer."""
    omitted = [
        bound_name
        for bound_name, holds in (
            (rpc.BOUND_MAX_HOPS, found.max_hops_omitted),
            (rpc.BOUND_LIMIT, found.limit_omitted),
        )
        if holds
    ]
    lowered = [encode_lowered(one) for one in found.lowered]
    return rpc.TraverseResponse(
        entities=[_encode_entity(entity) for entity in found.entities],
        relations=[_encode_relation(relation) for relation in found.relations],
        entities_omitted=found.entities_omitted,
        relations_omitted=found.relations_omitted,
        bounds=rpc.Bounds(omitted=omitted, lowered=lowered) if omitted or lowered else None,
        excluded_by_validity=encode_left_out(found.left_out),
        excluded_by_validity_omitted=found.left_out.beyond,
        timelines=[encode_relation_timeline(one) for one in found.timelines],
        timelines_omitted=found.timelines_omitted,
    )


def _encode_entity(entity: TraversedEntity) -> rpc.TraversedEntity:
    return rpc.TraversedEntity(
        ref=format_entity_ref(entity.id),
        name=entity.names.name,
        hops=entity.hops,
        aliases=entity.names.aliases,
        mentions=[str(ref) for ref in entity.mentions.refs],
        mentions_omitted=entity.mentions.omitted,
        aliases_omitted=entity.names.aliases_omitted,
    )


def _encode_relation(relation: TraversedRelation) -> rpc.TraversedRelation:
    return rpc.TraversedRelation(
        ref=format_relation_ref(relation.id),
        subject=format_entity_ref(relation.subject),
        predicate=relation.predicate,
        object=format_entity_ref(relation.object),
        declared_by=relation.declared_by,
        declare_time=encode_time(relation.declared_at),
        anchor_ref="" if relation.anchor is None else str(relation.anchor),
        validity=encode_validity(relation.validity),
    )
