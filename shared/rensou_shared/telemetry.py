"""Logs as JSON lines and metrics for Prometheus. No stored text in either."""

import logging
from typing import Any

import structlog
from prometheus_client import start_http_server
from structlog.processors import ExceptionRenderer
from structlog.tracebacks import ExceptionDictTransformer

from rensou_shared.errors import ConfigurationError


def configure_logging(level: str, service: str) -> None:
    """Sends structlog's and the standard library's records to standard error, one JSON object a line.

    Raises:
        ConfigurationError: `level` is no level of the standard library.
    """
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise ConfigurationError(f"RENSOU_LOG_LEVEL: no level {level!r}")
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # Local variables hold what callers store and ask.
        ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=number, force=True)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    structlog.contextvars.bind_contextvars(service=service)


def serve_metrics(listen: str) -> None:
    """Serves /metrics on "HOST:PORT" from a thread of its own; "" serves nothing.

    Raises:
        ConfigurationError: The address cannot be bound.
    """
    if listen:
        host, _, port = listen.rpartition(":")
        try:
            start_http_server(int(port), addr=host)
        except (ValueError, OSError) as error:
            raise ConfigurationError(f"RENSOU_METRICS_LISTEN {listen} cannot be served: {error}") from error


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """A logger that writes events by name with key-value data."""
    return structlog.stdlib.get_logger(name)
