"""Declaring associations: read, resolve against what stands, write; by itself or in the transaction of a record."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.validity import assert_of_relations
from rensou_recall.stages.declaration import plan_anchored_declaration, plan_declaration, sort_drops
from rensou_recall.stages.relations import (
    distinct_new,
    entity_id,
    new_replacements,
    relation_rows,
    report_relations,
)
from rensou_recall.stages.replacement import MAX_SEARCHED, REPLACEMENT_PREDICATES, judge_replacements
from rensou_recall.stages.resolution import names_anything_new, resolve_declaration
from rensou_recall.stages.retraction import plan_retraction
from rensou_recall.store.confidence import save_certainties
from rensou_recall.store.declaration import (
    find_relations,
    hold_records,
    load_names,
    load_replaced,
    lock_declarations,
    retract,
    save_aliases,
    save_entities,
    save_mentions,
    save_relations,
)
from rensou_recall.types.call import Call
from rensou_recall.types.declaration import (
    DeclarationPlan,
    Drop,
    Place,
    Resolution,
    Standing,
)
from rensou_recall.types.graph import (
    AssociationReport,
    Associations,
    DeclaredBy,
    DeclaredEntity,
    DeclaredRelation,
    DeclareRequest,
    Dropped,
    DropReason,
    RetractionReport,
    Warned,
    WarningReason,
)
from rensou_shared.db.pool import Connection
from rensou_shared.ids import EntityId, RecordId
from rensou_shared.scope import WriteScope


async def declare(
    deps: Deps, call: Call, scope: WriteScope, request: DeclareRequest
) -> tuple[AssociationReport, RetractionReport | None]:
    """Retracts, then declares, in one transaction: what became of both.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: Nothing was changed.
    """
    plan = plan_anchored_declaration(request.associations, request.anchor_ref)
    retraction = None if request.retraction is None else plan_retraction(request.retraction)
    declared_by = call.principal.declares_as

    async def work(connection: Connection) -> tuple[AssociationReport, RetractionReport | None]:
        retracted = None
        if retraction is not None:
            await lock_declarations(connection, scope.agent_id)
            retracted = await retract(connection, scope.agent_id, retraction)
        return await _declare(connection, scope, declared_by, plan), retracted

    report, retracted = await deps.database.write(scope.agent_id, call.remaining_s(), work)
    if retraction is not None:
        report = replace(report, dropped=(*report.dropped, *_dropped(retraction.dropped)))
    return report, retracted


async def declare_in(
    connection: Connection,
    scope: WriteScope,
    declared_by: DeclaredBy,
    associations: Associations,
    anchor: RecordId | None,
) -> AssociationReport:
    """Declares in the open transaction, resting on the record `anchor`: what became of it.

    Raises:
        WriteConflict: Another writer was in the way; the transaction is to be run again.
    """
    return await _declare(connection, scope, declared_by, plan_declaration(associations, anchor))


async def _declare(
    connection: Connection, scope: WriteScope, declared_by: DeclaredBy, plan: DeclarationPlan
) -> AssociationReport:
    resolution = await _resolve_for_writing(connection, scope, plan)
    new_ids = await save_entities(connection, scope, declared_by, resolution.registered)
    await _save_names(connection, scope, resolution, new_ids)
    mentions = 0
    if resolution.anchor is not None:
        mentioned = [entity_id(entity, new_ids) for entity in resolution.mentioned]
        mentions = await save_mentions(connection, scope.agent_id, declared_by, mentioned, resolution.anchor)
    relations, drops, warnings = await _save_relations(connection, scope, declared_by, resolution, new_ids)
    return AssociationReport(
        entities=tuple(
            DeclaredEntity(entity_id(entity, new_ids), entity.name, created) for entity, created in resolution.named
        ),
        mentions=mentions,
        relations=relations,
        dropped=_dropped(sort_drops((*resolution.dropped, *drops))),
        warnings=warnings,
    )


def _dropped(drops: Sequence[Drop]) -> tuple[Dropped, ...]:
    return tuple(Dropped(drop.path.text, drop.reason) for drop in drops)


async def _resolve_for_writing(connection: Connection, scope: WriteScope, plan: DeclarationPlan) -> Resolution:
    """The plan against what stands, under the agent's lock when anything new may be written.

    Mentions of what stands already, by far the most declarations, wait for nobody. Records are held after the lock,
    never before: one who waits for the lock keeps nobody from forgetting.
    """
    writer = Place(scope.project_id, scope.channel)
    names = {} if plan.relations else await load_names(connection, scope, plan.names)
    if plan.relations or names_anything_new(plan, writer, names):
        await lock_declarations(connection, scope.agent_id)
        names = await load_names(connection, scope, plan.names)
    records = await hold_records(connection, scope.agent_id, plan.record_ids)
    return resolve_declaration(plan, writer, Standing(names, records))


async def _save_names(
    connection: Connection, scope: WriteScope, resolution: Resolution, new_ids: Sequence[EntityId]
) -> None:
    names = [(new_id, name, True) for new_id, name in zip(new_ids, resolution.registered, strict=True)]
    aliases = [(entity_id(entity, new_ids), name, False) for entity, name in resolution.aliases]
    await save_aliases(connection, scope, [*names, *aliases])


async def _save_relations(
    connection: Connection,
    scope: WriteScope,
    declared_by: DeclaredBy,
    resolution: Resolution,
    new_ids: Sequence[EntityId],
) -> tuple[tuple[DeclaredRelation, ...], list[Drop], tuple[Warned, ...]]:
    """The relations as they stand now; replacements that would lead back to their subject, which are left out; and
    those of which that is not known."""
    rows = relation_rows(resolution.relations, new_ids)
    standing = await find_relations(connection, scope, rows, resolution.anchor)
    edges = new_replacements(rows, standing)
    starts = {replaced for _, replaced in edges.values()}
    reached = await load_replaced(connection, scope, starts, REPLACEMENT_PREDICATES, MAX_SEARCHED)
    verdict = judge_replacements(edges, reached)
    new = distinct_new(rows, standing.keys() | verdict.closing)
    saved = await save_relations(connection, scope, declared_by, new, resolution.anchor)
    ids = {row.key: relation_id for row, relation_id in zip(new, saved, strict=True)}
    drops = [Drop(resolution.relations[place].path, DropReason.CYCLE) for place in sorted(verdict.closing)]
    places = standing | {place: ids[row.key] for place, row in enumerate(rows) if row.key in ids}
    said = {places[place]: one for place, one in enumerate(resolution.relations) if place in places and one.validity}
    drops += await assert_of_relations(connection, scope.agent_id, declared_by, said, frozenset(saved))
    stated = {
        places[place]: one.certainty
        for place, one in enumerate(resolution.relations)
        if place in places and one.certainty is not None
    }
    await save_certainties(connection, scope.agent_id, stated, frozenset(saved))
    return report_relations(rows, standing, verdict.closing, ids), drops, _doubts(resolution, verdict.unsure)


def _doubts(resolution: Resolution, unsure: Collection[int]) -> tuple[Warned, ...]:
    paths = (resolution.relations[place].path.text for place in sorted(unsure))
    return tuple(Warned(path, WarningReason.CYCLE_NOT_EXCLUDED) for path in paths)
