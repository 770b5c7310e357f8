"""Two embedding servers of one width whose vectors have nothing to do with each other, and a deployment on both."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.conftest import DatabaseDsns, fresh_database
from tests.e2e.harness import Service, eventually, own_recall, recall, rows, service, service_environ
from tests.unit.lying_embedding_server import Answer, LyingServer, Request, lying_server, says

DIMENSIONS = 8
TOKEN = "operator-" + "x" * 20
AWAY = says({"error": "too many"}, status=429, headers={"Retry-After": "1"})

_VECTORS = """
SELECT m.fingerprint, r.content, v.embedding::real[] FROM record_vectors v
JOIN records r ON r.agent_id = v.agent_id AND r.id = v.record_id
JOIN embedding_models m ON m.id = v.model_id
WHERE v.agent_id = %s ORDER BY m.fingerprint, r.id
"""
_NODES = """
SELECT r.content, n.start_char, n.end_char, n.embedding::real[] FROM record_nodes n
JOIN records r ON r.agent_id = n.agent_id AND r.id = n.record_id
JOIN embedding_models m ON m.id = n.model_id
WHERE n.agent_id = %s AND m.fingerprint = %s ORDER BY r.id, n.node_index
"""


@dataclass(frozen=True, slots=True)
class FakeModel:
    """A model whose vectors are digests of its name and the text; a token is a code point, two more are special."""

    name: str
    window: int
    pause_s: float = 0.0

    @property
    def fingerprint(self) -> str:
        return f"1:{self.name}"

    def vector(self, text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The text's unit vector."""
        seed = int.from_bytes(sha256(f"{self.name}\0{text}".encode()).digest()[:8], "big")
        drawn = np.random.default_rng(seed).standard_normal(DIMENSIONS)
        return drawn / np.linalg.norm(drawn)

    def cosine(self, question: str, text: str) -> float:
        """How near the two texts are under this model."""
        return float(self.vector(question) @ self.vector(text))

    async def answer(self, request: Request) -> web.StreamResponse:
        """What a server of this model says."""
        if request.route == "capabilities":
            identity = {"provider": "test", "model": self.name, "dimensions": DIMENSIONS, "window": self.window}
            return _json({"identity": identity, "incomplete": [], "fingerprint": self.fingerprint})
        info = [self._count(text) for text in request.texts]
        if request.route == "count_tokens":
            return _json({"token_info": info})
        await asyncio.sleep(self.pause_s)
        vectors = [self.vector(text).tolist() for text in request.texts]
        counted = {"token_info": info} if request.body.get("token_info") else {}
        return _json({"embeddings": vectors, "dimensions": DIMENSIONS} | counted)

    def refusing_texts(self) -> Answer:
        """The server says who it is, and embeds nothing."""

        async def answer(request: Request) -> web.StreamResponse:
            return await (self.answer if request.route == "capabilities" else AWAY)(request)

        return answer

    def _count(self, text: str) -> dict[str, Any]:
        count = len(text) + 2
        is_cut = count > self.window
        end = self.window - 2 if is_cut else len(text)
        return {"count": count, "window": self.window, "truncated": is_cut, "window_end_char": end}


def _json(body: dict[str, Any]) -> web.Response:
    return web.Response(text=json.dumps(body), content_type="application/json")


OLD, NEW = FakeModel("old", 60), FakeModel("new", 50)
SLOW_NEW = FakeModel("new", 50, pause_s=0.04)


@dataclass(frozen=True, slots=True)
class TwoModels:
    """The deployment: `client` is of a recall service that is open, `operator` of one that asks for tokens."""

    dsns: DatabaseDsns
    present: LyingServer
    following: LyingServer
    client: RensouClient
    operator: RensouClient
    operator_address: str
    folder: Path

    async def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement, run by the superuser."""
        return await rows(self.dsns.admin, statement, *parameters)

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[Service]:
        """A worker and a reconciler that look often."""
        environ = service_environ(
            database_url=self.dsns.worker,
            embedding_url=self.present.url,
            embedding_next_url=self.following.url,
            lease_s="3",
            reconcile_interval_s="0.1",
            sweep_interval_s="0.3",
            max_jobs="2",
        )
        log = self.folder / f"two-models-{self.dsns.admin.rpartition('/')[2][:20]}.log"
        async with service(log, "rensou_nodeworker", environ=environ) as one:
            async with service(log, "rensou_nodeworker", "reconciler", environ=environ):
                yield one

    async def models(self) -> dict[str, admin.EmbeddingModel]:
        """The models by their names."""
        listed = await self.operator.admin.ListEmbeddingModels(
            admin.ListEmbeddingModelsRequest(), metadata=_bearer(), timeout=30
        )
        return {model.name: model for model in listed.models}

    async def activate(self, model: FakeModel, **fields: Any) -> admin.ActivateEmbeddingModelResponse:
        """What the operator's activation says."""
        request = admin.ActivateEmbeddingModelRequest(fingerprint=model.fingerprint, **fields)
        return await self.operator.admin.ActivateEmbeddingModel(request, metadata=_bearer(), timeout=30)

    async def is_built(self, model: FakeModel) -> None:
        """Returns when no record lacks anything under the model."""

        async def reached() -> bool:
            await self.rows("UPDATE node_builds SET next_at = now() WHERE state = 'pending' AND next_at > now()")
            known = await self.models()
            return model.name in known and known[model.name].lacking == 0

        await eventually(reached, f"{model.name} is not built", 120)

    async def check_vectors(self, agent: str, model: FakeModel, texts: Sequence[str]) -> None:
        """The agent's vectors and nodes under the model are its own, of these texts and no others."""
        found = [(text, vector) for name, text, vector in await self.rows(_VECTORS, agent) if name == model.fingerprint]
        assert sorted(text for text, _ in found) == sorted(texts)
        assert all(vector == pytest.approx(model.vector(text), abs=2e-3) for text, vector in found)
        nodes = await self.rows(_NODES, agent, model.fingerprint)
        assert {text for text, *_ in nodes} == {text for text in texts if len(text) + 2 > model.window}
        for text, start, end, vector in nodes:
            assert vector == pytest.approx(model.vector(text[start:end]), abs=2e-3)


def _bearer() -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {TOKEN}")]


def scores(answer: rpc.RecallResponse) -> dict[str, float]:
    """What the vector arm scored each text."""
    return {
        hit.quote.content: vote.score
        for hit in answer.hits
        for vote in hit.explanation.votes
        if vote.arm == pb.ARM_VECTOR
    }


def is_of(model: FakeModel, question: str, answer: rpc.RecallResponse) -> bool:
    """Whether each score of the vector arm is that of the model."""
    found = scores(answer)
    return found == pytest.approx({text: model.cosine(question, text) for text in found}, abs=4e-3)


async def answered_by(world: TwoModels, agent: str, question: str, texts: Sequence[str]) -> FakeModel:
    """The one model under which all of `texts` are scored."""
    answer = await recall(world.client, agent, question, limit=50)
    assert set(scores(answer)) == set(texts) and not answer.HasField("degradation")
    (model,) = [one for one in (OLD, NEW) if is_of(one, question, answer)]
    return model


@contextmanager
def _tokens(folder: Path) -> Iterator[Path]:
    path = folder / "operator.json"
    entry = {"name": "operator", "token": TOKEN, "agents": ["*"], "operator": True}
    path.write_text(json.dumps({"tokens": [entry]}), encoding="utf-8")
    yield path


@asynccontextmanager
async def two_models(postgres: str, folder: Path) -> AsyncIterator[TwoModels]:
    """The deployment without its worker; the old model's server is the present one."""
    async with AsyncExitStack() as parts:
        dsns = await parts.enter_async_context(fresh_database(postgres))
        present, following = [await parts.enter_async_context(lying_server()) for _ in range(2)]
        present.always, following.always = OLD.answer, NEW.answer
        settings = {
            "database_url": dsns.recall,
            "embedding_url": present.url,
            "embedding_next_url": following.url,
            "embedding_timeout_s": "5",
        }
        tokens = parts.enter_context(_tokens(folder))
        open_one = await parts.enter_async_context(own_recall(folder, **settings))
        guarded = await parts.enter_async_context(own_recall(folder, **settings, tokens_file=str(tokens)))
        clients = [await parts.enter_async_context(RensouClient(one.address)) for one in (open_one, guarded)]
        yield TwoModels(dsns, present, following, clients[0], clients[1], guarded.address, folder)
