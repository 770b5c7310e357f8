"""The composition root: settings become parts, parts become a server that runs until it is told to stop."""

import asyncio
import gc
import ipaddress
import math
import signal
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import grpc.aio

from rensou_recall.credentials import read_tokens
from rensou_recall.interceptors.authentication import TokenBook
from rensou_recall.interceptors.deadlines import CallClock
from rensou_recall.page_key import read_page_key
from rensou_recall.pipelines.active_model import ActiveModel, ModelMismatch
from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.pipelines.deps import Deps, Limits
from rensou_recall.pipelines.embedder import Embedder
from rensou_recall.pipelines.rerank import RerankerLink
from rensou_recall.server import ReadinessBoard, ServerOptions, build_server
from rensou_recall.settings import RecallSettings
from rensou_recall.store.warming import warm_recall
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.domain import MAX_CONTENT_CHARS
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.cembedding import CEmbedding
from rensou_shared.embedding.deployment import ServerSettings
from rensou_shared.embedding.errors import EmbeddingError
from rensou_shared.embedding.guard import GuardedEmbedding
from rensou_shared.embedding.health import EmbeddingHealth
from rensou_shared.embedding.reranker import Reranker, RerankerConfig
from rensou_shared.embedding.watch import WatchedCalls
from rensou_shared.errors import ConfigurationError, RensouError
from rensou_shared.jobs.arq_hints import ArqHintSender
from rensou_shared.jobs.caps import QueueCaps
from rensou_shared.telemetry import configure_logging, get_logger, serve_metrics

_log = get_logger(__name__)

_START_S = 60.0
_WATCH_INTERVAL_S = 2.0
# Readiness falls only after several failures, so that a blink of the database does not empty the rotation.
_UNREADY_AFTER = 3
# Objects made and not yet gone: a Recall makes about 2,000, nearly all of them freed by count.
_COLLECT_AFTER = 20_000
_POSITIVE = (
    "pool_size",
    "max_concurrent_calls",
    "default_deadline_s",
    "max_deadline_s",
    "ann_above_rows",
    "embedding_timeout_s",
)


def _is_loopback(listen: str) -> bool:
    host = listen.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _tokens(settings: RecallSettings) -> TokenBook | None:
    if settings.tokens_file:
        return TokenBook(read_tokens(Path(settings.tokens_file)))
    if settings.allow_unauthenticated or _is_loopback(settings.listen):
        return None
    raise ConfigurationError(
        f"RENSOU_LISTEN {settings.listen} is no loopback address: set RENSOU_TOKENS_FILE, "
        "or RENSOU_ALLOW_UNAUTHENTICATED=true to open it to anybody"
    )


def _embedding_clients(settings: RecallSettings) -> list[CEmbedding]:
    """The clients of the embedding server and, where one is named, of the next."""
    servers = ServerSettings(
        settings.embedding_url,
        settings.embedding_token,
        settings.embedding_prefixes,
        settings.embedding_next_url,
        settings.embedding_next_token,
        settings.embedding_next_prefixes,
    )
    return [CEmbedding(config) for config in servers.configs()]


def _guarded(client: CEmbedding) -> GuardedEmbedding:
    return GuardedEmbedding(client, EmbeddingHealth(lambda: datetime.now(UTC)), CircuitBreaker(time.monotonic))


def _reranker(settings: RecallSettings) -> RerankerLink | None:
    if not settings.rerank.url:
        if settings.rerank.token:
            raise ConfigurationError("RENSOU_RERANK_TOKEN is set, and RENSOU_RERANK_URL is not")
        return None
    try:
        config = RerankerConfig(settings.rerank.url, settings.rerank.token or None)
    except ValueError as error:
        raise ConfigurationError(f"RENSOU_RERANK_URL or RENSOU_RERANK_TOKEN: {error}") from error
    calls = WatchedCalls(EmbeddingHealth(lambda: datetime.now(UTC)), CircuitBreaker(time.monotonic))
    return RerankerLink(Reranker(config, calls))


def _check(settings: RecallSettings) -> None:
    if not 1 <= settings.max_content_chars <= MAX_CONTENT_CHARS:
        raise ConfigurationError(f"RENSOU_MAX_CONTENT_CHARS must be 1-{MAX_CONTENT_CHARS}")
    if min(settings.max_pending.builds, settings.max_pending.builds_in_all) <= 0:
        raise ConfigurationError("RENSOU_MAX_PENDING_BUILDS and RENSOU_MAX_PENDING_BUILDS_IN_ALL must be above 0")
    for name in _POSITIVE:
        if not 0 < getattr(settings, name) < math.inf:
            raise ConfigurationError(f"RENSOU_{name.upper()} must be above 0")
    if not 0 <= settings.drain_s < math.inf:
        raise ConfigurationError("RENSOU_DRAIN_S must be 0 or more")


async def serve(settings: RecallSettings) -> None:
    """Serves until SIGTERM or SIGINT, then drains.

    Raises:
        ConfigurationError, SchemaUnknown, DatabaseUnavailable: The service cannot start.
    """
    configure_logging(settings.log_level, "recall")
    _check(settings)
    tokens = _tokens(settings)
    page_key = read_page_key(settings.page_token_key)
    database = Database(settings.database_url, PoolSize(max_size=settings.pool_size), warm_recall)
    clients = _embedding_clients(settings)
    reranker = _reranker(settings)
    hints = ArqHintSender(settings.redis_url)
    try:
        await database.open(_START_S)
        schema_version = await database.check_schema()
        serve_metrics(settings.metrics_listen)
        queue = QueueCaps(settings.max_pending.builds, settings.max_pending.builds_in_all)
        limits = Limits(settings.max_content_chars, queue, settings.ann_above_rows)
        active = ActiveModel([_guarded(client) for client in clients], database, settings.embedding_timeout_s)
        embedder = Embedder(active, settings.embedding_timeout_s)
        calibrator = Calibrator(active, database)
        versions = version("rensou"), schema_version
        deps = Deps(database, embedder, calibrator, hints, limits, *versions, reranker=reranker, page_key=page_key)
        clock = CallClock(settings.default_deadline_s, settings.max_deadline_s)
        options = ServerOptions(settings.listen, tokens, clock, settings.max_concurrent_calls, settings.reflection)
        server, board, port = build_server(deps, options)
        _spare_the_collector()
        await server.start()
        _log.info("serving", listen=settings.listen, port=port, schema=schema_version, authenticated=tokens is not None)
        await _run(server, board, deps, settings.drain_s)
    finally:
        await hints.aclose()
        if reranker is not None:
            await reranker.server.aclose()
        for client in clients:
            await client.aclose()
        await database.close()
    _log.info("stopped")


def _spare_the_collector() -> None:
    """What a start has made lives as long as the process: no collection need walk it. A call's own go without one."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)


async def _run(server: grpc.aio.Server, board: ReadinessBoard, deps: Deps, drain_s: float) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await board.set_alive()
    watch = asyncio.create_task(_watch(board, deps))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({watch, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if watch.done():
        # A process whose readiness nobody keeps must not look well.
        watch.result()
    _log.info("draining", drain_s=drain_s)
    watch.cancel()
    await board.drain()
    # Calls still come for a while after readiness falls: they are answered.
    await asyncio.sleep(drain_s)
    await server.stop(grace=max(drain_s, 1.0))


async def _watch(board: ReadinessBoard, deps: Deps) -> None:
    """Keeps readiness true to the database, and, before the first readiness, to the embedding model.

    An embedding server that is away leaves the service ready: it stores and answers with what is left. One that
    serves another model is a mistake of the deployment, and a pod that meets it at its start takes no calls.
    """
    failures, was_ready = _UNREADY_AFTER, False
    while True:
        try:
            await deps.database.ping(_WATCH_INTERVAL_S)
            failures = 0
        except RensouError:
            failures += 1
        deps.seen.note("postgres", healthy=failures == 0)
        # A model that could not be asked for at the start still is: others wait until recall has made it known.
        asks = not was_ready or deps.embedder.known_model is None
        model_fits = (await _model_fits(deps) if asks else True) or was_ready
        ready = failures < _UNREADY_AFTER and model_fits
        if ready != was_ready:
            _log.info("readiness", ready=ready)
            was_ready = ready
        await board.set_ready(ready)
        await asyncio.sleep(_WATCH_INTERVAL_S)


async def _model_fits(deps: Deps) -> bool:
    try:
        await deps.embedder.model(_WATCH_INTERVAL_S, asyncio.get_running_loop().time())
    except ModelMismatch:
        return False
    except (EmbeddingError, RensouError):
        return True
    return True
