"""Runs the recall service."""

import os
import sys

import uvloop

from rensou_recall.app import serve
from rensou_recall.settings import RecallSettings
from rensou_shared.errors import RensouError
from rensou_shared.settings import read_settings


def main() -> None:
    """Serves with the settings of the environment; exits with 2 and one line when it cannot start."""
    try:
        settings = read_settings(RecallSettings, os.environ)
        uvloop.run(serve(settings))
    except RensouError as error:
        print(f"rensou-recall: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
