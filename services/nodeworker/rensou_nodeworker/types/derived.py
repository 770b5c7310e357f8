"""What is derived of a record."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rensou_shared.ids import ModelId


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model; `token_window` is None when its server cannot tell."""

    id: ModelId
    fingerprint: str
    dimensions: int
    token_window: int | None


@dataclass(frozen=True, slots=True)
class ModelsInUse:
    """The models that vectors are made under: the active one, and the one that is built beside it."""

    active: Model | None
    building: Model | None


class ModelMismatchError(Exception):
    """The embedding server serves another model than the one asked for: its vectors must not be stored."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A record's present text, its SHA-256 (32 bytes), and whether its terms are of the present version."""

    content: str
    content_sha256: bytes
    has_terms: bool


@dataclass(frozen=True, slots=True)
class VectorState:
    """What stands of a record under one model; `token_count` is None when it is not known."""

    has_vector: bool
    token_count: int | None
    has_nodes: bool
    """Whether there are nodes of the present model, window and divider."""


@dataclass(frozen=True, slots=True, eq=False)
class WholeVector:
    """A record's unit vector, shape (dimensions,), and its length in tokens (None: unknown)."""

    embedding: NDArray[np.float32]
    token_count: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node's span [start_char, end_char) in code points, its tokens and window, its unit vector (dimensions,)."""

    start_char: int
    end_char: int
    token_count: int
    token_window: int
    embedding: NDArray[np.float32]
