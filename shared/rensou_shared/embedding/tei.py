"""The adapter to text-embeddings-inference: /embed, /tokenize, /info."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rensou_shared.embedding.address import Prefixes, ServerAddress
from rensou_shared.embedding.batches import Batch
from rensou_shared.embedding.calls import ABSENT_ROUTE, PROBE_TEXT, BatchLimits, ServerCalls, joined_counts
from rensou_shared.embedding.checks import check_rows, whole_number
from rensou_shared.embedding.errors import EmbeddingMalformedError, EmbeddingRejectedError
from rensou_shared.embedding.identity import fingerprint_of, with_prefixes
from rensou_shared.embedding.port import Embedded, ModelIdentity, Side, TokenCount
from rensou_shared.json_types import is_array, is_object

_PREFIX_PROBE = "a"


@dataclass(frozen=True, slots=True)
class TeiInfo:
    """What /info and one answer of /tokenize say of a server."""

    model_id: str
    model_sha: str | None
    dtype: str
    window: int
    """Tokens of an input, special ones included."""
    batch_texts: int
    """The most texts of a request."""
    prefix_bytes: int
    """Length in UTF-8 of the prompt that the server itself puts before texts."""


class TeiServer:
    """A text-embeddings-inference server, as `VectorServer` and as `TokenCounter`."""

    mark = ""

    def __init__(self, address: ServerAddress, prefixes: Prefixes, calls: ServerCalls) -> None:
        self._address = address
        self._prefixes = prefixes
        self._calls = calls
        self._info: TeiInfo | None = None
        self._dimensions: int | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        await self._calls.aclose()

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float) -> Embedded:
        """Return one unit vector for each text; a text past the window is refused, never cut in silence."""
        deadline = self._calls.now() + timeout_s
        prefix = self._prefixes.of(side)
        limits = BatchLimits((await self._known(deadline)).batch_texts)
        sent = [prefix + text for text in texts]
        parts = await self._calls.in_batches(sent, limits, deadline - self._calls.now(), self._embed)
        return Embedded(np.concatenate(parts), None)

    async def count(self, sent: Sequence[str], timeout_s: float) -> tuple[TokenCount, ...] | None:
        """Return the counts of the texts; None when the server has no /tokenize."""
        deadline = self._calls.now() + timeout_s
        try:
            info = await self._known(deadline)
            parts = await self._calls.in_batches(
                sent,
                BatchLimits(info.batch_texts),
                deadline - self._calls.now(),
                lambda batch, left_s: self._count(batch, info, left_s),
            )
        except EmbeddingRejectedError as error:
            if error.status in ABSENT_ROUTE:
                return None
            raise
        return joined_counts(parts)

    async def window(self, timeout_s: float) -> int | None:
        """Return the tokens of the longest input."""
        return (await self._known(self._calls.now() + timeout_s)).window

    async def identity(self, timeout_s: float) -> ModelIdentity:
        """Return which model answers now, by /info and the width of a vector."""
        deadline = self._calls.now() + timeout_s
        self._info, self._dimensions = None, None
        info = await self._known(deadline)
        width = (await self.embed([PROBE_TEXT], Side.PASSAGE, deadline - self._calls.now())).vectors.shape[1]
        known = [info.model_id, info.model_sha, info.dtype, info.window, info.prefix_bytes]
        identity = ModelIdentity(fingerprint_of("tei", known), info.model_id, width, info.window)
        return with_prefixes(identity, self._prefixes.query, self._prefixes.passage)

    async def _known(self, deadline: float) -> TeiInfo:
        if self._info is None:
            self._info = await self._calls.until(deadline, self._ask_info)
        return self._info

    async def _ask_info(self, timeout_s: float) -> TeiInfo:
        deadline = self._calls.now() + timeout_s
        answer = await self._calls.get(self._address.route("info"), timeout_s)
        body = _tokenize_body((json.dumps(_PREFIX_PROBE).encode(),))
        tokens = await self._calls.post_for_list(
            self._address.route("tokenize"), body, max(deadline - self._calls.now(), 0.001)
        )
        return parse_info(answer, prefix_bytes_of(tokens))

    async def _embed(self, batch: Batch, timeout_s: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        body = b'{"inputs":[' + b",".join(batch.encoded) + b'],"truncate":false,"normalize":true}'
        rows = await self._calls.post_for_list(self._address.route("embed"), body, timeout_s)
        vectors = check_rows(rows, len(batch.texts), self._dimensions)
        self._dimensions = vectors.shape[1]
        return vectors

    async def _count(self, batch: Batch, info: TeiInfo, timeout_s: float) -> tuple[TokenCount, ...]:
        body = _tokenize_body(batch.encoded)
        answer = await self._calls.post_for_list(self._address.route("tokenize"), body, timeout_s)
        if len(answer) != len(batch.texts):
            raise EmbeddingMalformedError(f"tokens of {len(answer)} texts for {len(batch.texts)}")
        return tuple(
            parse_tokens(tokens, text, info, index)
            for index, (tokens, text) in enumerate(zip(answer, batch.texts, strict=True))
        )


def parse_info(answer: Mapping[str, object], prefix_bytes: int) -> TeiInfo:
    """Return what an /info answer says.

    Raises:
        EmbeddingMalformedError: a field is missing or wrong.
    """
    model_id, model_sha, dtype = (answer.get(key) for key in ("model_id", "model_sha", "model_dtype"))
    window, batch_texts = (whole_number(answer.get(key)) for key in ("max_input_length", "max_client_batch_size"))
    if not isinstance(model_id, str) or not isinstance(dtype, str) or not isinstance(model_sha, str | None):
        raise EmbeddingMalformedError("the server's information has no model")
    if not window or not batch_texts:
        raise EmbeddingMalformedError("the server's information has no limits")
    return TeiInfo(model_id, model_sha, dtype, window, batch_texts, prefix_bytes)


def prefix_bytes_of(answer: Sequence[object]) -> int:
    """Return how many bytes the server itself put before the one-byte text whose tokens these are.

    Raises:
        EmbeddingMalformedError: the tokens do not reach the text's end.
    """
    places = _content_places(answer[0], 0)[1] if len(answer) == 1 else []
    if not places or places[-1][1] < len(_PREFIX_PROBE):
        raise EmbeddingMalformedError("the tokens do not reach the text's end")
    return places[-1][1] - len(_PREFIX_PROBE)


def parse_tokens(tokens: object, text: str, info: TeiInfo, index: int) -> TokenCount:
    """Return the count in one text's tokens; offsets are bytes of the server's prompt and the text.

    Raises:
        EmbeddingMalformedError: a token is none, or reaches past the text.
    """
    special, places = _content_places(tokens, index)
    encoded = text.encode()
    if places and places[-1][1] > info.prefix_bytes + len(encoded):
        raise EmbeddingMalformedError("a token past the text's end", index)
    count = special + len(places)
    if count <= info.window:
        return TokenCount(count, info.window, False, len(text))
    kept = info.window - special
    # Tokens that share a character have all of it as their place, or end inside of it: it is not read whole either way.
    stop = min(places[kept - 1][1], places[kept][0]) - info.prefix_bytes if kept > 0 else 0
    end = len(encoded[: max(0, stop)].decode(errors="ignore"))
    return TokenCount(count, info.window, True, end)


def _content_places(tokens: object, index: int) -> tuple[int, list[tuple[int, int]]]:
    """Return how many tokens are special, and where each other one begins and ends, in bytes."""
    if not is_array(tokens):
        raise EmbeddingMalformedError("no list of tokens", index)
    special, places = 0, list[tuple[int, int]]()
    for token in tokens:
        if not is_object(token) or not isinstance(token.get("special"), bool):
            raise EmbeddingMalformedError("a token that is none", index)
        if token["special"]:
            special += 1
            continue
        start, stop = whole_number(token.get("start")), whole_number(token.get("stop"))
        if start is None or stop is None or start > stop or (places and stop < places[-1][1]):
            raise EmbeddingMalformedError("a token without its place", index)
        places.append((start, stop))
    return special, places


def _tokenize_body(encoded: Sequence[bytes]) -> bytes:
    return b'{"inputs":[' + b",".join(encoded) + b'],"add_special_tokens":true}'
