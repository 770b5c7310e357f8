"""Revising, locking and forgetting."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from rensou_recall.pipelines.backpressure import DEFERRED_BUILDS, read_room
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.model_change import under_active_model
from rensou_recall.pipelines.retirement import retire
from rensou_recall.store.declaration import lock_declarations
from rensou_recall.store.lifecycle import (
    HeldRecord,
    find_holder,
    find_pending_build,
    forget_record,
    hold_record,
    save_content,
    save_derived,
    save_locked,
    settle_build,
)
from rensou_recall.store.save import content_hash
from rensou_recall.store.state import vector_state
from rensou_recall.types.call import Call
from rensou_recall.types.embedding import EmbeddedText
from rensou_recall.types.lifecycle import SUPPORTED_FORGET_MODES, ForgetAnswer, ForgetMode, Revised, Revision
from rensou_recall.types.records import NodesOutlook
from rensou_shared.db.pool import Connection
from rensou_shared.errors import (
    DuplicateContent,
    InvalidField,
    RecordLocked,
    RecordNotFound,
    RecordRetired,
    RevisionMismatch,
    UnsupportedMode,
)
from rensou_shared.ids import AgentId, BuildId, RecordRef
from rensou_shared.jobs.hints import BuildHint
from rensou_shared.text.index import IndexedTerms, index_terms


@dataclass(frozen=True, slots=True)
class _Derived:
    """What is derived of a new text before the transaction begins."""

    terms: IndexedTerms
    embedded: EmbeddedText | None

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left for the worker."""
        return self.embedded is not None and self.embedded.is_complete

    def outlook(self, outlook: NodesOutlook) -> NodesOutlook:
        """`outlook` for a text that is known to be past the window."""
        return outlook if self.embedded is not None and self.embedded.past_window else NodesOutlook.NONE


async def _hold(connection: Connection, agent_id: AgentId, ref: RecordRef) -> HeldRecord:
    held = await hold_record(connection, agent_id, ref)
    if held is None:
        raise RecordNotFound(str(ref))
    return held


async def set_locked(deps: Deps, call: Call, agent_id: AgentId, ref: RecordRef, locked: bool) -> bool:
    """Whether the record's lock changed.

    Raises:
        RecordNotFound: The agent has no such record.
    """

    async def work(connection: Connection) -> bool:
        held = await _hold(connection, agent_id, ref)
        if held.locked != locked:
            await save_locked(connection, agent_id, held.id, locked)
        return held.locked != locked

    return await deps.database.write(agent_id, call.remaining_s(), work)


async def revise(deps: Deps, call: Call, agent_id: AgentId, revision: Revision) -> Revised:
    """Gives the record a new text and keeps the former one; the same text changes nothing.

    Raises:
        RecordNotFound, RecordLocked, RecordRetired, RevisionMismatch, DuplicateContent: Nothing was changed.
    """
    return await under_active_model(deps, lambda: _revise(deps, call, agent_id, revision))


async def _revise(deps: Deps, call: Call, agent_id: AgentId, revision: Revision) -> Revised:
    """See `revise`.

    Raises:
        ActiveModelChanged: Another model was activated since the text was embedded; nothing was changed.
    """
    now = asyncio.get_running_loop().time()
    (embedded,) = await deps.embedder.passages([revision.content], call.remaining_s() * 0.75, now)
    derived = _Derived(await asyncio.to_thread(index_terms, agent_id, revision.content), embedded)

    async def work(connection: Connection) -> tuple[Revised, BuildId | None]:
        held = await _hold(connection, agent_id, revision.ref)
        _check_revisable(held, revision)
        if held.content_sha256 == content_hash(revision.content):
            state = await vector_state(connection, agent_id, held.id)
            return Revised(revision.ref, held.revision, state.embedded, state.nodes), None
        return await _rewrite(deps, connection, held, revision, derived)

    revised, build_id = await deps.database.write(agent_id, call.remaining_s(), work)
    if build_id is not None:
        deps.backlog.add(1)
        await deps.hints.send(BuildHint(agent_id, build_id, 0))
    return revised


def _check_revisable(held: HeldRecord, revision: Revision) -> None:
    if revision.expected_revision not in (0, held.revision):
        raise RevisionMismatch(str(revision.ref), held.revision)
    if held.locked:
        raise RecordLocked(str(revision.ref))
    if held.retired:
        raise RecordRetired(str(revision.ref))


async def _rewrite(
    deps: Deps, connection: Connection, held: HeldRecord, revision: Revision, derived: _Derived
) -> tuple[Revised, BuildId | None]:
    holder = await find_holder(connection, held, content_hash(revision.content))
    if holder is not None:
        raise DuplicateContent(str(holder))
    # The trigger queues a build on every path, whatever waits: it is counted before.
    wants_build = not derived.is_complete
    is_deferred = wants_build and await _is_full(deps, connection, held.agent_id)
    number = await save_content(connection, held, revision.content)
    await save_derived(connection, held, derived.terms, derived.embedded)
    if is_deferred:
        DEFERRED_BUILDS.inc()
    if is_deferred or not wants_build:
        await settle_build(connection, held)
    nodes = derived.outlook(NodesOutlook.DEFERRED if is_deferred else NodesOutlook.QUEUED)
    build_id = None if is_deferred or not wants_build else await find_pending_build(connection, held)
    return Revised(revision.ref, number, derived.embedded is not None, nodes), build_id


async def _is_full(deps: Deps, connection: Connection, agent_id: AgentId) -> bool:
    return (await read_room(connection, agent_id, deps.limits.queue, deps.backlog)).is_full


async def forget(
    deps: Deps,
    call: Call,
    agent_id: AgentId,
    refs: Sequence[RecordRef | InvalidField],
    mode: ForgetMode,
    reason: str = "",
) -> list[ForgetAnswer]:
    """Forgets the records in one transaction; answers in the order of `refs`.

    HARD removes them and what is derived from them; RETIRE keeps them out of every search, for `reason`. A locked
    record, and what is no ref, is refused by itself; the others go.

    Raises:
        UnsupportedMode: The deployment does not forget in that mode.
    """
    if mode not in SUPPORTED_FORGET_MODES:
        raise UnsupportedMode(f"FORGET_MODE_{mode.name}")
    if mode is ForgetMode.RETIRE:
        return await retire(deps, call, agent_id, refs, reason)

    async def work(connection: Connection) -> list[ForgetAnswer]:
        by_ref: dict[RecordRef, ForgetAnswer] = {}
        # Relations leave with their records, and with them edges that a declaration may be about to write.
        await lock_declarations(connection, agent_id)
        # In the order in which declarations hold records.
        for ref in sorted((one for one in refs if isinstance(one, RecordRef)), key=lambda ref: ref.id):
            by_ref[ref] = await _forget_one(connection, agent_id, ref)
        return [by_ref[one] if isinstance(one, RecordRef) else one for one in refs]

    return await deps.database.write(agent_id, call.remaining_s(), work)


async def _forget_one(connection: Connection, agent_id: AgentId, ref: RecordRef) -> ForgetAnswer:
    held = await hold_record(connection, agent_id, ref)
    if held is None:
        return RecordNotFound(str(ref))
    if held.locked:
        return RecordLocked(str(ref))
    return await forget_record(connection, agent_id, held.id) or RecordNotFound(str(ref))
