"""The bundled embedding server, with an engine that the test holds up."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from rensou_embedded.embedding_engine import DIMENSIONS, Capabilities, Matrix, Side, TokenInfo
from rensou_embedded.embedding_server import EmbeddingServer

ANSWER_S = 5

Client = TestClient[web.Request, web.Application]


class HeldEngine:
    """Embeds nothing before `gate` is open."""

    def __init__(self) -> None:
        self.gate = threading.Event()

    def measure(self, text: str, side: Side) -> TokenInfo:
        del side
        return TokenInfo(len(text), 512, len(text))

    def embed(self, texts: Sequence[str], side: Side) -> Matrix:
        del side
        self.gate.wait(60)
        return np.ones((len(texts), DIMENSIONS), dtype=np.float32)

    def capabilities(self) -> Capabilities:
        return Capabilities({})


@pytest.fixture
def engine() -> HeldEngine:
    return HeldEngine()


@pytest_asyncio.fixture
async def client(engine: HeldEngine) -> AsyncIterator[Client]:
    async with TestClient(TestServer(EmbeddingServer(lambda: engine, None).build_app())) as client:
        while (await client.get("/health")).status != 200:
            pass
        yield client
        engine.gate.set()


@pytest.mark.asyncio
async def test_tokens_are_counted_while_an_embedding_runs(client: Client, engine: HeldEngine) -> None:
    embedding = asyncio.create_task(client.post("/embed", json={"texts": ["long"], "side": "passage"}))
    await asyncio.sleep(0.05)
    counted = await asyncio.wait_for(client.post("/count_tokens", json={"texts": ["four"]}), ANSWER_S)
    assert (await counted.json())["token_info"][0]["count"] == 4
    assert not embedding.done()
    engine.gate.set()
    assert len((await (await embedding).json())["embeddings"]) == 1
