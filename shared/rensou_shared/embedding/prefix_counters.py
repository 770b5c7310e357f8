"""Counters over servers that tokenize one text a call and give no offsets: the window's end is searched for."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from rensou_shared.embedding.address import ServerAddress
from rensou_shared.embedding.batches import make_batches
from rensou_shared.embedding.calls import ABSENT_ROUTE, ServerCalls
from rensou_shared.embedding.checks import whole_number
from rensou_shared.embedding.errors import EmbeddingMalformedError, EmbeddingRejectedError
from rensou_shared.embedding.port import TokenCount
from rensou_shared.embedding.window_search import search_window_end
from rensou_shared.json_types import is_array, is_object

_MAX_TEXT_BYTES: Final = 900_000
_AT_ONCE: Final = 4
_STEP_SHARE: Final = 16
_SHORTEST_STEP: Final = 64
# Builds before and beside the present one name no numbers, or put a comma before "increase".
_TOO_LARGE: Final = re.compile(rb"input (?:\((\d{1,9}) tokens\) )?is too large to process")
_BATCH_SIZE: Final = re.compile(rb"current batch size: (\d{1,9})\)")


class Tokenizing(Protocol):
    """What tokenizes one text."""

    async def tokens_of(self, encoded: bytes, timeout_s: float) -> tuple[int, int | None]:
        """Return the tokens of a text (a JSON string), special ones included, and the window if it is known."""
        ...


class PrefixCounter:
    """A `TokenCounter` that finds the window's end by counting prefixes, some ten requests for a text past it."""

    mark = ""

    def __init__(self, tokenizing: Tokenizing, calls: ServerCalls) -> None:
        self._tokenizing = tokenizing
        self._calls = calls

    async def count(self, sent: Sequence[str], timeout_s: float) -> tuple[TokenCount, ...] | None:
        """Return the counts of the texts, each end counted as within the window; None when none can be had."""
        deadline = self._calls.now() + timeout_s
        gate = asyncio.Semaphore(_AT_ONCE)
        _ = make_batches(sent, 1, _MAX_TEXT_BYTES)  # names a text that cannot be sent

        async def one(index: int, text: str) -> TokenCount | None:
            async with gate:
                return await self._count_one(index, text, deadline)

        tasks = [asyncio.create_task(one(index, text)) for index, text in enumerate(sent)]
        try:
            counts = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        known = tuple(count for count in counts if count is not None)
        return known if len(known) == len(counts) else None

    async def window(self, timeout_s: float) -> int | None:
        """Return the window, as a count has it."""
        counts = await self.count(["a"], timeout_s)
        return counts[0].window if counts else None

    async def _count_one(self, index: int, text: str, deadline: float) -> TokenCount | None:
        try:
            return await self._search(text, deadline)
        except EmbeddingRejectedError as error:
            if error.status in ABSENT_ROUTE:
                return None
            is_of_text = error.status in {400, 413, 422}
            raise EmbeddingRejectedError(error.reason, error.status, index if is_of_text else None) from error

    async def _search(self, text: str, deadline: float) -> TokenCount | None:
        count, window = await self._ask(text, deadline)
        if window is None:
            return None
        if count <= window:
            return TokenCount(count, window, False, len(text))
        guess = len(text) * window // count
        search = search_window_end(text, window, guess, max(guess // _STEP_SHARE, _SHORTEST_STEP))
        try:
            end = next(search)
            while True:
                end = search.send((await self._ask(text[:end], deadline))[0])
        except StopIteration as found:
            return TokenCount(count, window, True, min(found.value, len(text) - 1))

    async def _ask(self, text: str, deadline: float) -> tuple[int, int | None]:
        encoded = json.dumps(text, ensure_ascii=False).encode()
        return await self._calls.until(deadline, lambda left_s: self._tokenizing.tokens_of(encoded, left_s))


class VllmTokens:
    """vLLM's /tokenize and /v1/models; `window` lowers what the server says, 0 does not."""

    def __init__(self, address: ServerAddress, model: str, window: int, calls: ServerCalls) -> None:
        self._address = address
        self._model = model
        self._window = window
        self._calls = calls

    async def tokens_of(self, encoded: bytes, timeout_s: float) -> tuple[int, int | None]:
        """See `Tokenizing`."""
        body = b'{"model":' + json.dumps(self._model).encode() + b',"prompt":' + encoded
        answer = await self._calls.post(
            self._address.route("tokenize"), body + b',"add_special_tokens":true}', timeout_s
        )
        count, longest = whole_number(answer.get("count")), whole_number(answer.get("max_model_len"))
        if count is None or not longest:
            raise EmbeddingMalformedError("a token report with a missing or wrong field")
        return count, _lowest(self._window, longest)

    async def describe(self, timeout_s: float) -> tuple[str, list[object]]:
        """Return the model's name and its longest input, as the server lists it."""
        answer = await self._calls.get(self._address.route("v1/models"), timeout_s)
        listed = answer.get("data")
        for model in listed if is_array(listed) else []:
            if is_object(model) and model.get("id") == self._model:
                return self._model, ["vllm", model.get("max_model_len")]
        raise EmbeddingMalformedError("the server does not list the model that is asked for")


class LlamaTokens:
    """llama.cpp's /tokenize and /props. The window is the lowest of `window` (0: unset) and the context that it says.

    A server embeds no more than its physical batch (`-ub`, 512 unless set), which no route reports: `window` has to.
    """

    def __init__(self, address: ServerAddress, model: str, window: int, calls: ServerCalls) -> None:
        self._address = address
        self._model = model
        self._window = window
        self._calls = calls
        self._context: int | None = None
        self._asked = False

    async def tokens_of(self, encoded: bytes, timeout_s: float) -> tuple[int, int | None]:
        """See `Tokenizing`. Words of a text that look like special tokens are words."""
        if not self._asked:
            await self.describe(timeout_s)
        body = b'{"content":' + encoded + b',"add_special":true,"parse_special":false}'
        tokens = (await self._calls.post(self._address.route("tokenize"), body, timeout_s)).get("tokens")
        if not is_array(tokens):
            raise EmbeddingMalformedError("no list of tokens")
        return len(tokens), _lowest(self._window, self._context)

    async def describe(self, timeout_s: float) -> tuple[str, list[object]]:
        """Return the model's name and file and the server's build; the operator's name alone without /props."""
        try:
            props = await self._calls.get(self._address.route("props"), timeout_s)
        except EmbeddingRejectedError as error:
            if error.status not in ABSENT_ROUTE:
                raise
            props: Mapping[str, object] = {}
        settings = props.get("default_generation_settings")
        reported = settings.get("n_ctx") if is_object(settings) else props.get("n_ctx")
        self._context, self._asked = whole_number(reported) or None, True
        path = props.get("model_path")
        name = self._model or (path.rpartition("/")[2] if isinstance(path, str) else "unknown")
        return name, ["llamacpp", path, props.get("build_info")]


def read_llama_refusal(status: int, body: bytes) -> EmbeddingRejectedError | None:
    """Return the refusal in llama.cpp's 500 for a text past its physical batch, as others' 413; of it only numbers.

    Not every build names them. Taken as an outage, one long text would shut the server out for all others.
    """
    match = _TOO_LARGE.search(body) if status == 500 else None
    if match is None:
        return None
    size = _BATCH_SIZE.search(body)
    tokens = f"an input of {int(match[1])} tokens" if match[1] else "an input"
    batch = f"the physical batch (-ub) has {int(size[1])}" if size else "it is past the physical batch (-ub)"
    return EmbeddingRejectedError(f"status 500: {tokens}, {batch}", 413)


def _lowest(window: int, reported: int | None) -> int | None:
    """Return the lower of an operator's window (0: unset) and a server's, None when neither is known."""
    known = [value for value in (window, reported) if value]
    return min(known, default=None)
