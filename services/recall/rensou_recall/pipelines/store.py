"""Store: embed what can be embedded, then one transaction; then a hint that there is work."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from rensou_recall.pipelines.backpressure import DEFERRED_BUILDS, Room, read_room
from rensou_recall.pipelines.declare import declare_in
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.model_change import under_active_model
from rensou_recall.pipelines.validity import assert_of_record
from rensou_recall.store.save import (
    content_hash,
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

    @property
    def wants_build(self) -> bool:
        """Whether something is left to be derived."""
        return self.embedded is None or not self.embedded.is_complete

    def outlook(self, *, queued: bool) -> NodesOutlook:
        """What becomes of its nodes."""
        if self.embedded is None or not self.embedded.past_window:
            return NodesOutlook.NONE
        return NodesOutlook.QUEUED if queued else NodesOutlook.DEFERRED


@dataclass(frozen=True, slots=True)
class _Kept:
    """A stored item, the build to hint at once the transaction has committed, and whether one was deferred."""

    result: StoreResult
    build_id: BuildId | None = None
    is_deferred: bool = False


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
    says_more = items[0].associations is not None or items[0].validity is not None
    needs_order = len(items) > 1 or items[0].record.caller_id != "" or says_more

    async def work(connection: Connection) -> list[_Kept | RensouError]:
        if needs_order:
            await hold_store_keys(connection, records)
        wanting = any(one.wants_build for one in prepared)
        room = await read_room(connection, agent_id, deps.limits.queue, deps.backlog) if wanting else Room(0)
        if len(prepared) == 1:
            return [await _keep(connection, call, prepared[0], room)]
        return [await _keep_or_refuse(connection, call, one, room) for one in prepared]

    try:
        kept = await deps.database.write(agent_id, call.remaining_s(), work)
    except CallerIdConflict as error:
        # The one item without a savepoint of its own.
        return [error]
    await _note_builds(deps, agent_id, kept)
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


async def _keep_or_refuse(connection: Connection, call: Call, one: _Prepared, room: Room) -> _Kept | RensouError:
    """One item in a savepoint of its own. A lost race is the whole transaction's, which is then run again."""
    try:
        async with connection.transaction():
            return await _keep(connection, call, one, room)
    except CallerIdConflict as error:
        return error


async def _keep(connection: Connection, call: Call, one: _Prepared, room: Room) -> _Kept:
    scope, record = one.item.scope, one.item.record
    if record.caller_id:
        under = await find_by_caller_id(connection, scope, record.caller_id)
        if under is not None:
            if under.content_sha256 != content_hash(record.content) or under.ref.kind != record.kind:
                raise CallerIdConflict(str(under.ref))
            return await _skip(connection, call, one, under.ref)
    kept = await _insert_or_find(connection, call, one, room)
    if record.caller_id:
        sha = content_hash(record.content)
        await save_caller_id(connection, scope, record.caller_id, kept.result.ref.id, sha)
    return kept


async def _insert_or_find(connection: Connection, call: Call, one: _Prepared, room: Room) -> _Kept:
    """A new record, or the one that holds the same text. The other may be forgotten between the two looks."""
    scope, record = one.item.scope, one.item.record
    queues = one.wants_build and not room.is_full
    for _ in range(_DUPLICATE_ATTEMPTS):
        inserted = await insert_record(connection, scope, record, one.terms, one.embedded, wants_build=queues)
        if inserted is not None:
            ref = RecordRef(record.kind, inserted.id)
            report = await _declare(connection, call, one, ref.id)
            dropped = await assert_of_record(connection, call, one.item, ref, is_new=True)
            if queues:
                room.take()
            outlook, embedded = one.outlook(queued=queues), one.embedded is not None
            result = StoreResult(StoreOutcome.STORED, ref, embedded, outlook, report, dropped)
            return _Kept(result, inserted.build_id, is_deferred=one.wants_build and not queues)
        existing = await find_same_content(connection, scope, record)
        if existing is not None:
            return await _skip(connection, call, one, existing)
    raise WriteConflict("the same text was stored and forgotten by others meanwhile")


async def _skip(connection: Connection, call: Call, one: _Prepared, ref: RecordRef) -> _Kept:
    report = await _declare(connection, call, one, ref.id)
    dropped = await assert_of_record(connection, call, one.item, ref, is_new=False)
    state = await vector_state(connection, one.item.scope.agent_id, ref.id)
    return _Kept(StoreResult(StoreOutcome.SKIPPED_DUPLICATE, ref, state.embedded, state.nodes, report, dropped))


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


async def _note_builds(deps: Deps, agent_id: AgentId, kept: Sequence[_Kept | RensouError]) -> None:
    """Counts what was queued and deferred, and wakes the worker. A lost hint costs the reconciler's interval."""
    stored = [one for one in kept if isinstance(one, _Kept)]
    builds = [one.build_id for one in stored if one.build_id is not None]
    deps.backlog.add(len(builds))
    DEFERRED_BUILDS.inc(sum(one.is_deferred for one in stored))
    for build_id in builds:
        if not await deps.hints.send(BuildHint(agent_id, build_id, 0)):
            return
