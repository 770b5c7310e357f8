"""Vectors for questions and records, and the model that they belong to."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rensou_recall.pipelines.active_model import ActiveModel, ModelMismatch, Served
from rensou_recall.pipelines.query_cache import QueryCache, Vector
from rensou_recall.stages.chunk import chunks
from rensou_recall.types.embedding import EmbeddedText, Model, ServerReport
from rensou_recall.types.retrieval import Degradation, DegradationKind, VectorQuery
from rensou_shared.embedding.errors import EmbeddingError
from rensou_shared.embedding.health import HealthReport
from rensou_shared.embedding.port import Side
from rensou_shared.ids import AgentId, ModelId
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

# Texts of one call that may be at fault, one after the other, before the rest is left to the worker.
_MAX_FAULTY_TEXTS = 3


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A question's unit vector with its model, or what stood in the way; `was_kept`: no call was made for it."""

    vector: NDArray[np.float32] | None
    model: Model | None
    degradation: Degradation | None
    was_kept: bool = False

    @property
    def model_id(self) -> ModelId | None:
        """The model that the vector is of, or None."""
        return None if self.model is None else self.model.id

    def against(self, ann_above: int) -> VectorQuery | None:
        """What the vector arm is asked; None without a vector."""
        if self.vector is None or self.model is None:
            return None
        return VectorQuery(self.vector, self.model.id, ann_above)


class Embedder:
    """The embedding servers as the pipelines see them: their faults are answers that say what is missing."""

    def __init__(self, active: ActiveModel, timeout_s: float) -> None:
        self._active = active
        self._timeout_s = timeout_s
        self._questions = QueryCache()

    @property
    def health(self) -> HealthReport:
        """What the calls so far say of the active model's server."""
        return self._active.server.health.report

    @property
    def known_model(self) -> Model | None:
        """The active model as far as this process has met it."""
        return self._active.known

    async def model(self, timeout_s: float, now: float) -> Model:
        """The active model, once a server has said that it serves it.

        Raises:
            EmbeddingError: No server is known to serve it, and one does not say who it is.
            ModelMismatch: All serve other models.
        """
        return (await self._served(timeout_s, now)).model

    def forget_model(self) -> None:
        """Another model is active now: what is embedded from here on is that one's."""
        self._active.forget()

    async def is_served(self, fingerprint: str, timeout_s: float) -> bool:
        """Whether a server says that it serves the model of that fingerprint."""
        return await self._active.is_served(fingerprint, min(timeout_s, self._timeout_s))

    async def server_reports(self, timeout_s: float) -> tuple[ServerReport, ...]:
        """Which model each server says that it serves, the main one first."""
        return await self._active.reports(min(timeout_s, self._timeout_s))

    async def _served(self, timeout_s: float, now: float) -> Served:
        try:
            return await self._active.served(timeout_s, now)
        except ModelMismatch:
            # Vectors that came since the server was last known to be the right one may be another model's.
            self._questions.clear()
            raise

    async def query_vector(self, agent_id: AgentId, text: str, timeout_s: float, now: float) -> QueryVector:
        """The question's vector, or why there is none. One that is kept is whole, however the server is.

        Each agent's questions are kept for it alone: how soon an answer comes tells nobody what another has asked.
        """
        timeout_s = min(timeout_s, self._timeout_s)
        own, was_kept = f"{agent_id}\0{text}", True

        async def embed(_: str, remaining_s: float) -> Vector:
            nonlocal was_kept
            was_kept = False
            return (await served.server.embed([text], Side.QUERY, remaining_s)).vectors[0]

        try:
            served = await self._served(timeout_s, now)
            vector = await self._questions.vector(served.model.fingerprint, own, timeout_s, embed)
        except ModelMismatch as error:
            degradation = Degradation(DegradationKind.MODEL_MISMATCH, str(error), self._active.mismatch_since)
            return QueryVector(None, None, degradation)
        except EmbeddingError as error:
            return self._without_server(own, error)
        return QueryVector(vector, served.model, None, was_kept)

    def _without_server(self, own: str, error: EmbeddingError) -> QueryVector:
        """What there is for an agent's question while the server is away: a vector under the model that it last had."""
        self._active.ask_again()
        model = self._active.known
        if model is not None and self._active.mismatch_since is None:
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
                self._active.ask_again()
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
        served = await self._served(remaining_s, now)
        embedded = await served.server.embed(texts, Side.PASSAGE, remaining_s, with_counts=True)
        counts = embedded.counts or (None,) * len(texts)
        return [
            EmbeddedText(served.model, vector, None if count is None else count.count)
            for vector, count in zip(embedded.vectors, counts, strict=True)
        ]
