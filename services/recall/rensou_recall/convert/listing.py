"""Lists of what is declared, and deleting of it."""

from rensou.v1 import association_service_pb2 as rpc
from rensou_recall.convert.confidence import CERTAINTY_NAMES
from rensou_recall.convert.fields import encode_time, require_entity_ref, require_record_ref, require_text
from rensou_recall.convert.records import encode_lowered
from rensou_recall.convert.scopes import decode_agent, decode_read_scope
from rensou_recall.types.call import Principal
from rensou_recall.types.listing import (
    CandidateListing,
    ContradictionCandidate,
    DeletedEntity,
    EntityEnd,
    EntityListing,
    ListedEntity,
    ListedRelation,
    Page,
    PageRequest,
    RelationListing,
)
from rensou_recall.types.records import LoweredBound
from rensou_shared.domain import MAX_NAME_CHARS, MAX_PAGE_SIZE
from rensou_shared.errors import InvalidField
from rensou_shared.ids import (
    AgentId,
    EntityId,
    RecordRef,
    format_entity_ref,
    format_relation_ref,
    parse_entity_ref,
    parse_record_ref,
)
from rensou_shared.text.normalize import normalize_name

DEFAULT_PAGE_SIZE = 50


def decode_list_relations(request: rpc.ListRelationsRequest, principal: Principal) -> RelationListing:
    """What is asked.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_read_scope(request.scope, principal)
    end = _decode_end(request.end_ref)
    predicate = _decode_name("predicate", request.predicate)
    return RelationListing(scope, end, predicate, decode_page(request.page_size, request.page_token))


def decode_list_entities(request: rpc.ListEntitiesRequest, principal: Principal) -> EntityListing:
    """What is asked.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_read_scope(request.scope, principal)
    name = _decode_name("name", request.name)
    record = require_record_ref("mentioned_in", request.mentioned_in) if request.mentioned_in else None
    return EntityListing(scope, name, record, decode_page(request.page_size, request.page_token))


def decode_list_candidates(request: rpc.ListContradictionCandidatesRequest, principal: Principal) -> CandidateListing:
    """What is asked.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_read_scope(request.scope, principal)
    return CandidateListing(scope, decode_page(request.page_size, request.page_token))


def decode_delete_entity(request: rpc.DeleteEntityRequest, principal: Principal) -> tuple[AgentId, EntityId]:
    """Whose entity, and which.

    Raises:
        InvalidField, PermissionDenied: As their names say.
    """
    agent_id = decode_agent("agent_id", request.agent_id, principal)
    return agent_id, require_entity_ref("ref", request.ref)


def decode_page(size: int, token: str) -> PageRequest:
    """The page; 0 asks for the default size (AIP-158)."""
    if size < 0:
        raise InvalidField("page_size", f"must be 0 or more (it is {size})")
    if size > MAX_PAGE_SIZE:
        return PageRequest(MAX_PAGE_SIZE, token, (LoweredBound("page_size", size, MAX_PAGE_SIZE),))
    return PageRequest(size or DEFAULT_PAGE_SIZE, token)


def _decode_end(text: str) -> EntityId | RecordRef | None:
    if text == "":
        return None
    end = parse_entity_ref(text) or parse_record_ref(text)
    if end is None:
        raise InvalidField("end_ref", 'must be an entity ref "ent:N" or a record ref "mem:N" or "ep:N"')
    return end


def _decode_name(field: str, text: str) -> str:
    """The normal form of a name to compare with; '' when none is given."""
    return normalize_name(require_text(field, text.strip(), MAX_NAME_CHARS)) if text else ""


def encode_relations(page: Page[ListedRelation]) -> rpc.ListRelationsResponse:
    """The page as a message."""
    return rpc.ListRelationsResponse(
        relations=[_encode_relation(relation) for relation in page.items],
        next_page_token=page.next_token,
        lowered=[encode_lowered(one) for one in page.lowered],
    )


def encode_entities(page: Page[ListedEntity]) -> rpc.ListEntitiesResponse:
    """The page as a message."""
    return rpc.ListEntitiesResponse(
        entities=[_encode_entity(entity) for entity in page.items],
        next_page_token=page.next_token,
        lowered=[encode_lowered(one) for one in page.lowered],
    )


def encode_candidates(page: Page[ContradictionCandidate]) -> rpc.ListContradictionCandidatesResponse:
    """The page as a message."""
    return rpc.ListContradictionCandidatesResponse(
        candidates=[
            rpc.ContradictionCandidate(
                subject=format_entity_ref(candidate.subject),
                predicate=candidate.predicate,
                first=_encode_relation(candidate.first),
                second=_encode_relation(candidate.second),
            )
            for candidate in page.items
        ],
        next_page_token=page.next_token,
        lowered=[encode_lowered(one) for one in page.lowered],
    )


def encode_deleted(deleted: DeletedEntity) -> rpc.DeleteEntityResponse:
    """What went with an entity."""
    return rpc.DeleteEntityResponse(aliases=deleted.aliases, mentions=deleted.mentions, relations=deleted.relations)


def _encode_relation(relation: ListedRelation) -> rpc.Relation:
    return rpc.Relation(
        ref=format_relation_ref(relation.id),
        subject=_ref(relation.subject),
        predicate=relation.predicate,
        object=_ref(relation.object),
        subject_name=_name(relation.subject),
        object_name=_name(relation.object),
        project_id=relation.place.project_id,
        channel=relation.place.channel,
        declared_by=relation.declared_by,
        declare_time=encode_time(relation.declared_at),
        anchor_ref="" if relation.anchor is None else str(relation.anchor),
        certainty=CERTAINTY_NAMES[relation.certainty],
    )


def _ref(end: EntityEnd | RecordRef) -> str:
    return str(end) if isinstance(end, RecordRef) else format_entity_ref(end.id)


def _name(end: EntityEnd | RecordRef) -> str:
    return "" if isinstance(end, RecordRef) else end.name


def _encode_entity(entity: ListedEntity) -> rpc.Entity:
    return rpc.Entity(
        ref=format_entity_ref(entity.id),
        name=entity.name,
        aliases=entity.aliases,
        aliases_omitted=entity.aliases_omitted,
        project_id=entity.place.project_id,
        channel=entity.place.channel,
        declared_by=entity.declared_by,
        create_time=encode_time(entity.created_at),
    )
