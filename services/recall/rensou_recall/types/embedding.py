"""The embedding model, and a text under it."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from rensou_shared.embedding.port import ModelIdentity
from rensou_shared.ids import ModelId


class ActiveModelChanged(Exception):
    """The vectors at hand are of a model that is no longer the active one: nothing was compared or stored."""


class ModelState(Enum):
    """What a model is used for, as the database names it."""

    BUILDING = "building"
    ACTIVE = "active"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Model:
    """A registered embedding model; `token_window` is None when its server cannot tell."""

    id: ModelId
    fingerprint: str
    name: str
    dimensions: int
    token_window: int | None

    def is_of(self, identity: ModelIdentity) -> bool:
        """Whether a server that says `identity` of itself serves this model."""
        return (identity.fingerprint, identity.dimensions) == (self.fingerprint, self.dimensions)


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model with its state, and how many records of all agents lack their vector or their nodes under it."""

    model: Model
    state: ModelState
    created_at: datetime
    lacking: int


@dataclass(frozen=True, slots=True)
class ServerReport:
    """Which model an embedding server says that it serves; '' when it does not say, and then why."""

    fingerprint: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Activation:
    """What an operator's activation came to.

    Attributes:
        former: Fingerprint of the model that was active before; '' without any.
        fingerprint: Of the model meant.
        lacking: Records of all agents without their vector or their nodes under it.
        activated: Whether the call made it the active one.
    """

    former: str
    fingerprint: str
    lacking: int
    activated: bool

    @property
    def is_active(self) -> bool:
        """Whether the model meant is the active one, since now or before."""
        return self.activated or self.former == self.fingerprint


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
