"""Invariant 1: Recall reads no state of the graph. And what is declared changes nothing of anybody else's."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from rensou.v1 import association_service_pb2 as associations_rpc
from rensou.v1 import gate_pb2 as gates
from rensou.v1 import profile_pb2 as profiles
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import resolution_pb2 as resolution
from rensou.v1 import time_cue_pb2 as cue_pb
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.conftest import DatabaseDsns
from tests.e2e.harness import own_recall
from tests.unit.lying_embedding_server import LyingServer, lying_server

AGENT, OTHER_AGENT = "ann", "bob"
GRAPH = ("entities", "entity_aliases", "entity_mentions", "relations", "entity_edges")
TEXTS = [
    f"{who} {did} the {what} in {where}"
    for who in ("Mira", "Kenji", "明日")
    for did in ("lost", "repaired")
    for what, where in (("old clock", "Kyoto"), ("boat", "the harbour"), ("kettle", "京都の家"), ("map", "Lisbon"))
]
NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
CUE = cue_pb.TimeCue(
    confidence=cue_pb.TIME_CONFIDENCE_SURE,
    period=cue_pb.TimePeriod(after_time=NOON + 5 * HOUR, before_time=NOON + 9 * HOUR),
)
# Ways to ask Recall; GRAPH alone may read what is declared.
WAYS: tuple[dict[str, Any], ...] = (
    {"fusion": pb.FUSION_CONVEX},
    {"resolution": resolution.RESOLUTION_ANY},
    {"fusion": pb.FUSION_RRF},
    {"profile": profiles.PROFILE_DIVERSE},
    {"time_cue": CUE},
    {"time_cue": CUE, "limit": 3, "trace": True},
    *({"gate": level, "trace": True} for level in gates.Gate.values()[1:]),
)
QUERIES = ("who repaired the clock?", "京都", "Mira Kenji Lisbon boat", "nothing like it", " ", "!!!")


@dataclass(frozen=True, slots=True)
class Served:
    """A recall service on a database of the test's own; the same server of vectors throughout."""

    dsns: DatabaseDsns
    server: LyingServer
    client: RensouClient


@pytest.fixture
async def server() -> AsyncIterator[LyingServer]:
    async with lying_server() as one:
        yield one


@pytest.fixture
async def served(database_dsns: DatabaseDsns, server: LyingServer, tmp_path: Path) -> AsyncIterator[Served]:
    addresses = {"database_url": database_dsns.recall, "embedding_url": server.url}
    async with own_recall(tmp_path, **addresses) as one, RensouClient(one.address) as client:
        yield Served(database_dsns, server, client)


async def store_texts(client: RensouClient, agent: str = AGENT) -> list[str]:
    """Refs of the texts, of which every third is in a project and every fourth in a channel."""
    answer: rpc.BatchStoreResponse = await client.recall.BatchStore(
        rpc.BatchStoreRequest(
            requests=[
                rpc.StoreRequest(
                    scope=pb.WriteScope(
                        agent_id=agent,
                        project_id="" if position % 3 else "P",
                        channel="" if position % 4 else "C",
                    ),
                    memory=rpc.MemoryContent(content=text),
                    occurred_time=NOON + position * HOUR,
                )
                for position, text in enumerate(TEXTS)
            ]
        )
    )
    refs = [one.response.ref for one in answer.results]
    assert all(refs)
    return refs


async def declare_much(client: RensouClient, refs: list[str], agent: str = AGENT, project: str = "") -> None:
    """Entities named as the queries' words, their aliases, mentions, and relations of every shape."""
    names = ["Mira", "Kenji", "京都", "clock", "boat", "Lisbon"]
    graph = pb.Associations(
        entities=[pb.EntityDeclaration(name=name, aliases=[f"{name} of {agent}", f"the {name}"]) for name in names],
        relations=[
            *[pb.RelationDeclaration(subject=a, predicate="knows", object=b) for a in names for b in names if a < b],
            *[
                pb.RelationDeclaration(subject=a, predicate="supersedes", object=b)
                for a, b in zip(refs[4::2], refs, strict=False)
            ],
            pb.RelationDeclaration(subject="boat", predicate="told in", object=refs[1]),
        ],
    )
    for ref in refs:
        await client.associations.DeclareAssociations(
            associations_rpc.DeclareAssociationsRequest(
                scope=pb.WriteScope(agent_id=agent, project_id=project), associations=graph, anchor_ref=ref
            )
        )


def scopes(agent: str = AGENT) -> list[pb.ReadScope]:
    return [
        pb.ReadScope(agent_id=agent),
        pb.ReadScope(agent_id=agent, project_id="P"),
        pb.ReadScope(agent_id=agent, project_id="", channel="C"),
    ]


async def recalled(client: RensouClient) -> list[bytes]:
    """The answers to every query in every scope, asked every way; how long a call took is no part of an answer."""
    answers: list[bytes] = []
    for scope in scopes():
        for query in QUERIES:
            for way in WAYS:
                request = rpc.RecallRequest(**({"scope": scope, "query": query, "limit": 20} | way))
                answer: rpc.RecallResponse = await client.recall.Recall(request)
                assert not answer.HasField("degradation")
                answer.trace.ClearField("timings")
                answers.append(answer.SerializeToString(deterministic=True))
    return answers


async def reconstructed(client: RensouClient) -> list[bytes]:
    """The answers of Reconstruct to every query in every scope."""
    answers: list[bytes] = []
    for scope in scopes():
        for query in QUERIES:
            request = rpc.ReconstructRequest(scope=scope, query=query, max_hops=5)
            answer: rpc.ReconstructResponse = await client.recall.Reconstruct(request)
            answers.append(answer.SerializeToString(deterministic=True))
    return answers


def count_rows(admin: str, table: str) -> int:
    with psycopg.connect(admin) as connection:
        row = connection.execute(sql.SQL("SELECT count(*) FROM rensou.{}").format(sql.Identifier(table))).fetchone()
    assert row is not None
    return int(row[0])


def rename_away(admin: str) -> None:
    with psycopg.connect(admin, autocommit=True) as connection:
        for table in GRAPH:
            connection.execute(
                sql.SQL("ALTER TABLE rensou.{} RENAME TO {}").format(
                    sql.Identifier(table), sql.Identifier(f"{table}_away")
                )
            )


async def test_invariant_1_recall_gives_the_same_bytes_with_a_graph_and_without_its_tables(served: Served) -> None:
    refs = await store_texts(served.client)
    with_nothing_declared = await recalled(served.client)
    assert any(with_nothing_declared)
    await declare_much(served.client, refs)
    assert all(count_rows(served.dsns.admin, table) > 0 for table in GRAPH)
    assert await recalled(served.client) == with_nothing_declared
    rename_away(served.dsns.admin)
    assert await recalled(served.client) == with_nothing_declared


async def test_what_others_declare_changes_no_reconstruction(served: Served) -> None:
    await store_texts(served.client)
    with_nothing_declared = await reconstructed(served.client)
    await declare_much(served.client, await store_texts(served.client, OTHER_AGENT), OTHER_AGENT)
    assert count_rows(served.dsns.admin, "entity_edges") > 0
    assert await reconstructed(served.client) == with_nothing_declared


async def test_what_is_declared_does_change_a_reconstruction(served: Served) -> None:
    refs = await store_texts(served.client)
    with_nothing_declared = await reconstructed(served.client)
    await declare_much(served.client, refs)
    assert await reconstructed(served.client) != with_nothing_declared
