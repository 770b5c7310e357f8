"""`python -m rensou_nodeworker` runs the worker, `python -m rensou_nodeworker reconciler` the reconciler."""

import logging
import os
import sys
from collections.abc import Awaitable, Callable

import uvloop

from rensou_nodeworker.app import run_reconciler, run_worker
from rensou_nodeworker.settings import Settings
from rensou_shared.errors import RensouError
from rensou_shared.settings import read_settings
from rensou_shared.telemetry import configure_logging, get_logger, serve_metrics


def main() -> int:
    """Runs the worker until it is told to stop; the exit code."""
    return _run("nodeworker", run_worker)


def reconciler() -> int:
    """Runs the reconciler until it is told to stop; the exit code."""
    return _run("reconciler", run_reconciler)


def _run(service: str, run: Callable[[Settings], Awaitable[None]]) -> int:
    configure_logging("INFO", service)
    try:
        settings = read_settings(Settings, os.environ)
        configure_logging(settings.log_level, service)
        # arq calls it an error when a hint waits long or expires, which happens whenever all slots are busy and costs
        # nothing; a Redis that is away is said by the listener.
        logging.getLogger("arq").setLevel(logging.CRITICAL)
        serve_metrics(settings.metrics_listen)
        uvloop.run(_awaited(run, settings))
    except RensouError as error:
        get_logger(__name__).critical("cannot_run", service=service, error=str(error))
        return 1
    return 0


async def _awaited(run: Callable[[Settings], Awaitable[None]], settings: Settings) -> None:
    await run(settings)


if __name__ == "__main__":
    sys.exit(reconciler() if sys.argv[1:] == ["reconciler"] else main())
