"""`rensou builds`: how the builds of a running service stand, live or once, and asking for dead ones again."""

import asyncio
import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Final

import grpc.aio
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from rensou.v1 import builds_pb2 as pb
from rensou_embedded.builds_text import (
    Backlog,
    build_as_json,
    build_line,
    retried_as_json,
    retried_line,
    summary_as_json,
    summary_lines,
)
from rensou_embedded.client import RensouClient
from rensou_embedded.errors import StackError
from rensou_embedded.operator_call import read_credential, refused_call

Credential = Sequence[tuple[str, str]]

STATES: Final = {
    "any": pb.BUILD_STATE_UNSPECIFIED,
    "pending": pb.BUILD_STATE_PENDING,
    "quarantined": pb.BUILD_STATE_QUARANTINED,
    "running": pb.BUILD_STATE_RUNNING,
    "dead": pb.BUILD_STATE_DEAD,
}
# Counting reads every unfinished build: some tenths of a second for each million.
_TIMEOUT_S: Final = 60.0
_PAGE: Final = 100


def show_builds(given: Namespace) -> None:
    """Shows the builds: live on a terminal, else once.

    Raises:
        StackError: The service refuses or does not answer, or the token cannot be read.
    """
    credential = _credential(given)
    try:
        asyncio.run(_show(given, credential))
    except KeyboardInterrupt:
        return


def retry_builds(given: Namespace) -> bool:
    """Asks for dead builds again and prints what became of each; whether all that were named were found.

    Raises:
        StackError: The service refuses or does not answer, the token cannot be read, or no builds are named.
    """
    if bool(given.refs) == given.all:
        raise StackError("name dead builds (build:N …) or say --all, not both")
    credential = _credential(given)
    request = pb.RetryBuildsRequest(agent_id=given.agent, refs=given.refs, all=given.all)
    if given.limit is not None:
        request.limit = given.limit
    answer = asyncio.run(_retry(given.address, credential, request))
    if given.json:
        results = [retried_as_json(one) for one in answer.results]
        print(json.dumps({"results": results, "queued": answer.queued, "dead": answer.remaining}))
    else:
        for one in answer.results:
            print(retried_line(one))
        print(f"{answer.queued} queued, {answer.remaining} dead left")
    return all(one.outcome != pb.RETRY_OUTCOME_NOT_FOUND for one in answer.results)


def _credential(given: Namespace) -> Credential:
    if given.token_file is None:
        raise StackError("--token-file is needed: a file that holds an operator's token")
    return read_credential(given.token_file)


async def _retry(address: str, credential: Credential, request: pb.RetryBuildsRequest) -> pb.RetryBuildsResponse:
    async with RensouClient(address) as client:
        try:
            return await client.admin.RetryBuilds(request, metadata=credential, timeout=_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            raise refused_call(error) from error


async def _show(given: Namespace, credential: Credential) -> None:
    limit = 20 if given.limit is None else given.limit
    async with RensouClient(given.address) as client:
        seen = await _list(client, given, credential, limit)
        if given.json:
            shown = [build_as_json(one) for one in seen.builds]
            print(json.dumps({"summary": summary_as_json(seen.summary), "builds": shown, "more": _has_more(seen)}))
        elif given.once or not sys.stdout.isatty():
            print("\n".join([*summary_lines(seen.summary), *_lines(seen)]))
        else:
            await _watch(client, given, credential, seen)


async def _list(client: RensouClient, given: Namespace, credential: Credential, limit: int) -> pb.ListBuildsResponse:
    """The first `limit` builds in as many pages as that takes, with the summary."""
    found, token = pb.ListBuildsResponse(), ""
    while True:
        request = pb.ListBuildsRequest(
            agent_id=given.agent,
            state=STATES[given.state],
            page_size=min(limit - len(found.builds), _PAGE),
            page_token=token,
            with_summary=not token,
        )
        try:
            page = await client.admin.ListBuilds(request, metadata=credential, timeout=_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            raise refused_call(error) from error
        token = page.next_page_token
        found.MergeFrom(page)
        found.next_page_token = token
        if not token or len(found.builds) >= limit:
            return found


def _has_more(seen: pb.ListBuildsResponse) -> bool:
    return seen.next_page_token != ""


def _lines(seen: pb.ListBuildsResponse) -> list[str]:
    lines = [build_line(one) for one in seen.builds]
    return [*lines, f"more than these {len(lines)}: --limit"] if _has_more(seen) else lines


async def _watch(client: RensouClient, given: Namespace, credential: Credential, seen: pb.ListBuildsResponse) -> None:
    """Shows the builds again and again; a service that does not answer for a while is said, and asked again."""
    console = Console(highlight=False)
    backlog, fault = Backlog(), ""
    with Live(console=console, auto_refresh=False, screen=False) as live:
        while True:
            if not fault:
                backlog.note(seen.summary)
            live.update(_picture(seen, backlog, fault, console), refresh=True)
            await asyncio.sleep(given.interval)
            try:
                # What does not fit on the screen is no use.
                seen = await _list(client, given, credential, max(console.height - 6, 1))
                fault = ""
            except StackError as error:
                fault = str(error)


def _picture(seen: pb.ListBuildsResponse, backlog: Backlog, fault: str, console: Console) -> Group:
    lines = [Text(line, no_wrap=True, overflow="ellipsis") for line in summary_lines(seen.summary)]
    bar = ProgressBar(total=max(backlog.highest, 1), completed=backlog.done, width=min(console.width, 60))
    state = f"{backlog.done} of {backlog.highest} done since the backlog was highest"
    rows = [Text(line, no_wrap=True, overflow="ellipsis") for line in _lines(seen)]
    return Group(*lines, bar, Text(state), *rows, Text(fault, style="yellow"))
