"""Retention by policy: writing one, seeing what it would retire, and retiring that; each apart."""

from datetime import UTC, datetime, timedelta

from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.grounds import match
from rensou_recall.stages.page_token import open_position, seal_position
from rensou_recall.stages.retention import policy_digest
from rensou_recall.store.retention import (
    delete_policy,
    find_facts,
    hold_facts,
    hold_policies,
    load_policies,
    load_policy,
    save_policy,
)
from rensou_recall.store.retirement import retire_record
from rensou_recall.types.call import Call
from rensou_recall.types.listing import PageBinding, PageRequest, Position
from rensou_recall.types.retention import (
    Application,
    Applied,
    Match,
    Policy,
    PolicyKey,
    RetentionFacts,
    RetentionPage,
    RetentionTests,
    SkipReason,
)
from rensou_recall.types.retirement import Retirement
from rensou_shared.db.pool import Connection
from rensou_shared.domain import MAX_POLICIES
from rensou_shared.errors import PolicyChanged, PolicyNotFound, TooLarge
from rensou_shared.ids import RecordRef
from rensou_shared.scope import WriteScope

_LOOK = 500
"""Records of one look; a page ends after as many looks as `_LOOKS`, full or not."""
_LOOKS = 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def put_policy(deps: Deps, call: Call, key: PolicyKey, tests: RetentionTests) -> Policy:
    """Writes a policy, in the place of the one of its name.

    Raises:
        TooLarge: The place holds as many as it may.
    """

    async def work(connection: Connection) -> Policy:
        await hold_policies(connection, key.scope)
        names = {policy.key.name for policy in await load_policies(connection, key.scope)}
        if len(names | {key.name}) > MAX_POLICIES:
            raise TooLarge("policy.key.scope", f"holds {MAX_POLICIES} policies already")
        return await save_policy(connection, key, tests, call.principal.declares_as)

    return await deps.database.write(key.scope.agent_id, call.remaining_s(), work)


async def remove_policy(deps: Deps, call: Call, key: PolicyKey) -> None:
    """Takes a policy away; what it retired stays retired.

    Raises:
        PolicyNotFound: There is none of that name.
    """

    async def work(connection: Connection) -> bool:
        return await delete_policy(connection, key)

    if not await deps.database.write(key.scope.agent_id, call.remaining_s(), work):
        raise PolicyNotFound(key.name)


async def list_policies(deps: Deps, call: Call, scope: WriteScope) -> list[Policy]:
    """The policies of a place, by name."""
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        return await load_policies(connection, scope)


async def list_retention(deps: Deps, call: Call, key: PolicyKey, page: PageRequest) -> RetentionPage:
    """The next records that the policy would retire, with the grounds; nothing changes.

    Raises:
        PolicyNotFound, InvalidPageToken: As their names say.
    """
    async with deps.database.transaction(key.scope.agent_id, call.remaining_s()) as connection:
        policy = await _policy(connection, key)
        digest = policy_digest(key, policy.tests)
        binding = PageBinding("ListRetention", key.reads, (key.name, digest))
        after = _place(open_position(deps.page_key, binding, page.token))
        matches, last = await _find(connection, policy, after, page.size)
    token = "" if last is None else seal_position(deps.page_key, binding, last)
    return RetentionPage(tuple(matches), token, digest, page.lowered)


async def _find(
    connection: Connection, policy: Policy, after: tuple[datetime, str, int] | None, size: int
) -> tuple[list[Match], Position | None]:
    """Up to `size` matches, and where to go on; None behind the last record."""
    matches: list[Match] = []
    facts: list[RetentionFacts] = []
    for _ in range(_LOOKS):
        facts = await find_facts(connection, policy, after, _LOOK)
        matches += await match(connection, policy, facts)
        if len(matches) > size:
            last = matches[size - 1]
            return matches[:size], _position(last.created_at, last.ref)
        if len(facts) < _LOOK:
            return matches, None
        after = (facts[-1].created_at, facts[-1].ref.kind, facts[-1].ref.id)
    return matches, _position(facts[-1].created_at, facts[-1].ref)


def _position(created_at: datetime, ref: RecordRef) -> Position:
    return (created_at - _EPOCH) // timedelta(microseconds=1), ref.kind, ref.id


def _place(position: Position) -> tuple[datetime, str, int] | None:
    if not position:
        return None
    micros, kind, number = position
    return _EPOCH + timedelta(microseconds=int(micros)), str(kind), int(number)


async def _policy(connection: Connection, key: PolicyKey) -> Policy:
    policy = await load_policy(connection, key)
    if policy is None:
        raise PolicyNotFound(key.name)
    return policy


async def apply_retention(deps: Deps, call: Call, application: Application) -> Applied:
    """Retires those of the records that meet the policy now, each tested again while it is held, in one transaction.

    Raises:
        PolicyNotFound: There is none of that name.
        PolicyChanged: It is another one than was listed by; nothing was retired.
    """
    key = application.key
    retirement = Retirement(call.principal.declares_as, application.reason, key.name)

    async def work(connection: Connection) -> Applied:
        policy = await _policy(connection, key)
        digest = policy_digest(key, policy.tests)
        if digest != application.digest:
            raise PolicyChanged(key.name, digest)
        facts = await hold_facts(connection, policy, application.refs)
        matching = {one.ref for one in await match(connection, policy, list(facts.values()))}
        for ref in sorted(matching, key=lambda one: one.id):
            await retire_record(connection, key.scope.agent_id, ref.id, retirement)
        skipped = tuple((ref, _skip_reason(facts.get(ref))) for ref in application.refs if ref not in matching)
        return Applied(tuple(ref for ref in application.refs if ref in matching), skipped)

    return await deps.database.write(key.scope.agent_id, call.remaining_s(), work)


def _skip_reason(facts: RetentionFacts | None) -> SkipReason:
    if facts is None:
        return SkipReason.NOT_FOUND
    if facts.retired:
        return SkipReason.ALREADY_RETIRED
    return SkipReason.LOCKED if facts.locked else SkipReason.NO_LONGER_MATCHES
