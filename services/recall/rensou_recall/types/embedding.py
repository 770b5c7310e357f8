"""The embedding model, and a text under it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rensou_shared.ids import ModelId


@dataclass(frozen=True, slots=True)
class Model:
    """A registered embedding model; `token_window` is None when its server cannot tell."""

    id: ModelId
    fingerprint: str
    name: str
    dimensions: int
    token_window: int | None


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """A text's unit vector, float32, and its length in tokens (None: unknown, which never means that it fits)."""

    model: Model
    vector: NDArray[np.float32]
    token_count: int | None

    @property
    def past_window(self) -> bool:
        """Whether the text is known to be past the model's window."""
        window = self.model.token_window
        return window is not None and self.token_count is not None and self.token_count > window

    @property
    def is_complete(self) -> bool:
        """Whether the vector is all that is to be derived: the text is known to fit, or nobody can tell."""
        return self.model.token_window is None or (self.token_count is not None and not self.past_window)
