"""A small scope beside a big one that lies nearer to the question gets its whole answer."""

import uuid
from dataclasses import dataclass

import pytest

from rensou.v1 import gate_pb2
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import found, recall, rows, store, store_many

QUERY = "When does the ferry to the island leave?"
NEAR = "The ferry to the island leaves at seven."
FAR = [f"The baker sold {number} loaves of bread before noon." for number in range(20)]
BIG = 5_000
# Bread has nothing to do with the ferry: the gate would refuse what is asked for here.
OPEN = {"gate": gate_pb2.GATE_OFF}

# Copies of one record with its vector and its terms, as many as no test could embed. In one statement: the reconciler
# would ask for what a copy lacks.
_COPY = """
WITH original AS (
  SELECT r.* FROM records r WHERE r.agent_id = %s AND r.content = %s
),
copy AS (
  INSERT INTO records (agent_id, kind, project_id, content, session_id)
  SELECT o.agent_id, o.kind, o.project_id, o.content, 'copy-' || n FROM original o CROSS JOIN generate_series(1, %s) n
  RETURNING agent_id, id, project_id, channel, source_id
),
terms AS (
  INSERT INTO record_terms (
    agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words, trigrams
  )
  SELECT c.agent_id, c.id, t.terms_version, c.project_id, c.channel, c.source_id, t.hashes, t.words, t.trigrams
  FROM copy c CROSS JOIN original o JOIN record_terms t ON t.agent_id = o.agent_id AND t.record_id = o.id
)
INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding, token_count)
SELECT c.agent_id, c.id, v.model_id, c.project_id, c.channel, c.source_id, v.embedding, v.token_count
FROM copy c CROSS JOIN original o JOIN record_vectors v ON v.agent_id = o.agent_id AND v.record_id = o.id
"""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The big agent, and the small one with its refs."""

    big: str
    small: str
    small_refs: list[str]


async def _grow(stack: EmbeddedStack, client: RensouClient, agent: str, project: str) -> None:
    await store(client, agent, NEAR, scope=pb.WriteScope(agent_id=agent, project_id=project))
    await rows(stack.admin_dsn, _COPY, agent, NEAR, BIG)
    ((count,),) = await rows(stack.admin_dsn, "SELECT count(*) FROM record_vectors WHERE agent_id = %s", agent)
    assert count == BIG + 1


@pytest.fixture(scope="module")
async def neighbours(stack: EmbeddedStack) -> Neighbours:
    """5,001 records next to the question of one agent, 20 far ones of another."""
    big, small = (f"agent-{uuid.uuid4().hex[:12]}" for _ in range(2))
    async with RensouClient(stack.grpc_address) as client:
        await _grow(stack, client, big, "")
        refs = await store_many(client, small, FAR)
    return Neighbours(big, small, refs)


async def _exact(stack: EmbeddedStack, neighbours: Neighbours) -> list[str]:
    """The small agent's refs by their distance from the near record's vector, which stands for the question's."""
    near = "(SELECT q.embedding FROM record_vectors q WHERE q.agent_id = %s LIMIT 1)"
    ordered = await rows(
        stack.admin_dsn,
        f"SELECT 'mem:' || v.record_id FROM record_vectors v WHERE v.agent_id = %s ORDER BY v.embedding <=> {near}",
        neighbours.small,
        neighbours.big,
    )
    return [ref for (ref,) in ordered]


async def test_a_small_agent_beside_a_big_one_gets_all_ten_that_it_asks_for(
    client: RensouClient, neighbours: Neighbours
) -> None:
    """B11"""
    answer = await recall(client, neighbours.small, QUERY, limit=10, **OPEN)
    refs = [hit.record.ref for hit in answer.hits]
    assert len(refs) == 10 and set(refs) <= set(neighbours.small_refs)
    assert all(any(vote.arm == pb.ARM_VECTOR for vote in hit.explanation.votes) for hit in answer.hits)


async def test_a_small_agent_gets_every_record_when_it_asks_for_more_than_it_has(
    client: RensouClient, neighbours: Neighbours
) -> None:
    """B11"""
    assert sorted(await found(client, neighbours.small, QUERY, limit=100, **OPEN)) == sorted(neighbours.small_refs)


async def test_the_vector_arm_ranks_as_an_exact_scan_does(
    client: RensouClient, stack: EmbeddedStack, neighbours: Neighbours
) -> None:
    """B11"""
    answer = await recall(client, neighbours.small, NEAR, limit=20, **OPEN)
    votes = {hit.record.ref: vote for hit in answer.hits for vote in hit.explanation.votes if vote.arm == pb.ARM_VECTOR}
    ranked = sorted(votes, key=lambda ref: votes[ref].rank)
    exact = await _exact(stack, neighbours)
    assert len(ranked) == len(exact) == len(FAR)
    # A question and a passage have other prefixes, so that neighbours may change places.
    assert len(set(ranked[:10]) & set(exact[:10])) >= 7


async def test_a_small_project_beside_a_big_one_gets_all_ten_that_it_asks_for(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B11"""
    await _grow(stack, client, agent, "big")
    refs = await store_many(client, agent, FAR, scope=pb.WriteScope(agent_id=agent, project_id="small"))
    scope = pb.ReadScope(agent_id=agent, project_id="small")
    hits = await found(client, agent, QUERY, scope=scope, limit=10, **OPEN)
    assert len(hits) == 10 and set(hits) <= set(refs)


async def test_ten_come_back_after_the_nearest_forty_were_forgotten(client: RensouClient, agent: str) -> None:
    """B11"""
    near = await store_many(client, agent, [f"{NEAR} ({number})" for number in range(40)])
    far = await store_many(client, agent, FAR)
    await client.lifecycle.Forget(life.ForgetRequest(agent_id=agent, refs=near, mode=life.FORGET_MODE_HARD), timeout=60)
    hits = await found(client, agent, QUERY, limit=10, **OPEN)
    assert len(hits) == 10 and set(hits) <= set(far)
