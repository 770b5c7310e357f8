"""Histories."""

from rensou.v1 import history_pb2 as pb
from rensou_recall.convert.fields import encode_time
from rensou_recall.convert.listing import decode_page
from rensou_recall.convert.records import encode_lowered
from rensou_recall.convert.scopes import decode_read_scope
from rensou_recall.types.call import Principal
from rensou_recall.types.history import (
    End,
    HistoricMention,
    HistoricRelation,
    HistoricText,
    HistoricValidity,
    History,
    HistoryEntry,
    HistoryQuestion,
)
from rensou_recall.types.listing import PageRequest
from rensou_recall.types.records import LoweredBound
from rensou_shared.errors import InvalidField
from rensou_shared.ids import (
    RecordRef,
    RelationId,
    format_entity_ref,
    format_relation_ref,
    parse_record_ref,
    parse_relation_ref,
)

# A text may have 16,000 code points: a page of them stays far below what a message holds.
MAX_PAGE_OF_TEXTS = 10


def decode_history(request: pb.GetHistoryRequest, principal: Principal) -> HistoryQuestion:
    """What is asked.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_read_scope(request.scope, principal)
    page = decode_page(request.page_size, request.page_token)
    if request.include_texts and page.size > MAX_PAGE_OF_TEXTS:
        asked = request.page_size
        lowered = (LoweredBound("page_size", asked, MAX_PAGE_OF_TEXTS),) if asked else ()
        page = PageRequest(MAX_PAGE_OF_TEXTS, page.token, lowered)
    return HistoryQuestion(scope, _decode_target(request.ref), page, request.include_texts)


def _decode_target(text: str) -> RecordRef | RelationId:
    target = parse_record_ref(text) or parse_relation_ref(text)
    if target is None:
        raise InvalidField("ref", 'must be a record ref "mem:N" or "ep:N" or a relation ref "rel:N"')
    return target


def encode_history(question: HistoryQuestion, history: History) -> pb.GetHistoryResponse:
    """The page as a message."""
    target = question.target
    return pb.GetHistoryResponse(
        ref=str(target) if isinstance(target, RecordRef) else format_relation_ref(target),
        locked=history.locked,
        retire_time=encode_time(history.retired_at),
        entries=[_encode_entry(entry) for entry in history.entries],
        next_page_token=history.next_token,
        lowered=[encode_lowered(one) for one in question.page.lowered],
    )


def _encode_entry(entry: HistoryEntry) -> pb.HistoryEntry:
    match entry.value:
        case HistoricText() as text:
            return pb.HistoryEntry(text=_encode_text(text))
        case HistoricRelation() as relation:
            return pb.HistoryEntry(relation=_encode_relation(relation))
        case HistoricMention() as mention:
            return pb.HistoryEntry(mention=_encode_mention(mention))
        case HistoricValidity() as validity:
            return pb.HistoryEntry(validity=_encode_validity(validity))


def _encode_text(text: HistoricText) -> pb.HistoricText:
    return pb.HistoricText(
        revision=text.revision,
        current_from_time=encode_time(text.current_from),
        current_to_time=encode_time(text.current_to),
        content_chars=text.content_chars,
        content=text.content,
    )


def _encode_relation(relation: HistoricRelation) -> pb.HistoricRelation:
    return pb.HistoricRelation(
        ref=format_relation_ref(relation.id),
        subject=_encode_end(relation.subject),
        predicate=relation.predicate,
        object=_encode_end(relation.object),
        declared_by=relation.declared_by,
        declare_time=encode_time(relation.declared_at),
        retract_time=encode_time(relation.retracted_at),
    )


def _encode_end(end: End) -> str:
    return str(end) if isinstance(end, RecordRef) else format_entity_ref(end)


def _encode_mention(mention: HistoricMention) -> pb.HistoricMention:
    return pb.HistoricMention(
        entity=format_entity_ref(mention.entity),
        declared_by=mention.declared_by,
        declare_time=encode_time(mention.declared_at),
        retract_time=encode_time(mention.retracted_at),
    )


def _encode_validity(validity: HistoricValidity) -> pb.HistoricValidity:
    return pb.HistoricValidity(
        valid_from=encode_time(validity.valid_from),
        valid_to=encode_time(validity.valid_to),
        asserted_by=validity.asserted_by,
        record_time=encode_time(validity.recorded_at),
        supersede_time=encode_time(validity.superseded_at),
    )
