"""The CEmbedding adapter against a server that lies: nothing of a wrong answer is used."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from rensou_shared.embedding.cembedding import CEmbedding
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.errors import (
    EmbeddingMalformedError,
)
from rensou_shared.embedding.port import Side
from rensou_shared.embedding.retry import Backoff
from tests.unit.lying_embedding_server import (
    DIMENSIONS,
    LyingServer,
    honest,
    lying_server,
    says,
)

TIMEOUT_S = 5.0
TEN = [f"text {index}" for index in range(10)]


@pytest_asyncio.fixture
async def server() -> AsyncIterator[LyingServer]:
    async with lying_server() as running:
        yield running


def client_of(server: LyingServer, **config: Any) -> CEmbedding:
    """A client that does not wait between attempts."""
    return CEmbedding(CEmbeddingConfig(server.url, **config), backoff=Backoff(attempts=3, base_s=0.0))


LIES = {
    "short batch": ({"embeddings": [[1, 2, 3, 4]]}, "1 vectors for 2 texts", None),
    "long batch": ({"embeddings": [[1, 2, 3, 4]] * 3}, "3 vectors for 2 texts", None),
    "no embeddings": ({}, "no list of embeddings", None),
    "an object": ({"embeddings": {"0": [1], "1": [1]}}, "no list of embeddings", None),
    "empty vector": ({"embeddings": [[1, 2, 3, 4], []]}, "no vector", 1),
    "null vector": ({"embeddings": [None, [1, 2, 3, 4]]}, "no vector", 0),
    "NaN": ('{"embeddings": [[1, 2, 3, 4], [1, NaN, 3, 4]]}', "finite", 1),
    "infinity": ('{"embeddings": [[1, 2, 3, -Infinity], [1, 2, 3, 4]]}', "finite", 0),
    "past float32": ({"embeddings": [[1, 2, 3, 1e39], [1, 2, 3, 4]]}, "finite", 0),
    "past float64": ('{"embeddings": [[1, 2, 3, 1' + "0" * 400 + "], [1, 2, 3, 4]]}", "finite", 0),
    "null element": ({"embeddings": [[1, 2, 3, 4], [1, None, 3, 4]]}, "no number", 1),
    "boolean": ({"embeddings": [[1, True, 3, 4], [1, 2, 3, 4]]}, "no number", 0),
    "text": ({"embeddings": [[1, "2", 3, 4], [1, 2, 3, 4]]}, "no number", 0),
    "nested": ({"embeddings": [[1, [2], 3, 4], [1, 2, 3, 4]]}, "no number", 0),
    "zeros": ({"embeddings": [[1, 2, 3, 4], [0, 0.0, -0.0, 0]]}, "zero vector", 1),
    "two widths": ({"embeddings": [[1, 2, 3, 4], [1, 2, 3]]}, "3 numbers instead of 4", 1),
    "no JSON": ("<html>", "no JSON", None),
    "half JSON": ('{"embeddings": [[1, 2', "no JSON", None),
    "deep JSON": ("[" * 200_000, "no JSON", None),
    "list": ([[1, 2, 3, 4]] * 2, "no JSON object", None),
    "nothing": ("", "no JSON", None),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_lie_is_never_used_and_names_the_text(server: LyingServer, lie: str) -> None:
    answer, reason, index = LIES[lie]
    server.always = says(answer)
    async with client_of(server) as client:
        with pytest.raises(EmbeddingMalformedError, match=reason) as raised:
            await client.embed(["a", "b"], Side.PASSAGE, TIMEOUT_S)
    assert (raised.value.index, raised.value.transient) == (index, True)
    assert len(server.requests) == 3


async def test_a_lie_told_once_costs_a_retry(server: LyingServer) -> None:
    server.script = [says({"embeddings": [[1, 2, 3, 4]] * 5})]
    async with client_of(server) as client:
        embedded = await client.embed(TEN, Side.PASSAGE, TIMEOUT_S)
    assert embedded.vectors.shape == (10, DIMENSIONS)
    assert len(server.requests) == 2


async def test_a_lie_in_a_later_batch_names_the_text_of_the_call(server: LyingServer) -> None:
    server.script = [honest, *[says({"embeddings": [[0, 0, 0, 0]]})] * 3]
    async with client_of(server, max_batch_texts=3) as client:
        with pytest.raises(EmbeddingMalformedError, match="text 3: a zero vector"):
            await client.embed(["a", "b", "c", "d"], Side.PASSAGE, TIMEOUT_S)


async def test_another_width_than_configured_is_refused(server: LyingServer) -> None:
    async with client_of(server, dimensions=5) as client:
        with pytest.raises(EmbeddingMalformedError, match="4 numbers instead of 5"):
            await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)


async def test_the_first_answer_fixes_the_width(server: LyingServer) -> None:
    server.script = [honest]
    server.always = says({"embeddings": [[1, 2, 3]]})
    async with client_of(server) as client:
        await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)
        with pytest.raises(EmbeddingMalformedError, match="3 numbers instead of 4"):
            await client.embed(["a"], Side.PASSAGE, TIMEOUT_S)
