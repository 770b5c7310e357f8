"""Taking records out of every search, and bringing them back."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from rensou_recall.pipelines.deps import Deps
from rensou_recall.store.lifecycle import HeldRecord, find_holder, hold_record
from rensou_recall.store.retirement import restore_record, retire_record
from rensou_recall.types.call import Call
from rensou_recall.types.lifecycle import ForgetAnswer, RestoreAnswer
from rensou_recall.types.retirement import Retirement
from rensou_shared.db.pool import Connection
from rensou_shared.errors import (
    DuplicateContent,
    InvalidField,
    RecordLocked,
    RecordNotFound,
    RecordNotRetired,
    RecordRetired,
    RensouError,
)
from rensou_shared.ids import AgentId, RecordRef

T = TypeVar("T")


async def retire(
    deps: Deps, call: Call, agent_id: AgentId, refs: Sequence[RecordRef | InvalidField], reason: str
) -> list[ForgetAnswer]:
    """Takes the records out of every search, in one transaction; answers in the order of `refs`.

    A locked or retired record, and what is no ref, is refused by itself; the others go.
    """
    retirement = Retirement(call.principal.declares_as, reason)

    async def one(connection: Connection, held: HeldRecord, ref: RecordRef) -> ForgetAnswer:
        if held.retired:
            return RecordRetired(str(ref))
        return await retire_record(connection, agent_id, held.id, retirement) or RecordNotFound(str(ref))

    return await _each(deps, call, agent_id, refs, one)


async def restore(
    deps: Deps, call: Call, agent_id: AgentId, refs: Sequence[RecordRef | InvalidField]
) -> list[RestoreAnswer]:
    """Makes the records live again, in one transaction; answers in the order of `refs`.

    A locked or live record, one whose text a live record holds, and what is no ref, is refused by itself.
    """
    by = call.principal.declares_as

    async def one(connection: Connection, held: HeldRecord, ref: RecordRef) -> RestoreAnswer:
        if not held.retired:
            return RecordNotRetired(str(ref))
        holder = await find_holder(connection, held, held.content_sha256)
        if holder is not None:
            return DuplicateContent(str(holder))
        return await restore_record(connection, held, by)

    return await _each(deps, call, agent_id, refs, one)


async def _each(
    deps: Deps,
    call: Call,
    agent_id: AgentId,
    refs: Sequence[RecordRef | InvalidField],
    one: Callable[[Connection, HeldRecord, RecordRef], Awaitable[T | RensouError]],
) -> list[T | RensouError]:
    """What `one` makes of each record that is there and not locked, in one transaction, lowest number first."""

    async def work(connection: Connection) -> list[T | RensouError]:
        by_ref: dict[RecordRef, T | RensouError] = {}
        # In the order in which declarations hold records.
        for ref in sorted((one for one in refs if isinstance(one, RecordRef)), key=lambda ref: ref.id):
            held = await hold_record(connection, agent_id, ref)
            if held is None:
                by_ref[ref] = RecordNotFound(str(ref))
            elif held.locked:
                by_ref[ref] = RecordLocked(str(ref))
            else:
                by_ref[ref] = await one(connection, held, ref)
        return [by_ref[ref] if isinstance(ref, RecordRef) else ref for ref in refs]

    return await deps.database.write(agent_id, call.remaining_s(), work)
