"""Store: embed what can be embedded, then one transaction; then a hint that there is work."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from rensou_recall.pipelines.declare import declare_in
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.model_change import under_active_model
from rensou_recall.store.save import (
    content_hash,
    count_pending_builds,
    find_by_caller_id,
    find_same_content,
    hold_store_keys,
    insert_record,
    save_caller_id,
)
from rensou_recall.store.savepoint import StatementRefused, in_savepoint
from rensou_recall.store.state import vector_state
from rensou_recall.types.call import Call
from rensou_recall.types.embedding import EmbeddedText
from rensou_recall.types.graph import AssociationReport, Dropped, DropReason
from rensou_recall.types.records import NodesOutlook
from rensou_recall.types.storing import StoreAnswer, StoreItem, StoreOutcome, StoreResult
from rensou_shared.db.pool import Connection
from rensou_shared.errors import CallerIdConflict, RensouError, WriteConflict
from rensou_shared.ids import AgentId, BuildId, RecordId, RecordRef
from rensou_shared.jobs.hints import BuildHint
from rensou_shared.telemetry import get_logger
from rensou_shared.text.index import IndexedTerms, index_terms

_log = get_logger(__name__)

# Lexemes of a short text take less time than a thread's start; a long text would hold up every other call.
_INLINE_CHARS = 2_000
# What the transaction may still take after the embedding server has used its share of the call.
_EMBEDDING_SHARE = 0.75
_DUPLICATE_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An item with everything computed that needs no transaction."""

    item: StoreItem
    terms: IndexedTerms
    embedded: EmbeddedText | None


@dataclass(frozen=True, slots=True)
class _Kept:
    """A stored item, and the build to hint at once the transaction has committed."""

    result: StoreResult
    build_id: BuildId | None


async def store(deps: Deps, call: Call, item: StoreItem) -> StoreResult:
    """Stores one record.

    Raises:
        CallerIdConflict: Its caller id is taken by another content.
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: Nothing was stored.
    """
    (answer,) = await store_batch(deps, call, [item])
    if isinstance(answer, RensouError):
        raise answer
    return answer


async def store_batch(deps: Deps, call: Call, items: Sequence[StoreItem]) -> list[StoreAnswer]:
    """Stores records of one agent, each for itself: an item's error is its answer, in the order of `items`.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: Nothing was stored.
    """
    if not items:
        return []
    return await under_active_model(deps, lambda: _store_batch(deps, call, items))


async def _store_batch(deps: Deps, call: Call, items: Sequence[StoreItem]) -> list[StoreAnswer]:
    """See `store_batch`.

    Raises:
        ActiveModelChanged: Another model was activated since the texts were embedded; nothing was stored.
    """
    agent_id = items[0].scope.agent_id
    prepared = await _prepare(deps, call, items)
    records = [(item.scope, item.record) for item in items]
    # One text alone waits for nothing that could wait for it.
    needs_order = len(items) > 1 or items[0].record.caller_id != "" or items[0].associations is not None

    async def work(connection: Connection) -> list[_Kept | RensouError]:
        if needs_order:
            await hold_store_keys(connection, records)
        if len(prepared) == 1:
            return [await _keep(deps, connection, call, prepared[0])]
        return [await _keep_or_refuse(deps, connection, call, one) for one in prepared]

    try:
        kept = await deps.database.write(agent_id, call.remaining_s(), work)
    except CallerIdConflict as error:
        # The one item without a savepoint of its own.
        return [error]
    await _hint(deps, agent_id, kept)
    return [one if isinstance(one, RensouError) else one.result for one in kept]


async def _prepare(deps: Deps, call: Call, items: Sequence[StoreItem]) -> list[_Prepared]:
    contents = [item.record.content for item in items]
    now = asyncio.get_running_loop().time()
    embedded = await deps.embedder.passages(contents, call.remaining_s() * _EMBEDDING_SHARE, now)
    terms = [await _terms(item.scope.agent_id, item.record.content) for item in items]
    return [_Prepared(*parts) for parts in zip(items, terms, embedded, strict=True)]


async def _terms(agent_id: AgentId, content: str) -> IndexedTerms:
    if len(content) <= _INLINE_CHARS:
        return index_terms(agent_id, content)
    return await asyncio.to_thread(index_terms, agent_id, content)


async def _keep_or_refuse(deps: Deps, connection: Connection, call: Call, one: _Prepared) -> _Kept | RensouError:
    """One item in a savepoint of its own. A lost race is the whole transaction's, which is then run again."""
    try:
        async with connection.transaction():
            return await _keep(deps, connection, call, one)
    except CallerIdConflict as error:
        return error


async def _keep(deps: Deps, connection: Connection, call: Call, one: _Prepared) -> _Kept:
    scope, record = one.item.scope, one.item.record
    if record.caller_id:
        under = await find_by_caller_id(connection, scope, record.caller_id)
        if under is not None:
            if under.content_sha256 != content_hash(record.content) or under.ref.kind != record.kind:
                raise CallerIdConflict(str(under.ref))
            return await _skip(connection, call, one, under.ref)
    kept = await _insert_or_find(deps, connection, call, one)
    if record.caller_id:
        sha = content_hash(record.content)
        await save_caller_id(connection, scope, record.caller_id, kept.result.ref.id, sha)
    return kept


async def _insert_or_find(deps: Deps, connection: Connection, call: Call, one: _Prepared) -> _Kept:
    """A new record, or the one that holds the same text. The other may be forgotten between the two looks."""
    scope, record = one.item.scope, one.item.record
    outlook = await _outlook(deps, connection, one)
    complete = one.embedded is not None and one.embedded.is_complete
    wants_build = not complete and outlook is not NodesOutlook.DEFERRED
    for _ in range(_DUPLICATE_ATTEMPTS):
        inserted = await insert_record(connection, scope, record, one.terms, one.embedded, wants_build=wants_build)
        if inserted is not None:
            ref = RecordRef(record.kind, inserted.id)
            report = await _declare(connection, call, one, ref.id)
            result = StoreResult(StoreOutcome.STORED, ref, one.embedded is not None, outlook, report)
            return _Kept(result, inserted.build_id)
        existing = await find_same_content(connection, scope, record)
        if existing is not None:
            return await _skip(connection, call, one, existing)
    raise WriteConflict("the same text was stored and forgotten by others meanwhile")


async def _skip(connection: Connection, call: Call, one: _Prepared, ref: RecordRef) -> _Kept:
    report = await _declare(connection, call, one, ref.id)
    state = await vector_state(connection, one.item.scope.agent_id, ref.id)
    nodes = NodesOutlook.QUEUED if state.nodes_waiting else NodesOutlook.NONE
    return _Kept(StoreResult(StoreOutcome.SKIPPED_DUPLICATE, ref, state.embedded, nodes, report), None)


async def _outlook(deps: Deps, connection: Connection, one: _Prepared) -> NodesOutlook:
    if one.embedded is None or not one.embedded.past_window:
        return NodesOutlook.NONE
    cap = deps.limits.pending_builds
    waiting = await count_pending_builds(connection, one.item.scope, cap)
    return NodesOutlook.DEFERRED if waiting >= cap else NodesOutlook.QUEUED


async def _declare(connection: Connection, call: Call, one: _Prepared, anchor: RecordId) -> AssociationReport | None:
    """What the record connects, in the transaction of the record, which stands whatever becomes of it."""
    associations = one.item.associations
    if associations is None:
        return None
    scope, declared_by = one.item.scope, call.principal.declares_as
    try:
        return await in_savepoint(connection, lambda: declare_in(connection, scope, declared_by, associations, anchor))
    except StatementRefused as error:
        _log.error("associations_refused", error=str(error))
        return AssociationReport(dropped=(Dropped("associations", DropReason.FAILED),))


async def _hint(deps: Deps, agent_id: AgentId, kept: Sequence[_Kept | RensouError]) -> None:
    """Wakes the worker. A lost hint delays a build by the reconciler's interval and costs nothing else."""
    builds = [one.build_id for one in kept if isinstance(one, _Kept) and one.build_id is not None]
    for build_id in builds:
        if not await deps.hints.send(BuildHint(agent_id, build_id, 0)):
            return
