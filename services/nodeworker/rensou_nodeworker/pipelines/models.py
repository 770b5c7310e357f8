"""Which model's vectors may be stored."""

import asyncio
from collections.abc import Callable

from rensou_nodeworker.store.models import load_active_model, register_model
from rensou_nodeworker.types.derived import Model, ModelMismatchError
from rensou_shared.db.pool import Database
from rensou_shared.embedding.port import EmbeddingPort, ModelIdentity
from rensou_shared.errors import DatabaseUnavailable
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

FRESH_S = 30.0
DATABASE_TIMEOUT_S = 10.0


class ServedModel:
    """The active model, once the embedding server has said that it serves it."""

    def __init__(
        self, database: Database, port: EmbeddingPort, embedding_timeout_s: float, now: Callable[[], float]
    ) -> None:
        self._database = database
        self._port = port
        self._embedding_timeout_s = embedding_timeout_s
        self._now = now
        self._model: Model | None = None
        self._asked_at = 0.0
        self._asking = asyncio.Lock()

    async def active(self) -> Model:
        """The active model; the server and the database are asked at most every half minute.

        Raises:
            EmbeddingError: The server does not say who it is.
            ModelMismatchError: It serves another model.
            RensouError: The database does not answer.
        """
        async with self._asking:
            if self._model is None or self._now() - self._asked_at >= FRESH_S:
                self._model = None
                self._model = await self._ask()
                self._asked_at = self._now()
            return self._model

    async def confirm(self, model: Model) -> None:
        """Returns when the server still serves `model`: what it embedded between the two questions is that model's.

        Raises:
            EmbeddingError: The server does not say who it is.
            ModelMismatchError: It serves another model.
        """
        identity = await self._port.identity(self._embedding_timeout_s)
        if not _serves(identity, model):
            self._model = None
            raise _mismatch(identity, model)

    async def _ask(self) -> Model:
        identity = await self._port.identity(self._embedding_timeout_s)
        async with self._database.transaction(None, DATABASE_TIMEOUT_S) as connection:
            model = await load_active_model(connection) or await register_model(connection, identity)
        if model is None:
            raise DatabaseUnavailable("the database has no active embedding model")
        if not _serves(identity, model):
            raise _mismatch(identity, model)
        return model


def _serves(identity: ModelIdentity, model: Model) -> bool:
    return (identity.fingerprint, identity.dimensions) == (model.fingerprint, model.dimensions)


def _mismatch(identity: ModelIdentity, model: Model) -> ModelMismatchError:
    _log.error(
        "embedding_model_mismatch",
        active=model.fingerprint,
        active_dimensions=model.dimensions,
        served=identity.fingerprint,
        served_dimensions=identity.dimensions,
    )
    return ModelMismatchError("the embedding server serves another model than the active one")
