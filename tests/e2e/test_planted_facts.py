"""A fact at any depth of a long record is inside of what Reconstruct quotes of it."""

import uuid

import pytest

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.demo_corpus import DemoLanguage
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import builds_settle, store
from tests.e2e.planted_facts import planted_records

SEED = 5
LANGUAGES: tuple[DemoLanguage, ...] = ("en", "ja")
LEAST = 28
"""Of thirty, fifteen in each language."""
_BUILD_S = 400.0


async def _missed(client: RensouClient, stack: EmbeddedStack, language: DemoLanguage) -> list[str]:
    """The facts that are not inside the quote of their record."""
    agent = f"planted-{language}-{uuid.uuid4().hex[:8]}"
    records = {(await store(client, agent, one.content)).ref: one for one in planted_records(language, SEED)}
    await builds_settle(stack.admin_dsn, agent, _BUILD_S)
    missed: list[str] = []
    for ref, one in records.items():
        for planted in one.planted:
            request = rpc.ReconstructRequest(
                scope=pb.ReadScope(agent_id=agent), query=planted.question, count=len(records), budget_chars=16_000
            )
            items = (await client.recall.Reconstruct(request, timeout=60)).items
            quotes = [claim.quote for item in items for claim in item.claims if claim.ref == ref]
            quotes += [item.quote for item in items if item.head_ref == ref]
            if not any(planted.fact in quote.content for quote in quotes):
                missed.append(planted.fact)
    return missed


# A hundred windows of the model, each the better part of a second, on a machine that has other things to do.
@pytest.mark.timeout(900)
async def test_of_thirty_planted_facts_at_least_twenty_eight_are_inside_the_quote(
    client: RensouClient, stack: EmbeddedStack
) -> None:
    missed = [fact for language in LANGUAGES for fact in await _missed(client, stack, language)]
    assert 30 - len(missed) >= LEAST, missed
