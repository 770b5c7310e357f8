"""How long the embedding of a question takes by itself, asked of the stack's own embedding server."""

import time
from types import TracebackType
from typing import Self

import httpx


class EmbeddingProbe:
    """Embeds questions over a kept connection, as the service does."""

    def __init__(self, embedding_url: str, token: str) -> None:
        self._url = embedding_url
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.AsyncClient(headers=headers, timeout=60, trust_env=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def __call__(self, text: str) -> float:
        """Milliseconds of one embedding.

        Raises:
            httpx.HTTPError: The server refused or did not answer.
        """
        started = time.perf_counter()
        response = await self._client.post(self._url, json={"texts": [text], "side": "query"})
        response.raise_for_status()
        return (time.perf_counter() - started) * 1000
