"""Runs the recall service."""

import gc
import os
import sys

import uvloop

from rensou_recall.app import serve
from rensou_recall.settings import RecallSettings
from rensou_shared.errors import RensouError
from rensou_shared.settings import read_settings

# A recall frees what it makes by counting references; a collector that starts every 700 objects walks the living many
# times a call for nothing. What it brings: docs/measurements/latency.md.
_COLLECT_AFTER = (50_000, 20, 20)


def main() -> None:
    """Serves with the settings of the environment; exits with 2 and one line when it cannot start."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    try:
        settings = read_settings(RecallSettings, os.environ)
        uvloop.run(serve(settings))
    except RensouError as error:
        print(f"rensou-recall: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
