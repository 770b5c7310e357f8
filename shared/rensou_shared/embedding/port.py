"""What the services ask of an embedding server, whoever made it."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Side(enum.Enum):
    """What a text is to the model: e5, bge and their kin embed questions and passages differently."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class TokenCount:
    """How one text fills the model's window; `count` and `window` are tokens, special ones included."""

    count: int
    window: int
    truncated: bool
    """Exactly when `count` is over `window`."""
    window_end_char: int
    """Code points of the text that the model reads; its length when nothing is truncated."""


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """Vectors of texts, in the order of the texts."""

    vectors: NDArray[np.float32]
    """Shape (texts, dimensions), rows of unit length."""
    counts: tuple[TokenCount, ...] | None
    """One for each text; None when not asked for or not known, which never means that the texts fit."""


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model answers. Vectors are comparable only under one fingerprint."""

    fingerprint: str
    name: str
    dimensions: int
    window: int | None
    """Tokens, special ones included; None when the server does not say."""


class EmbeddingPort(Protocol):
    """An embedding server. Every call ends within `timeout_s` and raises only `EmbeddingError`s.

    Raises:
        EmbeddingUnavailableError: refused, too slow, overloaded or failing; later it may work.
        EmbeddingMalformedError: an answer that cannot be true; later it may be.
        EmbeddingRejectedError: the server will not take this request however often it is sent.
    """

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        """Return one vector for each text; all or nothing. No texts give shape (0, 0)."""
        ...

    async def count(self, texts: Sequence[str], side: Side, timeout_s: float) -> tuple[TokenCount, ...] | None:
        """Return how each text fills the window, or None when the server cannot tell."""
        ...

    async def identity(self, timeout_s: float) -> ModelIdentity:
        """Return which model answers now."""
        ...
