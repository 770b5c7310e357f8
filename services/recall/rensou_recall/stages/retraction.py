"""Reads a retraction: which relations and mentions it names, and what is dropped, by path."""

from typing import Final

from rensou_recall.stages.item_list import ItemList
from rensou_recall.types.declaration import Drop, RetractionPlan
from rensou_recall.types.graph import DropReason, Retraction
from rensou_shared.domain import MAX_RETRACTED
from rensou_shared.ids import EntityId, RecordRef, parse_entity_ref, parse_record_ref, parse_relation_ref

# Behind what is declared: entities, relations and the anchor are 0 to 2.
_RETRACT: Final = 3
_RELATIONS: Final = ItemList((_RETRACT, 0), "retract.relations", MAX_RETRACTED)
_MENTIONS: Final = ItemList((_RETRACT, 1), "retract.mentions", MAX_RETRACTED)


def plan_retraction(retraction: Retraction) -> RetractionPlan:
    """What `retraction` names, 64 relations and 64 mentions at most; what is no ref is dropped by itself.

    A ref may have white space around it and leading zeros; its digits are ASCII. Nothing is looked up.
    """
    relations = [parse_relation_ref(text.strip()) for text in retraction.relations[:MAX_RETRACTED]]
    mentions = [_parse_mention(*texts) for texts in retraction.mentions[:MAX_RETRACTED]]
    bad_relations = (_RELATIONS.path(index) for index, parsed in enumerate(relations) if parsed is None)
    bad_mentions = (_MENTIONS.path(index) for index, parsed in enumerate(mentions) if parsed is None)
    return RetractionPlan(
        relations=tuple(relation for relation in relations if relation is not None),
        mentions=tuple(mention for mention in mentions if mention is not None),
        dropped=(
            *(Drop(path, DropReason.INVALID_REF) for path in bad_relations),
            *_RELATIONS.beyond(len(retraction.relations) + retraction.relations_beyond),
            *(Drop(path, DropReason.INVALID_REF) for path in bad_mentions),
            *_MENTIONS.beyond(len(retraction.mentions) + retraction.mentions_beyond),
        ),
    )


def _parse_mention(entity_text: str, record_text: str) -> tuple[EntityId, RecordRef] | None:
    entity, record = parse_entity_ref(entity_text.strip()), parse_record_ref(record_text.strip())
    return None if entity is None or record is None else (entity, record)
