"""Calibrations of the relevance gate: measured once for a sample of an agent's records, and kept while it stands."""

import asyncio
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from rensou_recall.pipelines.active_model import ActiveModel, ModelMismatch
from rensou_recall.stages.calibrate import MIN_SAMPLE, SAMPLE, calibrate
from rensou_recall.stages.chunk import chunks
from rensou_recall.stages.unrelated import UNRELATED, UNRELATED_VERSION, Script
from rensou_recall.store.gate import (
    load_sample_vectors,
    load_unrelated_questions,
    save_unrelated_questions,
)
from rensou_recall.types.embedding import Model
from rensou_recall.types.gate import Calibration
from rensou_recall.types.retrieval import SampleDigest
from rensou_shared.db.pool import Connection, Database
from rensou_shared.embedding.errors import EmbeddingError, EmbeddingUnavailableError
from rensou_shared.embedding.port import Side
from rensou_shared.errors import RensouError
from rensou_shared.ids import AgentId, ModelId
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

Matrix = NDArray[np.float32]

# A calibration is 33 numbers.
_KEPT = 10_000
# An embedding server that could not embed the questions is left alone for so long.
_RETRY_S = 30.0
# What embedding the questions and keeping them may take, however soon a caller gives up.
_LEARN_S = 10.0


class Calibrator:
    """Measures how near unrelated questions come to an agent's records.

    The vectors of those questions are kept in the database, so that every process measures alike; the first to need
    them embeds them. A calibration is a function of the agent's records: what is kept here is only never wrong.
    """

    def __init__(self, active: ActiveModel, database: Database) -> None:
        self._active = active
        self._database = database
        self._questions: dict[tuple[ModelId, Script], Matrix] = {}
        self._learning: dict[tuple[ModelId, Script], asyncio.Task[Matrix | None]] = {}
        self._retry_at: dict[tuple[ModelId, Script], float] = {}
        self._kept: OrderedDict[tuple[AgentId, ModelId, Script], tuple[bytes, Calibration]] = OrderedDict()

    async def questions(self, model: Model, script: Script, timeout_s: float) -> Matrix | None:
        """Vectors of the unrelated questions, a row a question; None while there are none."""
        key = (model.id, script)
        known = self._questions.get(key)
        if known is not None:
            return known
        task = self._learning.get(key)
        if task is None:
            if asyncio.get_running_loop().time() < self._retry_at.get(key, 0.0):
                return None
            task = self._learning[key] = asyncio.create_task(self._learn(model, script))
        done, _ = await asyncio.wait({task}, timeout=timeout_s)
        return task.result() if done else None

    async def _learn(self, model: Model, script: Script) -> Matrix | None:
        key = (model.id, script)
        try:
            async with asyncio.timeout(_LEARN_S):
                vectors = await self._stored(model, script)
                if vectors is None:
                    embedded = await self._embedded(model, script)
                    async with self._database.transaction(None, _LEARN_S) as connection:
                        await save_unrelated_questions(connection, model.id, UNRELATED_VERSION, script, embedded)
                    vectors = await self._stored(model, script)
        except (EmbeddingError, ModelMismatch, RensouError, TimeoutError) as error:
            _log.warning("gate_not_calibrated", model=model.fingerprint, script=script, reason=str(error))
            vectors = None
        finally:
            del self._learning[key]
        if vectors is None:
            self._retry_at[key] = asyncio.get_running_loop().time() + _RETRY_S
        else:
            self._questions[key] = vectors
        return vectors

    async def _stored(self, model: Model, script: Script) -> Matrix | None:
        async with self._database.transaction(None, _LEARN_S) as connection:
            vectors = await load_unrelated_questions(connection, model.id, UNRELATED_VERSION, script)
        return vectors if len(vectors) == len(UNRELATED[script]) else None

    async def _embedded(self, model: Model, script: Script) -> Matrix:
        served = await self._active.served(_LEARN_S, asyncio.get_running_loop().time())
        parts = [(await served.server.embed(part, Side.QUERY, _LEARN_S)).vectors for part in chunks(UNRELATED[script])]
        identity = await served.server.identity(_LEARN_S)
        if (identity.fingerprint, parts[0].shape[1]) != (model.fingerprint, model.dimensions):
            # The vectors may be another model's: kept under this one's name they would be wrong for good.
            raise EmbeddingUnavailableError("another model is served meanwhile")
        return np.concatenate(parts)

    async def calibration(
        self,
        connection: Connection,
        agent_id: AgentId,
        sample: SampleDigest,
        model_id: ModelId | None,
        script: Script,
        questions: Matrix | None,
    ) -> Calibration:
        """The calibration of `sample`, the agent's records as they are; not measured without `questions`, or of few."""
        if model_id is None or questions is None or sample.records < MIN_SAMPLE:
            return Calibration(sample.records)
        key = (agent_id, model_id, script)
        kept = self._kept.get(key)
        if kept is not None and kept[0] == sample.digest:
            self._kept.move_to_end(key)
            return kept[1]
        found = await load_sample_vectors(connection, agent_id, model_id, SAMPLE)
        if len(found.vectors) < MIN_SAMPLE:
            return Calibration(found.sample.records)
        measured = calibrate(found.vectors, questions)
        # Vectors that are still to come would change it without changing the digest.
        if found.is_complete:
            self._kept[key] = (found.sample.digest, measured)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return measured
