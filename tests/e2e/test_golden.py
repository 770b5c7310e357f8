"""Answers about the shipped texts, to the letter, as they were before a record could say what replaced it.

`golden_answers.json` holds one message a line, without what differs from run to run. An answer that is meant to change
is written anew by RENSOU_WRITE_GOLDEN=1, and read before it is committed.
"""

import json
import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from rensou.v1 import gate_pb2 as gates
from rensou.v1 import profile_pb2 as profiles
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import time_cue_pb2 as cues
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.demo_corpus import DemoCorpus, load_demo_corpus
from rensou_embedded.demo_store import store_corpus
from rensou_nodeworker.store.sweeps import fold_term_deltas
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.ids import AgentId
from tests.conftest import DatabaseDsns
from tests.e2e.harness import own_recall
from tests.unit.lying_embedding_server import lying_server

GOLDEN = Path(__file__).with_name("golden_answers.json")
WRITES = "RENSOU_WRITE_GOLDEN"
TIMEOUT_S = 60
# What a clock says, and which build answers.
PASSING = {"createTime", "declareTime", "timings", "serverVersion"}
LAST_DIGITS = 5

MARCH = cues.TimePeriod(after_time=datetime(2026, 3, 1, tzinfo=UTC), before_time=datetime(2026, 4, 1, tzinfo=UTC))
RECALLS: dict[str, dict[str, Any]] = {
    "plain": {},
    "rrf": {"fusion": pb.FUSION_RRF},
    "strict": {"gate": gates.GATE_STRICT},
    "diverse": {"profile": profiles.PROFILE_DIVERSE},
    "cue": {"time_cue": cues.TimeCue(confidence=cues.TIME_CONFIDENCE_SURE, period=MARCH)},
    "bare": {"without": rpc.Step.values()[1:]},
}
RECONSTRUCTS: dict[str, dict[str, Any]] = {
    "plain": {"budget_chars": 800},
    "narrow": {"count": 2, "top_k": 5, "max_hops": 5, "max_evidence": 3, "budget_chars": 800},
}


def settled(message: Message) -> Any:
    """The message without what passes; numbers to the digits that every processor agrees on."""

    def walk(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: walk(value) for key, value in node.items() if key not in PASSING}
        if isinstance(node, list):
            return [walk(one) for one in node]
        return round(node, LAST_DIGITS) if isinstance(node, float) else node

    return walk(MessageToDict(message))


def without_confidence(answer: Any) -> Any:
    """The answer as it was before claims that correct or support each other said how well they are grounded."""
    if isinstance(answer, dict):
        kept = {key: one for key, one in answer.items() if key != "confidence" or "grounds" not in one}
        return {key: without_confidence(one) for key, one in kept.items()}
    return [without_confidence(one) for one in answer] if isinstance(answer, list) else answer


def requests(corpus: DemoCorpus) -> Iterator[tuple[str, str, Message]]:
    """The name of each call, its method and its request."""
    scope = pb.ReadScope(agent_id=f"demo-{corpus.language}")
    script = corpus.script
    questions = [*(one.question for one in script.recalls), script.reconstruct.question, ""]
    for number, question in enumerate(questions):
        for name, fields in RECALLS.items():
            request = rpc.RecallRequest(scope=scope, query=question, limit=3, quote_chars=60, **fields)
            yield f"{corpus.language} recall {name} {number}", "Recall", request
        for name, fields in RECONSTRUCTS.items():
            request = rpc.ReconstructRequest(scope=scope, query=question, **fields)
            yield f"{corpus.language} reconstruct {name} {number}", "Reconstruct", request
    traced = rpc.RecallRequest(scope=scope, query=questions[0], limit=2, quote_chars=60, trace=True)
    yield f"{corpus.language} recall traced", "Recall", traced
    names = {entity.name for one in corpus.associations for entity in one.entities}
    for name in sorted(names):
        walk = rpc.TraverseRequest(scope=scope, entity=name, max_hops=2, limit=5)
        yield f"{corpus.language} traverse {name}", "Traverse", walk


@pytest.fixture
async def client(database_dsns: DatabaseDsns, tmp_path: Path) -> AsyncIterator[RensouClient]:
    """A service over both shipped texts, whose vectors are a function of the text and whose counts are folded."""
    async with (
        lying_server() as server,
        own_recall(tmp_path, database_url=database_dsns.recall, embedding_url=server.url) as one,
        RensouClient(one.address) as client,
    ):
        for language in ("en", "ja"):
            await store_corpus(client, load_demo_corpus(language))
        worker = Database(database_dsns.worker, PoolSize(1, 1))
        await worker.open(TIMEOUT_S)
        for language in ("en", "ja"):
            agent = AgentId(f"demo-{language}")
            async with worker.transaction(agent, TIMEOUT_S) as connection:
                await fold_term_deltas(connection, agent, 1_000_000)
        await worker.close()
        yield client


async def test_nothing_asserted_changes_no_answer(client: RensouClient) -> None:
    answers: dict[str, Any] = {}
    for language in ("en", "ja"):
        for name, method, request in requests(load_demo_corpus(language)):
            answers[name] = settled(await getattr(client.recall, method)(request, timeout=TIMEOUT_S))
    if os.environ.get(WRITES):
        lines = [
            f"{json.dumps(name)}: {json.dumps(answer, ensure_ascii=False, sort_keys=True)}"
            for name, answer in answers.items()
        ]
        GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    golden = json.loads(GOLDEN.read_text("utf-8"))
    assert golden.keys() == answers.keys()
    former = {name: without_confidence(answer) for name, answer in answers.items()}
    assert [name for name in golden if without_confidence(golden[name]) != former[name]] == []
    # The shipped texts declare corrections: of their records there is something to say, and of no others.
    weighed = {name for name in answers if answers[name] != former[name]}
    assert weighed and all(" reconstruct " in name for name in weighed)
