"""The bundled embedding server: the CEmbedding HTTP contract over the bundled model."""

import argparse
import asyncio
import hmac
import logging
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from rensou_embedded.embedding_engine import DIMENSIONS, E5Engine, Engine, EngineError, TokenInfo
from rensou_embedded.embedding_queue import ModelQueue, QueueFullError
from rensou_embedded.embedding_request import BadRequestError, TextsRequest, parse_texts_request
from rensou_embedded.settings import prepare_model_environment, process_environ, read_embedding_token

MAX_BODY_BYTES = 8 * 1024 * 1024
_SHUTDOWN_TIMEOUT_S = 5.0
_LOG = logging.getLogger("rensou.embedding")


class LoadingError(Exception):
    """The model is still being read from disk."""


class Queues(NamedTuple):
    """The lines in front of the thread that embeds, and of the one that counts."""

    embedding: ModelQueue
    counting: ModelQueue


class EmbeddingServer:
    """The routes, and the model once it is loaded. The event loop never waits for it.

    It embeds on one thread and counts on another: a count takes milliseconds, a turn of embedding up to two seconds.
    """

    def __init__(self, load_engine: Callable[[], Engine], token: str | None) -> None:
        self._load_engine = load_engine
        self._token = token
        self.has_failed = False
        self._engine: Engine | None = None
        self._queues: Queues | None = None

    def build_app(self) -> web.Application:
        """Return the application; it answers 503 until the model is there."""
        app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[_require_token(self._token), _explain])
        app.router.add_post("/embed", self._embed)
        app.router.add_post("/count_tokens", self._count_tokens)
        app.router.add_get("/capabilities", self._capabilities)
        app.router.add_get("/health", self._health)
        app.cleanup_ctx.append(self._serve_model)
        return app

    async def _serve_model(self, _app: web.Application) -> AsyncIterator[None]:
        with (
            ThreadPoolExecutor(max_workers=1, thread_name_prefix="model") as embedding,
            ThreadPoolExecutor(max_workers=1, thread_name_prefix="tokenizer") as counting,
        ):
            task = asyncio.create_task(self._load_and_run(embedding, counting))
            task.add_done_callback(self._end_on_failure)
            yield
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _load_and_run(self, embedding: ThreadPoolExecutor, counting: ThreadPoolExecutor) -> None:
        engine = await asyncio.get_running_loop().run_in_executor(embedding, self._load_engine)
        self._engine = engine
        self._queues = Queues(ModelQueue(engine, embedding), ModelQueue(engine, counting))
        _LOG.info("the model is loaded: texts are taken")
        await asyncio.gather(self._queues.embedding.run(), self._queues.counting.run())

    def _end_on_failure(self, task: "asyncio.Task[None]") -> None:
        """A server without a model answers nobody: end, loudly, and let whoever runs it start it again."""
        if not task.cancelled() and (failure := task.exception()) is not None:
            _LOG.critical("the model is gone", exc_info=failure)
            self.has_failed = True
            raise web.GracefulExit

    async def _embed(self, request: web.Request) -> web.Response:
        asked, queues = await self._read(request)
        vectors = await queues.embedding.embed(asked.texts, asked.side)
        body: dict[str, object] = {"embeddings": vectors, "dimensions": DIMENSIONS}
        if asked.wants_token_info:
            body["token_info"] = _format_token_info(await queues.counting.measure(asked.texts, asked.side))
        return web.json_response(body)

    async def _count_tokens(self, request: web.Request) -> web.Response:
        asked, queues = await self._read(request)
        reports = await queues.counting.measure(asked.texts, asked.side)
        return web.json_response({"token_info": _format_token_info(reports)})

    async def _read(self, request: web.Request) -> tuple[TextsRequest, Queues]:
        asked = parse_texts_request(await request.read())
        if self._queues is None:
            raise LoadingError
        return asked, self._queues

    async def _capabilities(self, _request: web.Request) -> web.Response:
        if self._engine is None:
            raise LoadingError
        found = self._engine.capabilities()
        return web.json_response({"identity": found.identity, "incomplete": [], "fingerprint": found.fingerprint})

    async def _health(self, _request: web.Request) -> web.Response:
        if self._queues is None:
            raise LoadingError
        return web.json_response({"status": "ok"})


def _require_token(token: str | None) -> Middleware:
    """Return what refuses a request that does not carry `token`; None lets everybody in."""

    @web.middleware
    async def authenticate(request: web.Request, handler: Handler) -> web.StreamResponse:
        if token is not None and request.method != "OPTIONS":
            scheme, _, presented = request.headers.get("Authorization", "").partition(" ")
            # A header may hold any bytes; aiohttp hands them over as surrogates.
            matches = hmac.compare_digest(presented.strip().encode("utf-8", "surrogateescape"), token.encode("utf-8"))
            if scheme.lower() != "bearer" or not matches:
                return _error(401, "unauthorized", {"WWW-Authenticate": "Bearer"})
        return await handler(request)

    return authenticate


@web.middleware
async def _explain(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn what goes wrong into the contract's {error}."""
    try:
        return await handler(request)
    except BadRequestError as error:
        return _error(400, str(error))
    except LoadingError:
        return _error(503, "the model is loading", {"Retry-After": "1"})
    except QueueFullError:
        return _error(503, "too many texts are waiting", {"Retry-After": "5"})
    except EngineError as error:
        _LOG.exception("the model failed")
        return _error(500, str(error))
    except web.HTTPRequestEntityTooLarge:
        return _error(413, f"the body is over {MAX_BODY_BYTES} bytes")
    except web.HTTPException as error:
        headers = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else None
        return _error(error.status, error.reason.lower(), headers)


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    return web.json_response({"error": message}, status=status, headers=headers)


def _format_token_info(reports: Sequence[TokenInfo]) -> list[dict[str, object]]:
    return [
        {
            "count": report.count,
            "window": report.window,
            "truncated": report.truncated,
            "window_end_char": report.window_end_char,
        }
        for report in reports
    ]


def _parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="rensou_embedded.embedding_server", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str], token: str | None) -> int:
    """Serve until SIGTERM or SIGINT; return the exit code, 1 when the model failed."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    options = _parse_arguments(arguments)
    if token is None and options.host not in ("127.0.0.1", "::1", "localhost"):
        _LOG.warning("no token is set: anybody who reaches %s can use the model", options.host)
    server = EmbeddingServer(E5Engine, token)

    def announce(_text_for_a_terminal: str) -> None:
        """Called once the socket is bound."""
        _LOG.info("listening on http://%s:%d", options.host, options.port)

    web.run_app(
        server.build_app(),
        host=options.host,
        port=options.port,
        handler_cancellation=True,
        shutdown_timeout=_SHUTDOWN_TIMEOUT_S,
        access_log=None,
        print=announce,
    )
    return int(server.has_failed)


if __name__ == "__main__":
    prepare_model_environment(process_environ())
    sys.exit(main(sys.argv[1:], read_embedding_token(process_environ())))
