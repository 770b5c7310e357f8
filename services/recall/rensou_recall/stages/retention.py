"""Whether a record meets a policy, and which policy it is."""

import json
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256

from rensou_recall.types.retention import (
    Ground,
    PolicyKey,
    RetentionFacts,
    RetentionTest,
    RetentionTests,
)

_VERSION = "rensou.v1 retention policy 1"


def policy_digest(key: PolicyKey, tests: RetentionTests) -> str:
    """SHA-256 of the policy's place, name and tests, in hexadecimal; JSON keeps the parts apart."""
    scope = key.scope
    parts = [_VERSION, scope.agent_id, scope.project_id, scope.channel, key.name, tests.as_json]
    return sha256(json.dumps(parts).encode()).hexdigest()


def judge(
    tests: RetentionTests, facts: RetentionFacts, found: Mapping[RetentionTest, Ground]
) -> tuple[Ground, ...] | None:
    """The grounds of a record that meets every test, one a test, in the order of the enum; None when it does not.

    A locked or a retired record meets none. `found` holds what was looked up beyond the record.
    """
    asked = wanted(tests)
    if facts.locked or facts.retired or not asked:
        return None
    grounds = {**_own_grounds(tests, facts), **found}
    if not all(test in grounds for test in asked):
        return None
    return tuple(grounds[test] for test in asked)


def wanted(tests: RetentionTests) -> tuple[RetentionTest, ...]:
    """The tests that are asked, in the order of the enum."""
    return tuple(test for test in RetentionTest if getattr(tests, test.name.lower()) is not None)


def _own_grounds(tests: RetentionTests, facts: RetentionFacts) -> dict[RetentionTest, Ground]:
    """What the record itself meets."""
    grounds: list[Ground] = []
    age = facts.now - facts.created_at
    if tests.older_than_days is not None and age > timedelta(days=tests.older_than_days):
        grounds.append(Ground(RetentionTest.OLDER_THAN_DAYS, str(age.days)))
    if tests.source_type is not None and facts.source_type == tests.source_type:
        grounds.append(Ground(RetentionTest.SOURCE_TYPE, facts.source_type))
    if tests.channel is not None and facts.channel == tests.channel:
        grounds.append(Ground(RetentionTest.CHANNEL, facts.channel))
    return {ground.test: ground for ground in grounds}
