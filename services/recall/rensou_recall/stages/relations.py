"""Relations of a declaration on their way into the store: as rows, once each, and as the answer names them."""

from collections.abc import Collection, Mapping, Sequence

from rensou_recall.stages.replacement import REPLACEMENT_PREDICATES, Edge
from rensou_recall.types.declaration import Entity, KnownEntity, RelationRow, ResolvedRelation
from rensou_recall.types.graph import DeclaredRelation
from rensou_shared.ids import EntityId, RecordId, RecordRef, RelationId


def entity_id(entity: Entity, new_ids: Sequence[EntityId]) -> EntityId:
    """The entity's number; of a new one, that of its index in `new_ids`."""
    return entity.id if isinstance(entity, KnownEntity) else new_ids[entity.index]


def relation_rows(relations: Sequence[ResolvedRelation], new_ids: Sequence[EntityId]) -> list[RelationRow]:
    """The relations with their ends as numbers."""

    def ends(end: Entity | RecordRef) -> tuple[EntityId | None, RecordId | None]:
        return (None, end.id) if isinstance(end, RecordRef) else (entity_id(end, new_ids), None)

    return [RelationRow(*ends(relation.subject), relation.predicate, *ends(relation.object)) for relation in relations]


def new_replacements(rows: Sequence[RelationRow], standing: Collection[int]) -> dict[int, Edge]:
    """By position, the replacement edges among the rows that do not stand yet."""
    return {
        place: (row.subject_record, row.object_record)
        for place, row in enumerate(rows)
        if place not in standing
        and row.subject_record is not None
        and row.object_record is not None
        and row.predicate.normalized in REPLACEMENT_PREDICATES
    }


def distinct_new(rows: Sequence[RelationRow], left_out: Collection[int]) -> list[RelationRow]:
    """The rows to write, each once, in order; `left_out` are the positions of those that stand or are refused."""
    return list({row.key: row for place, row in enumerate(rows) if place not in left_out}.values())


def report_relations(
    rows: Sequence[RelationRow],
    standing: Mapping[int, RelationId],
    refused: Collection[int],
    saved: Mapping[tuple[int | None, int | None, str, int | None, int | None], RelationId],
) -> tuple[DeclaredRelation, ...]:
    """The relations that stand now, in order; one that a declaration names twice is created by the first."""
    created = dict.fromkeys(saved, True)
    reported: list[DeclaredRelation] = []
    for place, row in enumerate(rows):
        if place in standing:
            reported.append(DeclaredRelation(standing[place], created=False))
        elif place not in refused:
            reported.append(DeclaredRelation(saved[row.key], created=created[row.key]))
            created[row.key] = False
    return tuple(reported)
