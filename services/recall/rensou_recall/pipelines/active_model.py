"""The active embedding model, and the embedding server that serves it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from rensou_recall.store.models import load_active_model, register_model
from rensou_recall.types.embedding import Model, ServerReport
from rensou_shared.db.pool import Database
from rensou_shared.embedding.errors import EmbeddingError
from rensou_shared.embedding.guard import GuardedEmbedding
from rensou_shared.embedding.port import ModelIdentity
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

# Another model behind the same address is a deployment's mistake or its upgrade; either is seen within this time.
_IDENTITY_FRESH_S = 300.0


class ModelMismatch(Exception):
    """No embedding server serves the model whose vectors are compared."""


@dataclass(frozen=True, slots=True)
class Served:
    """The active model with the server that said that it serves it."""

    model: Model
    server: GuardedEmbedding


class ActiveModel:
    """Knows the active model and finds its server among those that the deployment names, the main one first.

    The servers are asked again after a while and after every fault: one that comes back may be another. That another
    model was activated is seen by the statements that compare and store vectors, which then call `forget`.
    """

    def __init__(self, servers: Sequence[GuardedEmbedding], database: Database, timeout_s: float) -> None:
        self._servers = tuple(servers)
        self._server = self._servers[0]
        self._database = database
        self._timeout_s = timeout_s
        self._model: Model | None = None
        self._mismatch_since: datetime | None = None
        self._asked_at = -_IDENTITY_FRESH_S

    @property
    def known(self) -> Model | None:
        """The active model as far as this process has met it."""
        return self._model

    @property
    def server(self) -> GuardedEmbedding:
        """The server that served the active model last; the main one before any did."""
        return self._server

    @property
    def mismatch_since(self) -> datetime | None:
        """Since when no server serves the active model (UTC); None while one does."""
        return self._mismatch_since

    def ask_again(self) -> None:
        """A server failed: whoever needs it next asks who answers there now."""
        self._asked_at = -_IDENTITY_FRESH_S

    def forget(self) -> None:
        """Another model is active now: it is read anew, and nothing is taken from the former one."""
        self.ask_again()
        self._model = None

    async def served(self, timeout_s: float, now: float) -> Served:
        """The active model, once a server has said that it serves it.

        Raises:
            EmbeddingError: No server is known to serve it, and one does not say who it is.
            ModelMismatch: All serve other models.
        """
        if self._model is None or now - self._asked_at >= _IDENTITY_FRESH_S or self._mismatch_since is not None:
            await self._ask(timeout_s, now)
        if self._model is None or self._mismatch_since is not None:
            raise ModelMismatch("the embedding server serves another model than the active one")
        return Served(self._model, self._server)

    async def is_served(self, fingerprint: str, timeout_s: float) -> bool:
        """Whether a server says that it serves the model of that fingerprint."""
        return any(one.fingerprint == fingerprint for one in await self.reports(timeout_s))

    async def reports(self, timeout_s: float) -> tuple[ServerReport, ...]:
        """What each server says of itself now, the main one first."""
        limit_s = min(timeout_s, self._timeout_s)
        return tuple(await asyncio.gather(*(_report(server, limit_s) for server in self._servers)))

    async def _ask(self, timeout_s: float, now: float) -> None:
        limit_s = min(timeout_s, self._timeout_s)
        model = await load_active_model(self._database, timeout_s)
        if model is None:
            # The first model that a deployment meets is that of its main server.
            model = await register_model(self._database, await self._servers[0].identity(limit_s), timeout_s)
        server, others = await self._find(model, limit_s)
        self._model, self._asked_at = model, now
        if server is not None:
            self._server, self._mismatch_since = server, None
        elif self._mismatch_since is None:
            self._mismatch_since = datetime.now(UTC)
            served = sorted(one.fingerprint for one in others.values())
            _log.error("embedding_model_mismatch", active=model.fingerprint, served=served)

    async def _find(
        self, model: Model, timeout_s: float
    ) -> tuple[GuardedEmbedding | None, Mapping[GuardedEmbedding, ModelIdentity]]:
        """The server of `model`, as soon as one says so, or None; and what the others say.

        All are asked at once: one that does not answer must not take the time of the one that does.

        Raises:
            EmbeddingError: None is known to serve it, and one does not say who it is.
        """
        asks = {asyncio.create_task(server.identity(timeout_s)): server for server in self._servers}
        said: dict[GuardedEmbedding, ModelIdentity] = {}
        waiting, fault = set(asks), None
        try:
            while waiting:
                _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for ask in [one for one in asks if one.done()]:
                    fault = fault or ask.exception()
                    if ask.exception() is None:
                        said[asks[ask]] = ask.result()
                        if model.is_of(ask.result()):
                            return asks[ask], said
        finally:
            for ask in waiting:
                ask.cancel()
            await asyncio.gather(*asks, return_exceptions=True)
        if fault is not None:
            raise fault
        return None, said


async def _report(server: GuardedEmbedding, timeout_s: float) -> ServerReport:
    try:
        return ServerReport((await server.identity(timeout_s)).fingerprint)
    except EmbeddingError as error:
        return ServerReport("", str(error))
