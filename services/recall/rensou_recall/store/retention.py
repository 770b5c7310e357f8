"""Policies of retention, and the records that they are tested on."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from rensou_recall.types.retention import Policy, PolicyKey, RetentionFacts, RetentionTests
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import AgentId, RecordId, RecordRef
from rensou_shared.scope import WriteScope

_STORE = "rensou_recall.store"


async def hold_policies(connection: Connection, scope: WriteScope) -> None:
    """Waits for others who write policies of the place."""
    parts = "\0".join(("retention", scope.agent_id, scope.project_id, scope.channel))
    key = int.from_bytes(blake2b(parts.encode(), digest_size=8).digest(), "big", signed=True)
    await connection.execute(load_statement(_STORE, "hold_policies"), {"key": key})


async def save_policy(connection: Connection, key: PolicyKey, tests: RetentionTests, by: str) -> Policy:
    """The policy as it stands now."""
    params = _key_params(key) | {"tests": tests.as_json, "put_by": by}
    cursor = await connection.execute(load_statement(_STORE, "save_policy"), params)
    row = await cursor.fetchone()
    put_at = datetime.now(UTC) if row is None else row[0].astimezone(UTC)
    return Policy(key, tests, by, put_at)


async def delete_policy(connection: Connection, key: PolicyKey) -> bool:
    """Whether there was one."""
    cursor = await connection.execute(load_statement(_STORE, "delete_policy"), _key_params(key))
    return cursor.rowcount > 0


async def load_policies(connection: Connection, scope: WriteScope) -> list[Policy]:
    """The policies of the place, by name."""
    return await _load(connection, scope, None)


async def load_policy(connection: Connection, key: PolicyKey) -> Policy | None:
    """The policy, or None."""
    found = await _load(connection, key.scope, key.name)
    return found[0] if found else None


async def _load(connection: Connection, scope: WriteScope, name: str | None) -> list[Policy]:
    cursor = await connection.execute(load_statement(_STORE, "load_policies"), asdict(scope) | {"name": name})
    return [
        Policy(PolicyKey(scope, row[0]), RetentionTests(**json.loads(row[1])), row[2], row[3].astimezone(UTC))
        for row in await cursor.fetchall()
    ]


async def find_facts(
    connection: Connection, policy: Policy, after: tuple[datetime, str, int] | None, look: int
) -> list[RetentionFacts]:
    """The next live, unlocked records where the policy reaches that may meet it, in the order of a listing."""
    tests = policy.tests
    params = asdict(policy.key.scope) | {
        "older_than_days": tests.older_than_days,
        "source_type": tests.source_type,
        "test_channel": tests.channel,
        "after_at": None if after is None else after[0],
        "after_kind": None if after is None else after[1],
        "after_id": None if after is None else after[2],
        "look": look,
    }
    cursor = await connection.execute(load_statement(_STORE, "find_retention"), params)
    return [_facts(row) for row in await cursor.fetchall()]


async def hold_facts(
    connection: Connection, policy: Policy, refs: Sequence[RecordRef]
) -> dict[RecordRef, RetentionFacts]:
    """Those of `refs` where the policy reaches, held until the transaction ends."""
    params = asdict(policy.key.scope) | {"ids": [ref.id for ref in refs]}
    cursor = await connection.execute(load_statement(_STORE, "hold_retention"), params)
    facts = [_facts(row) for row in await cursor.fetchall()]
    return {one.ref: one for one in facts if one.ref in set(refs)}


async def find_past(connection: Connection, agent_id: AgentId, ids: Sequence[RecordId]) -> dict[RecordId, datetime]:
    """Until when those of `ids` were true that are asserted to be true no more (UTC)."""
    params = {"agent_id": agent_id, "ids": list(ids)}
    cursor = await connection.execute(load_statement(_STORE, "find_past"), params)
    return {RecordId(row[0]): row[1].astimezone(UTC) for row in await cursor.fetchall()}


def _key_params(key: PolicyKey) -> dict[str, Any]:
    return asdict(key.scope) | {"name": key.name}


def _facts(row: Sequence[Any]) -> RetentionFacts:
    kind, number, created_at, source_type, channel, locked, retired, now = row
    ref = RecordRef(kind, RecordId(number))
    return RetentionFacts(ref, created_at.astimezone(UTC), source_type, channel, locked, retired, now.astimezone(UTC))
