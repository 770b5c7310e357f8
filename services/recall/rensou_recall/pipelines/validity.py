"""Saying when records and relations are true; by itself, or in the transaction that stores or declares them."""

from collections.abc import Mapping, Sequence

from rensou_recall.pipelines.deps import Deps
from rensou_recall.stages.declaration import validity_path
from rensou_recall.stages.validity import judge_assertions
from rensou_recall.store.declaration import lock_declarations
from rensou_recall.store.validity import find_validity_targets, save_validity
from rensou_recall.types.call import Call
from rensou_recall.types.declaration import Drop, ResolvedRelation
from rensou_recall.types.graph import DeclaredBy, Dropped, DropReason
from rensou_recall.types.storing import StoreItem
from rensou_recall.types.validity import (
    Assertion,
    AssertionAnswer,
    Claimed,
    ValidityWrite,
)
from rensou_shared.db.pool import Connection
from rensou_shared.ids import AgentId, RecordRef, RelationId


async def assert_validity(
    deps: Deps, call: Call, agent_id: AgentId, assertions: Sequence[Assertion | DropReason]
) -> list[AssertionAnswer]:
    """Says when the targets are true, in one transaction: what became of each, in the order of `assertions`.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: Nothing was changed.
    """
    good = [one for one in assertions if isinstance(one, Assertion)]
    asserted_by = call.principal.declares_as

    async def work(connection: Connection) -> list[AssertionAnswer]:
        return await _assert(connection, agent_id, asserted_by, good)

    answers = iter(await deps.database.write(agent_id, call.remaining_s(), work) if good else [])
    return [next(answers) if isinstance(one, Assertion) else one for one in assertions]


async def _assert(
    connection: Connection, agent_id: AgentId, asserted_by: DeclaredBy, assertions: Sequence[Assertion]
) -> list[AssertionAnswer]:
    """Under the lock of those who declare, take back and forget: of two who assert, the second sees the first."""
    await lock_declarations(connection, agent_id)
    standing = await find_validity_targets(connection, agent_id, [one.target for one in assertions])
    answers, writes = judge_assertions(assertions, standing)
    await save_validity(connection, agent_id, asserted_by, writes)
    return answers


async def assert_of_record(
    connection: Connection, call: Call, item: StoreItem, ref: RecordRef, *, is_new: bool
) -> tuple[Dropped, ...]:
    """Says when a record is true that the transaction stores, or that stands already: what was left out."""
    validity = item.validity
    if validity is None:
        return ()
    if isinstance(validity, DropReason):
        return (Dropped("validity", validity),)
    agent_id, asserted_by = item.scope.agent_id, call.principal.declares_as
    if is_new:
        # Nobody else sees it yet.
        await save_validity(connection, agent_id, asserted_by, [ValidityWrite(ref, validity, is_new=True)])
        return ()
    assertion = Assertion(ref, Claimed(validity.valid_from, validity.valid_to))
    (answer,) = await _assert(connection, agent_id, asserted_by, [assertion])
    return (Dropped("validity", answer),) if isinstance(answer, DropReason) else ()


async def assert_of_relations(
    connection: Connection,
    agent_id: AgentId,
    asserted_by: DeclaredBy,
    relations: Mapping[RelationId, ResolvedRelation],
    created: frozenset[RelationId],
) -> list[Drop]:
    """Says when relations are true that are declared; of those in `created`, since they are: what was left out.

    The declaration holds the agent's lock.
    """
    said = {
        one: Assertion(one, Claimed(relation.validity.valid_from, relation.validity.valid_to))
        for one, relation in relations.items()
        if relation.validity is not None
    }
    if not said:
        return []
    found = await find_validity_targets(connection, agent_id, [one for one in said if one not in created])
    answers, writes = judge_assertions(list(said.values()), found | dict.fromkeys(created))
    new = [ValidityWrite(one.target, one.interval, one.closes, one.target in created) for one in writes]
    await save_validity(connection, agent_id, asserted_by, new)
    dropped = (one for one, answer in zip(said, answers, strict=True) if isinstance(answer, DropReason))
    return [Drop(validity_path(relations[one].path), DropReason.INVALID_INTERVAL) for one in dropped]
