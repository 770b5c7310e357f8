"""What Store says of nodes against what is built, what they take, and what queueing costs a Store."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg

from instant_embedding import InstantEmbedding
from long_texts import long_text, short_text
from node_builds import stack_options, store_texts
from node_workers import begin_again, count_done, queued_builds, until_done, workers
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.errors import StackError
from rensou_embedded.stack import EmbeddedStack
from second_recall import second_recall
from sizes import load_sizes
from timing import percentile, timed

_DRAIN_S = 600.0
_BLOCK, _COMPARED = 20, 300
_COUNTED = 50

_UNFINISHED = b"SELECT count(*) FROM rensou.node_builds b WHERE b.state NOT IN ('done', 'superseded')"
_DIVIDED = (
    b"SELECT DISTINCT r.kind || ':' || r.id FROM rensou.record_nodes n JOIN rensou.records r ON r.id = n.record_id"
)
_NODES = b"SELECT count(*) FROM rensou.record_nodes"
_COMPACT = b"VACUUM FULL rensou.record_nodes"
_LOG_ALL = (b"ALTER SYSTEM SET log_statement = 'all'", b"SELECT pg_reload_conf()")
_LOG_NONE = (b"ALTER SYSTEM RESET log_statement", b"SELECT pg_reload_conf()")


async def drained(admin_dsn: str) -> None:
    """Returns when every build has ended.

    Raises:
        StackError: They do not.
    """

    def unfinished() -> int:
        with psycopg.connect(admin_dsn) as connection:
            ((count,),) = connection.execute(_UNFINISHED)
            return int(count)

    deadline = time.monotonic() + _DRAIN_S
    while await asyncio.to_thread(unfinished):
        if time.monotonic() > deadline:
            raise StackError("the builds did not end")
        await asyncio.sleep(0.2)


def _run(admin_dsn: str, statements: Sequence[bytes]) -> list[Any]:
    with psycopg.connect(admin_dsn, autocommit=True) as connection:
        return [
            connection.execute(one).fetchall() if one.startswith(b"SELECT") else connection.execute(one)
            for one in statements
        ]


async def _what_is_said(stack: EmbeddedStack, client: RensouClient, count: int) -> dict[str, Any]:
    """`count` stores, a third past the window, against the nodes that stand when the queue has drained."""
    texts = [long_text(number) if number % 3 == 0 else short_text(number) for number in range(count)]
    answers = await store_texts(client, texts)
    async with workers(stack, 2, 4):
        await drained(stack.admin_dsn)
    said = {one.ref for one in answers if one.nodes == pb.NODES_STATUS_QUEUED}
    divided, nodes = _run(stack.admin_dsn, [_DIVIDED, _NODES])
    built = {str(row[0]) for row in divided}
    _run(stack.admin_dsn, [_COMPACT])
    sizes = load_sizes(stack.admin_dsn)
    bytes_of_nodes = sum(size for name, size in sizes.items() if name.startswith("record_nodes"))
    return {
        "stores": count,
        "queued": len(said),
        "divided": len(built),
        "queued_xor_divided": len(said ^ built),
        "nodes_per_divided_record": round(nodes[0][0] / len(built), 2),
        "bytes_per_divided_record": round(bytes_of_nodes / len(built)),
    }


async def _queries(stack: EmbeddedStack) -> dict[str, float]:
    """Statements that a build sends, from the server's log while one worker builds."""
    builds = queued_builds(stack.admin_dsn)[:_COUNTED]
    begin_again(stack.admin_dsn, builds)
    done = count_done(stack.admin_dsn)
    log = stack.log_dir / "postgres.log"
    _run(stack.admin_dsn, _LOG_ALL)
    await asyncio.sleep(1)
    before = log.read_text(encoding="utf-8", errors="replace").count(" LOG:  execute ")
    async with workers(stack, 1, 1):
        await until_done(stack.admin_dsn, done + len(builds), _DRAIN_S)
    after = log.read_text(encoding="utf-8", errors="replace").count(" LOG:  execute ")
    _run(stack.admin_dsn, _LOG_NONE)
    return {"statements_per_build": round((after - before) / len(builds), 1)}


async def _cost(stack: EmbeddedStack, client: RensouClient) -> dict[str, float]:
    """Store of texts past the window, of a service that queues them and of one that is told that they fit."""
    times: dict[bool, list[float]] = {True: [], False: []}
    async with InstantEmbedding() as lying:
        lying.fits = True
        async with second_recall(stack, embedding_url=lying.url) as other:
            number = 100_000
            for block in range(-1, _COMPARED // _BLOCK):
                for queues, asked in ((True, client), (False, other)):
                    texts = [long_text(number + place) for place in range(_BLOCK)]
                    number += _BLOCK
                    took = await timed([lambda text=text, asked=asked: store_texts(asked, [text]) for text in texts])
                    if block >= 0:
                        times[queues] += took
    with_queue, without = percentile(times[True], 50), percentile(times[False], 50)
    return {
        "store_queueing_ms_p50": round(with_queue, 2),
        "store_without_ms_p50": round(without, 2),
        "store_ratio": round(with_queue / without, 3),
    }


async def what_stores_cost(folder: Path, environ: dict[str, str], stores: int) -> dict[str, Any]:
    """The figures of a fresh stack whose embedding server answers at once."""
    async with InstantEmbedding() as embedding:
        stack = EmbeddedStack(stack_options(folder, environ, embedding.url), Console(quiet=True))
        await stack.start()
        try:
            async with RensouClient(stack.grpc_address) as client:
                said = await _what_is_said(stack, client, stores)
                return said | await _queries(stack) | await _cost(stack, client)
        finally:
            await stack.stop()
