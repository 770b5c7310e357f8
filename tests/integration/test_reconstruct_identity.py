"""Invariant 2: with nothing declared, Reconstruct answers to the byte as with its stages of the graph made identity."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.conversations import Conversation, load_conversations
from rensou_nodeworker.store.sweeps import fold_term_deltas
from rensou_recall.convert.reconstruct import decode_reconstruct, encode_reconstruct
from rensou_recall.pipelines import reconstruct as pipeline
from rensou_recall.pipelines.confidence import Confidences
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.store import store_batch
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.evidence import Cluster, DeclaredGraph, Draft, Walked
from rensou_recall.types.expansion import Expansion
from rensou_recall.types.records import NewRecord, Source
from rensou_recall.types.storing import StoreItem, StoreResult
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.errors import RensouError
from rensou_shared.ids import AgentId
from rensou_shared.scope import WriteScope
from tests.conftest import DatabaseDsns
from tests.integration.declared_world import TABLES
from tests.integration.rensou_world import deps_on
from tests.integration.word_embedding import WordEmbedding

TIMEOUT_S = 60.0
ANYBODY = Principal("test", frozenset({"*"}), operator=False)
# A file of conversations with questions about them (rensou_embedded.conversations says its form), asked as a whole.
FILE = os.environ.get("RENSOU_TEST_LOCOMO", "")
BOUNDS: Sequence[dict[str, int]] = ({}, {"count": 3, "top_k": 5, "max_hops": 5, "max_evidence": 2, "budget_chars": 900})


def small_file(folder: Path) -> Path:
    """Two made-up conversations: what was said twice, at once, at length, and by whom."""
    things = ("old clock", "boat", "kettle", "map of Lisbon", "明日の凧")
    conversations = [
        {
            "id": name,
            "records": [
                {
                    "id": f"{name}{number}",
                    "session": str(number // 8),
                    "time": f"2024-05-0{1 + number // 8}T10:00:{number % 8 * 7:02}+00:00",
                    "speaker": ("Mira", "Kenji")[number % 2],
                    "text": f"Did I say that the {things[number % 5]} is number {number // 3}? "
                    + "It stood in the harbour for years. " * (40 if number % 11 == 0 else number % 3),
                }
                for number in range(40)
            ],
            "questions": [
                {"id": f"q{number}", "category": "1", "question": question, "evidence": [f"{name}0"]}
                for number, question in enumerate(
                    [f"Who speaks of the {thing}?" for thing in things]
                    + ["When was the harbour empty?", "凧", "nothing like it", "Mira Kenji number 3", "!?"]
                )
            ],
        }
        for name in ("a", "b")
    ]
    path = folder / "small.json"
    path.write_text(json.dumps({"conversations": conversations}), "utf-8")
    return path


@dataclass(frozen=True, slots=True)
class Service:
    """The pipelines on a database of the test's own."""

    dsns: DatabaseDsns
    deps: Deps

    def call(self) -> Call:
        return Call(ANYBODY, asyncio.get_running_loop().time() + TIMEOUT_S)

    async def store(self, conversation: Conversation) -> None:
        """Stores what was said, the conversation being the agent; the worker's counts are folded."""
        agent = AgentId(f"conversation-{conversation.id}")
        items = [
            StoreItem(
                WriteScope(agent, "", ""),
                NewRecord(
                    "mem",
                    turn.text,
                    source=Source("User", turn.speaker, turn.speaker),
                    session_id=turn.session,
                    occurred_at=turn.occurred_at,
                ),
                None,
            )
            for turn in conversation.turns
        ]
        for start in range(0, len(items), 100):
            stored = await store_batch(self.deps, self.call(), items[start : start + 100])
            assert all(isinstance(one, StoreResult) for one in stored)
        worker = Database(self.dsns.worker, PoolSize(1, 1))
        await worker.open(TIMEOUT_S)
        async with worker.transaction(agent, TIMEOUT_S) as connection:
            await fold_term_deltas(connection, agent, 1_000_000)
        await worker.close()

    async def answers(self, conversations: Sequence[Conversation]) -> list[bytes]:
        """What Reconstruct says to every question under every bound, as it goes over the wire."""
        answers: list[bytes] = []
        for conversation in conversations:
            scope = pb.ReadScope(agent_id=f"conversation-{conversation.id}")
            for question in conversation.questions:
                for bounds in BOUNDS:
                    request = rpc.ReconstructRequest(scope=scope, query=question.text, **bounds)
                    asked = decode_reconstruct(request, ANYBODY)
                    answer = encode_reconstruct(await pipeline.reconstruct(self.deps, self.call(), *asked))
                    answers.append(answer.SerializeToString(deterministic=True))
        return answers


@pytest.fixture
async def service(database_dsns: DatabaseDsns) -> AsyncIterator[Service]:
    """A service that has just started."""
    database = Database(database_dsns.recall, PoolSize(1, 2))
    await database.open(TIMEOUT_S)
    yield Service(database_dsns, deps_on(database, WordEmbedding()))
    await database.close()


def make_graph_stages_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other names, no declared links, nothing declared around or said of the items, and a walk that adds nothing."""

    def nothing(found: Any) -> Any:
        async def read(*_: Any) -> Any:
            return found

        return read

    def stay(window: Sequence[Cluster], *_: Any) -> tuple[Walked, ...]:
        return tuple(Walked((), frozenset(), frozenset()) for _ in window)

    monkeypatch.setattr(pipeline, "_other_names", nothing(Expansion()))
    monkeypatch.setattr(pipeline, "load_pool_links", nothing(()))
    monkeypatch.setattr(pipeline, "load_declared_graph", nothing(DeclaredGraph({}, {}, {})))
    monkeypatch.setattr(pipeline, "walk", stay)

    async def unweighed(_connection: Any, _scope: Any, drafts: Sequence[Draft], *_: Any, **__: Any) -> Any:
        return tuple(drafts), Confidences({}, {})

    monkeypatch.setattr(pipeline, "weigh_drafts", unweighed)


def rename_graph_away(dsns: DatabaseDsns) -> None:
    """Takes the tables of the graph away, so that whoever reads one fails."""
    with psycopg.connect(dsns.admin, autocommit=True) as admin:
        for table in TABLES:
            names = sql.Identifier("rensou", table), sql.Identifier(f"{table}_away")
            admin.execute(sql.SQL("ALTER TABLE {} RENAME TO {}").format(*names))


async def answers_without_graph(
    service: Service, conversations: Sequence[Conversation], monkeypatch: pytest.MonkeyPatch
) -> list[bytes]:
    """The answers of a Reconstruct that has no graph."""
    make_graph_stages_identity(monkeypatch)
    rename_graph_away(service.dsns)
    try:
        return await service.answers(conversations)
    except (RensouError, psycopg.Error) as error:
        raise AssertionError("a graph that is not there was read") from error


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("file", ["", *filter(None, [FILE])])
async def test_invariant_2_with_nothing_declared_reconstruct_answers_as_without_a_graph(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    conversations = load_conversations(Path(file) if file else small_file(tmp_path))
    for conversation in conversations:
        await service.store(conversation)
    with_graph = await service.answers(conversations)
    assert len(set(with_graph)) > 20
    without = await answers_without_graph(service, conversations, monkeypatch)
    differing = sum(one != other for one, other in zip(with_graph, without, strict=True))
    turns = sum(len(one.turns) for one in conversations)
    print(f"{len(conversations)} conversations, {turns} records, {len(with_graph)} answers, {differing} differ")
    assert differing == 0
