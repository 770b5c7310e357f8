"""An embedding port that remembers how its server is and spares callers the wait for a dead one."""

from collections.abc import Awaitable, Sequence

from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.health import EmbeddingHealth
from rensou_shared.embedding.port import Embedded, EmbeddingPort, ModelIdentity, Side, TokenCount
from rensou_shared.embedding.watch import WatchedCalls


class GuardedEmbedding:
    """An `EmbeddingPort` in front of another: counts its outcomes and fails at once while the circuit is open.

    A call without texts reaches no server, so it is passed on uncounted.
    """

    def __init__(self, port: EmbeddingPort, health: EmbeddingHealth, breaker: CircuitBreaker) -> None:
        self._port = port
        self._calls = WatchedCalls(health, breaker)

    @property
    def health(self) -> EmbeddingHealth:
        """What is known about the server."""
        return self._calls.health

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        """See `EmbeddingPort.embed`."""

        def call() -> Awaitable[Embedded]:
            return self._port.embed(texts, side, timeout_s, with_counts=with_counts)

        return await (self._calls.make(call) if texts else call())

    async def count(self, texts: Sequence[str], side: Side, timeout_s: float) -> tuple[TokenCount, ...] | None:
        """See `EmbeddingPort.count`."""

        def call() -> Awaitable[tuple[TokenCount, ...] | None]:
            return self._port.count(texts, side, timeout_s)

        return await (self._calls.make(call) if texts else call())

    async def identity(self, timeout_s: float) -> ModelIdentity:
        """See `EmbeddingPort.identity`."""
        return await self._calls.make(lambda: self._port.identity(timeout_s))
