"""Which model's vectors may be stored, and which embedding server makes them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rensou_nodeworker.store.models import load_models, register_building_model, register_model
from rensou_nodeworker.types.derived import Model, ModelMismatchError
from rensou_shared.db.pool import Database
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.errors import EmbeddingError
from rensou_shared.embedding.port import EmbeddingPort, ModelIdentity
from rensou_shared.errors import DatabaseUnavailable, RensouError
from rensou_shared.ids import ModelId
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

FRESH_S = 30.0
DATABASE_TIMEOUT_S = 10.0


class EmbeddingServer:
    """One embedding server: the way to it, its breaker, and which model it last said that it serves."""

    def __init__(
        self, port: EmbeddingPort, breaker: CircuitBreaker, timeout_s: float, now: Callable[[], float]
    ) -> None:
        self.port = port
        self.breaker = breaker
        self._timeout_s = timeout_s
        self._now = now
        self._identity: ModelIdentity | None = None
        self._asked_at = 0.0
        self._asking = asyncio.Lock()

    async def identity(self) -> ModelIdentity:
        """Which model it serves; it is asked at most every half minute.

        Raises:
            EmbeddingError: It does not say.
        """
        async with self._asking:
            if self._identity is None or self._now() - self._asked_at >= FRESH_S:
                self._identity = None
                self._identity = await self.port.identity(self._timeout_s)
                self._asked_at = self._now()
            return self._identity

    def doubt(self) -> None:
        """It was wanted for another model: it is asked again when it is wanted next."""
        self._identity = None

    async def confirm(self, model: Model) -> None:
        """Returns when it still serves `model`: what it embedded between the two questions is that model's.

        Raises:
            EmbeddingError: It does not say who it is.
            ModelMismatchError: It serves another model.
        """
        identity = await self.port.identity(self._timeout_s)
        if not _serves(identity, model):
            self.doubt()
            raise _mismatch(model, [identity])


@dataclass(frozen=True, slots=True)
class Target:
    """The model that a build is for, and the server that serves it."""

    model: Model
    server: EmbeddingServer


class EmbeddingServers:
    """The present embedding server and, while a model is changed, the one whose model is built beside."""

    def __init__(self, database: Database, present: EmbeddingServer, following: EmbeddingServer | None = None) -> None:
        self._database = database
        self._all = [one for one in (present, following) if one is not None]
        self._following = following
        # Which of them served the active model last: after an activation it is the other one.
        self._serving = present

    def breaker(self, *, rebuild: bool) -> CircuitBreaker:
        """What spares a server the next build, be it a `rebuild` or not. A guess right after an activation."""
        return self._following.breaker if rebuild and self._following is not None else self._serving.breaker

    async def target(self, model_id: ModelId | None) -> Target | None:
        """Where a build for the model (None: the active one) is made; None when nobody needs it made.

        Raises:
            EmbeddingError: A server does not say who it is.
            ModelMismatchError: All serve other models.
            RensouError: The database does not answer.
        """
        async with self._database.transaction(None, DATABASE_TIMEOUT_S) as connection:
            models = await load_models(connection)
        active = models.active or await self._register_first()
        if model_id in (None, active.id):
            others = [one for one in self._all if one is not self._serving]
            self._serving = await _find(active, [self._serving, *others])
            return Target(active, self._serving)
        if models.building is None or model_id != models.building.id or self._following is None:
            return None
        return Target(models.building, await _find(models.building, [self._following]))

    async def _register_first(self) -> Model:
        identity = await self._all[0].identity()
        async with self._database.transaction(None, DATABASE_TIMEOUT_S) as connection:
            model = await register_model(connection, identity)
        if model is None:
            raise DatabaseUnavailable("the database has no active embedding model")
        return model

    async def watch(self) -> None:
        """Has the following server's model built, as long as it serves it; ends only by being cancelled."""
        while self._following is not None:
            try:
                await self._register_following(self._following)
            except (EmbeddingError, RensouError) as error:
                _log.warning("next_embedding_model_unknown", reason=str(error))
            await asyncio.sleep(FRESH_S)

    async def _register_following(self, following: EmbeddingServer) -> None:
        identity = await following.identity()
        async with self._database.transaction(None, DATABASE_TIMEOUT_S) as connection:
            state = await register_building_model(connection, identity)
        _log.info("next_embedding_model", fingerprint=identity.fingerprint, state=state)


async def _find(model: Model, servers: Sequence[EmbeddingServer]) -> EmbeddingServer:
    """The first of `servers` that serves `model`.

    Raises:
        EmbeddingError: None is known to, and one does not say who it is.
        ModelMismatchError: All serve other models.
    """
    said: list[ModelIdentity] = []
    fault: EmbeddingError | None = None
    for server in servers:
        try:
            identity = await server.identity()
        except EmbeddingError as error:
            fault = fault or error
            continue
        if _serves(identity, model):
            return server
        server.doubt()
        said.append(identity)
    raise fault or _mismatch(model, said)


def _serves(identity: ModelIdentity, model: Model) -> bool:
    return (identity.fingerprint, identity.dimensions) == (model.fingerprint, model.dimensions)


def _mismatch(model: Model, said: Sequence[ModelIdentity]) -> ModelMismatchError:
    served = [one.fingerprint for one in said]
    _log.error("embedding_model_mismatch", wanted=model.fingerprint, served=served)
    return ModelMismatchError("the embedding server serves another model than the one asked for")
