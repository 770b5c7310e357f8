"""Arguments of the commands that call a running service as an operator."""

import argparse
from pathlib import Path

from rensou_embedded.builds_command import STATES


def add_service_arguments(command: argparse.ArgumentParser, *, required: bool = True, again: bool = False) -> None:
    """Where the service is, and with which token it is called; `again`: what was said before stands."""
    default = argparse.SUPPRESS if again else "127.0.0.1:50551"
    command.add_argument("--address", default=default, help="gRPC address (default: 127.0.0.1:50551)")
    command.add_argument(
        "--token-file",
        type=Path,
        required=required,
        default=argparse.SUPPRESS if again else None,
        help="file that holds an operator's token alone, the value of \"token\" in the service's tokens file",
    )


def add_builds_arguments(builds: argparse.ArgumentParser) -> None:
    """The arguments of `rensou builds` and `rensou builds retry`; those of both may stand on either side of "retry"."""
    retry = builds.add_subparsers(dest="action", metavar="retry").add_parser("retry", help="ask for dead builds again")
    for command, again in ((builds, False), (retry, True)):
        add_service_arguments(command, required=False, again=again)
        unsaid = argparse.SUPPRESS if again else None
        agent = argparse.SUPPRESS if again else ""
        command.add_argument("--agent", default=agent, help="only builds of this agent (default: of all agents)")
        command.add_argument("--limit", type=_limit, default=unsaid, help="how many (default: 20; retry --all: 100)")
        command.add_argument("--json", action="store_true", default=again and unsaid, help="one JSON object")
    builds.add_argument("--state", choices=sorted(STATES), default="dead", help="which (default: %(default)s)")
    builds.add_argument("--once", action="store_true", help="once, not live")
    builds.add_argument("--interval", type=_limit, default=2, help="seconds between looks (default: %(default)s)")
    retry.add_argument("refs", nargs="*", metavar="BUILD", help="the dead builds, build:N")
    retry.add_argument("--all", action="store_true", help="every dead build, as many as --limit says")


def _limit(text: str) -> int:
    return parse_number(text, 10_000)


def parse_number(text: str, largest: int) -> int:
    """The number from 1 to `largest` that the argument is.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if not text.isdecimal() or not 1 <= int(text) <= largest:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {largest}")
    return int(text)
