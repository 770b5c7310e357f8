"""Vectors for questions and records, and the model that they belong to."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from rensou_recall.pipelines.query_cache import QueryCache, Vector
from rensou_recall.stages.chunk import chunks
from rensou_recall.store.models import register_model
from rensou_recall.types.embedding import EmbeddedText, Model
from rensou_recall.types.retrieval import Degradation, DegradationKind
from rensou_shared.db.pool import Database
from rensou_shared.embedding.errors import EmbeddingError
from rensou_shared.embedding.guard import GuardedEmbedding
from rensou_shared.embedding.health import HealthReport
from rensou_shared.embedding.port import EmbeddingPort, ModelIdentity, Side
from rensou_shared.ids import AgentId
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

# Another model behind the same address is a deployment's mistake or its upgrade; either is seen within this time.
_IDENTITY_FRESH_S = 300.0
# Texts of one call that may be at fault, one after the other, before the rest is left to the worker.
_MAX_FAULTY_TEXTS = 3


class ModelMismatch(Exception):
    """The embedding server serves another model than the one whose vectors are stored."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A question's unit vector with its model, or what stood in the way; `was_kept`: no call was made for it."""

    vector: NDArray[np.float32] | None
    model: Model | None
    degradation: Degradation | None
    was_kept: bool = False


class Embedder:
    """The embedding server as the pipelines see it: its faults are answers that say what is missing.

    The model's name is asked for again after a while and after every fault: a server that comes back may be another.
    """

    def __init__(self, port: GuardedEmbedding, database: Database, timeout_s: float) -> None:
        self._port: EmbeddingPort = port
        self._guard = port
        self._database = database
        self._timeout_s = timeout_s
        self._questions = QueryCache()
        self._model: Model | None = None
        self._mismatch_since: datetime | None = None
        self._identity: ModelIdentity | None = None
        self._asked_at = -_IDENTITY_FRESH_S

    @property
    def health(self) -> HealthReport:
        """What the calls so far say of the server."""
        return self._guard.health.report

    @property
    def known_model(self) -> Model | None:
        """The active model as far as this process has met it."""
        return self._model

    @property
    def identity(self) -> ModelIdentity | None:
        """What the server last said that it is."""
        return self._identity

    async def model(self, timeout_s: float, now: float) -> Model:
        """The active model, once the server has said that it serves it.

        Raises:
            EmbeddingError: The server does not say who it is.
            ModelMismatch: It serves another model.
        """
        if self._model is None or now - self._asked_at >= _IDENTITY_FRESH_S or self._mismatch_since is not None:
            await self._ask_identity(timeout_s, now)
        if self._model is None or self._mismatch_since is not None:
            raise ModelMismatch("the embedding server serves another model than the active one")
        return self._model

    async def _ask_identity(self, timeout_s: float, now: float) -> None:
        identity = await self._port.identity(min(timeout_s, self._timeout_s))
        model = await register_model(self._database, identity, timeout_s)
        self._identity, self._model, self._asked_at = identity, model, now
        if (model.fingerprint, model.dimensions) == (identity.fingerprint, identity.dimensions):
            self._mismatch_since = None
            return
        # Vectors that came since the server was last known to be the right one may be another model's.
        self._questions.clear()
        if self._mismatch_since is None:
            self._mismatch_since = datetime.now(UTC)
            _log.error(
                "embedding_model_mismatch",
                active=model.fingerprint,
                active_dimensions=model.dimensions,
                served=identity.fingerprint,
                served_dimensions=identity.dimensions,
            )

    async def query_vector(self, agent_id: AgentId, text: str, timeout_s: float, now: float) -> QueryVector:
        """The question's vector, or why there is none. One that is kept is whole, however the server is.

        Each agent's questions are kept for it alone: how soon an answer comes tells nobody what another has asked.
        """
        timeout_s = min(timeout_s, self._timeout_s)
        own, was_kept = f"{agent_id}\0{text}", True

        async def embed(_: str, remaining_s: float) -> Vector:
            nonlocal was_kept
            was_kept = False
            return (await self._port.embed([text], Side.QUERY, remaining_s)).vectors[0]

        try:
            model = await self.model(timeout_s, now)
            vector = await self._questions.vector(model.fingerprint, own, timeout_s, embed)
        except ModelMismatch as error:
            degradation = Degradation(DegradationKind.MODEL_MISMATCH, str(error), self._mismatch_since)
            return QueryVector(None, None, degradation)
        except EmbeddingError as error:
            return self._without_server(own, error)
        return QueryVector(vector, model, None, was_kept)

    def _without_server(self, own: str, error: EmbeddingError) -> QueryVector:
        """What there is for an agent's question while the server is away: a vector under the model that it last had."""
        self._asked_at = -_IDENTITY_FRESH_S
        model = self._model
        if model is not None and self._mismatch_since is None:
            vector = self._questions.kept(model.fingerprint, own)
            if vector is not None:
                return QueryVector(vector, model, None, was_kept=True)
        report = self.health
        degradation = Degradation(DegradationKind.NO_QUERY_VECTOR, report.reason or str(error), report.failing_since)
        return QueryVector(None, None, degradation)

    async def passages(self, texts: Sequence[str], timeout_s: float, now: float) -> list[EmbeddedText | None]:
        """Each text's unit vector and length in tokens, or None where the server did not answer well in time.

        What is embedded when the time is over is kept; the rest is left to the worker.
        """
        deadline = asyncio.get_running_loop().time() + min(timeout_s, self._timeout_s)
        found: list[EmbeddedText | None] = []
        for chunk in chunks(texts):
            embedded = await self._embed_but_the_faulty(chunk, deadline, now)
            found += embedded
            if not any(embedded):
                break
        return found + [None] * (len(texts) - len(found))

    async def _embed_but_the_faulty(
        self, texts: Sequence[str], deadline: float, now: float
    ) -> list[EmbeddedText | None]:
        """The texts embedded; one that alone is at fault is None, and the others are asked for again without it."""
        found: list[EmbeddedText | None] = [None] * len(texts)
        left = list(range(len(texts)))
        for _ in range(_MAX_FAULTY_TEXTS + 1):
            try:
                vectors = await self._embed([texts[place] for place in left], deadline, now)
            except (EmbeddingError, ModelMismatch) as error:
                self._asked_at = -_IDENTITY_FRESH_S
                _log.warning("texts_not_embedded", texts=len(left), reason=str(error))
                at_fault = getattr(error, "index", None)
                if at_fault is None or len(left) == 1:
                    break
                del left[at_fault]
            else:
                for place, embedded in zip(left, vectors, strict=True):
                    found[place] = embedded
                break
        return found

    async def _embed(self, texts: Sequence[str], deadline: float, now: float) -> list[EmbeddedText]:
        remaining_s = deadline - asyncio.get_running_loop().time()
        model = await self.model(remaining_s, now)
        embedded = await self._port.embed(texts, Side.PASSAGE, remaining_s, with_counts=True)
        counts = embedded.counts or (None,) * len(texts)
        return [
            EmbeddedText(model, vector, None if count is None else count.count)
            for vector, count in zip(embedded.vectors, counts, strict=True)
        ]
