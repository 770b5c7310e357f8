"""What the CEmbedding adapter makes of token reports and of what a server says that it is."""

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
    token_info_of,
)

TIMEOUT_S = 5.0


@pytest_asyncio.fixture
async def server() -> AsyncIterator[LyingServer]:
    async with lying_server() as running:
        yield running


def client_of(server: LyingServer, **config: Any) -> CEmbedding:
    """A client that does not wait between attempts."""
    return CEmbedding(CEmbeddingConfig(server.url, **config), backoff=Backoff(attempts=3, base_s=0.0))


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_a_server_without_the_route_cannot_count(server: LyingServer, status: int) -> None:
    server.always = says({"error": "no such route"}, status)
    async with client_of(server) as client:
        assert await client.count(["a"], Side.PASSAGE, TIMEOUT_S) is None


async def test_a_null_report_is_unknown_even_for_one_batch(server: LyingServer) -> None:
    server.script = [honest, says({"token_info": None})]
    async with client_of(server, max_batch_texts=1) as client:
        assert await client.count(["a", "b"], Side.PASSAGE, TIMEOUT_S) is None


GOOD = token_info_of("ab")
WRONG_REPORTS = {
    "short": [],
    "long": [GOOD, GOOD],
    "no list": GOOD,
    "no object": [3],
    "missing": [{"count": 4, "window": 12, "truncated": False}],
    "boolean count": [GOOD | {"count": True}],
    "float": [GOOD | {"count": 4.0}],
    "negative": [GOOD | {"count": -1}],
    "no window": [GOOD | {"window": 0, "truncated": True, "window_end_char": 0}],
    "truncated is a number": [GOOD | {"truncated": 0}],
    "truncated against the count": [GOOD | {"truncated": True}],
    "not truncated against the count": [GOOD | {"count": 13}],
    "end past the text": [GOOD | {"count": 13, "truncated": True, "window_end_char": 3}],
    "end before the text's": [GOOD | {"window_end_char": 1}],
}


@pytest.mark.parametrize("wrong", WRONG_REPORTS)
async def test_a_wrong_report_is_refused_whole(server: LyingServer, wrong: str) -> None:
    server.always = says({"token_info": WRONG_REPORTS[wrong]})
    async with client_of(server) as client:
        with pytest.raises(EmbeddingMalformedError):
            await client.count(["ab"], Side.PASSAGE, TIMEOUT_S)


@pytest.mark.parametrize("wrong", WRONG_REPORTS)
async def test_a_wrong_report_beside_vectors_is_unknown(server: LyingServer, wrong: str) -> None:
    server.always = says({"embeddings": [[1, 2, 3, 4]], "token_info": WRONG_REPORTS[wrong]})
    async with client_of(server) as client:
        embedded = await client.embed(["ab"], Side.PASSAGE, TIMEOUT_S, with_counts=True)
    assert embedded.vectors.shape == (1, DIMENSIONS)
    assert embedded.counts is None


async def test_a_server_without_capabilities_is_known_by_its_shape(server: LyingServer) -> None:
    server.script = [says({"error": "no such route"}, 404)]
    async with client_of(server) as client:
        identity = await client.identity(TIMEOUT_S)
    assert identity.fingerprint.startswith("probe:")
    assert (identity.dimensions, identity.window) == (DIMENSIONS, 12)


async def test_an_incomplete_identity_has_a_fingerprint_of_what_it_says(server: LyingServer) -> None:
    said = {"model": "m", "dimensions": 4}
    server.always = says({"identity": said, "incomplete": ["window"], "fingerprint": None})
    async with client_of(server) as client:
        identity = await client.identity(TIMEOUT_S)
    assert identity.fingerprint.startswith("partial:")
    assert identity.window is None


IDENTITY = {"model": "m", "dimensions": 4, "window": 12}


@pytest.mark.parametrize(
    "capabilities",
    [
        {},
        {"identity": IDENTITY, "incomplete": [], "fingerprint": None},
        {"identity": IDENTITY, "incomplete": ["digests"], "fingerprint": "1:abc"},
        {"identity": IDENTITY, "incomplete": [], "fingerprint": 7},
        {"identity": IDENTITY, "incomplete": 7, "fingerprint": "1:abc"},
        {"identity": IDENTITY | {"model": None}, "incomplete": [], "fingerprint": "1:abc"},
        {"identity": IDENTITY | {"dimensions": 0}, "incomplete": [], "fingerprint": "1:abc"},
        {"identity": IDENTITY | {"dimensions": 16_385}, "incomplete": [], "fingerprint": "1:abc"},
        {"identity": IDENTITY | {"window": "12"}, "incomplete": [], "fingerprint": "1:abc"},
    ],
)
async def test_capabilities_that_contradict_themselves_are_refused(server: LyingServer, capabilities: Any) -> None:
    server.always = says(capabilities)
    async with client_of(server) as client:
        with pytest.raises(EmbeddingMalformedError):
            await client.identity(TIMEOUT_S)
