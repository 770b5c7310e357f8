"""The adapter to servers of OpenAI's /v1/embeddings."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rensou_shared.embedding.address import Prefixes, ServerAddress
from rensou_shared.embedding.batches import Batch
from rensou_shared.embedding.calls import PROBE_TEXT, BatchLimits, ServerCalls
from rensou_shared.embedding.checks import check_rows
from rensou_shared.embedding.errors import EmbeddingMalformedError
from rensou_shared.embedding.identity import fingerprint_of, with_prefixes
from rensou_shared.embedding.port import Embedded, ModelIdentity, Side
from rensou_shared.json_types import is_array, is_object

_LIMITS: Final = BatchLimits(64)

Description = Callable[[float], Awaitable[tuple[str, list[object]]]]
"""Returns the model's name and what else is known of it, within a time."""


class OpenAIServer:
    """A `VectorServer` over /v1/embeddings; `describe` says what the kind of server tells of its model."""

    def __init__(
        self,
        address: ServerAddress,
        model: str,
        prefixes: Prefixes,
        calls: ServerCalls,
        describe: Description | None = None,
    ) -> None:
        self._address = address
        self._model = model
        self._prefixes = prefixes
        self._calls = calls
        self._describe = describe
        self._dimensions: int | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        await self._calls.aclose()

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float) -> Embedded:
        """Return one unit vector for each text, in order."""
        prefix = self._prefixes.of(side)
        parts = await self._calls.in_batches([prefix + text for text in texts], _LIMITS, timeout_s, self._embed)
        return Embedded(np.concatenate(parts), None)

    async def identity(self, timeout_s: float) -> ModelIdentity:
        """Return which model answers now, by its name, what its server tells of it, and the width of a vector."""
        deadline = self._calls.now() + timeout_s
        name, known = self._model, list[object]()
        if self._describe is not None:
            name, known = await self._calls.until(deadline, self._describe)
        self._dimensions = None
        left_s = deadline - self._calls.now()
        width = (await self.embed([PROBE_TEXT], Side.PASSAGE, left_s)).vectors.shape[1]
        identity = ModelIdentity(fingerprint_of("openai", [name, width, *known]), name, width, None)
        return with_prefixes(identity, self._prefixes.query, self._prefixes.passage)

    async def _embed(self, batch: Batch, timeout_s: float) -> NDArray[np.float32]:
        model = b'"model":' + json.dumps(self._model).encode() + b"," if self._model else b""
        body = b"{" + model + b'"input":[' + b",".join(batch.encoded) + b'],"encoding_format":"float"}'
        answer = await self._calls.post(self._address.url, body, timeout_s)
        vectors = check_rows(_rows(answer, len(batch.texts)), len(batch.texts), self._dimensions)
        self._dimensions = vectors.shape[1]
        return vectors


def _rows(answer: Mapping[str, object], texts: int) -> list[object]:
    """Return the vectors of an answer by their index.

    Raises:
        EmbeddingMalformedError: not one entry for each text, an index that is none or comes twice.
    """
    data = answer.get("data")
    if not is_array(data) or len(data) != texts:
        raise EmbeddingMalformedError(f"not {texts} vectors for {texts} texts")
    rows: dict[int, object] = {}
    for entry in data:
        index = entry.get("index") if is_object(entry) else None
        if not is_object(entry) or type(index) is not int or not 0 <= index < texts or index in rows:
            raise EmbeddingMalformedError("an index that names no text, or a text twice")
        rows[index] = entry.get("embedding")
    return [rows[index] for index in range(texts)]
