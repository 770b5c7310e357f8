"""Token counts by a tokenizer.json at hand: no request, and the exact end of the window."""

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Protocol

from rensou_shared.embedding.errors import EmbeddingUnavailableError
from rensou_shared.embedding.port import TokenCount
from rensou_shared.errors import ConfigurationError


class _Encoding(Protocol):
    @property
    def offsets(self) -> list[tuple[int, int]]: ...

    @property
    def special_tokens_mask(self) -> list[int]: ...


class Tokenizer(Protocol):
    """What is used of `tokenizers.Tokenizer`; offsets are code points of the text."""

    def encode_batch(self, input: list[str]) -> Sequence[_Encoding]:  # noqa: A002 - the library's name
        """Return the tokens of each text, special ones included."""
        ...

    def no_truncation(self) -> None:
        """Count all of a text."""
        ...

    def no_padding(self) -> None:
        """Count nothing else."""
        ...


class _Library(Protocol):
    def from_buffer(self, buffer: bytes) -> Tokenizer: ...


class TokenizerFile:
    """A `TokenCounter` by the model's own tokenizer; `mark` is of the file's content."""

    def __init__(self, tokenizer: Tokenizer, window: int, mark: str) -> None:
        self._tokenizer = tokenizer
        self._window = window
        self._mark = mark

    @property
    def mark(self) -> str:
        """See `TokenCounter`."""
        return self._mark

    async def count(self, sent: Sequence[str], timeout_s: float) -> tuple[TokenCount, ...] | None:
        """Return the counts of the texts."""
        try:
            async with asyncio.timeout(timeout_s):
                return await asyncio.to_thread(self._count, sent)
        except TimeoutError:
            raise EmbeddingUnavailableError(f"no token counts within {timeout_s:.3g} s") from None

    async def window(self, timeout_s: float) -> int | None:
        """Return the operator's window."""
        return self._window

    def _count(self, sent: Sequence[str]) -> tuple[TokenCount, ...]:
        # A lone surrogate is no text of any tokenizer; that one is refused where it is embedded.
        texts = [text.encode(errors="replace").decode() for text in sent]
        encodings = self._tokenizer.encode_batch(texts)
        return tuple(
            count_in_window(encoding, len(text), self._window) for encoding, text in zip(encodings, texts, strict=True)
        )


def open_tokenizer(path: Path, window: int) -> TokenizerFile:
    """Return the counter of a tokenizer.json for a window of `window` tokens, special ones included.

    Raises:
        ConfigurationError: the library is not installed, or the file is not there or no tokenizer.
    """
    try:
        # Named as text: the library is of an extra, and so are its types.
        library: _Library = import_module("tokenizers").Tokenizer
    except ImportError:
        raise ConfigurationError("a tokenizer needs the extra 'tokenizer': pip install 'rensou[tokenizer]'") from None
    try:
        content = path.read_bytes()
        tokenizer = library.from_buffer(content)
    except Exception as error:  # the library raises no narrower one
        raise ConfigurationError(f"{path} is no readable tokenizer.json ({type(error).__name__})") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return TokenizerFile(tokenizer, window, sha256(content).hexdigest())


def count_in_window(encoding: _Encoding, length: int, window: int) -> TokenCount:
    """Return the count of a text of `length` code points and the end of its last token inside the window.

    A character that several tokens share counts as read only when all of them are.
    """
    places = [place for place, mask in zip(encoding.offsets, encoding.special_tokens_mask, strict=True) if not mask]
    count = len(encoding.special_tokens_mask)
    if count <= window:
        return TokenCount(count, window, False, length)
    kept = window - (count - len(places))
    if kept < 1:
        return TokenCount(count, window, True, 0)
    end = places[kept - 1][1]
    if kept < len(places):
        end = min(end, max(places[kept][0], 0))
    return TokenCount(count, window, True, end)
