"""Builds of nodes a second: by the number of workers, and beside what the embedding model does alone."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import psycopg

from instant_embedding import InstantEmbedding
from long_texts import long_text
from node_workers import begin_again, builds_per_s, queued_builds, until_done, workers
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import ALL_PARTS, EmbeddedStack, Part, StackOptions
from rensou_nodeworker.pipelines.build import EMBED_BATCH
from rensou_shared.embedding.cembedding import CEmbedding
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.port import Side

WORKERS = (1, 2, 4, 8)
BATCH_S = 0.25
_AGENT = "long"
_RECORDS, _SECONDS = 700, 12.0
_BUNDLED_RECORDS, _BUNDLED_CHARS, _JOBS = 24, 6_000, 4
_TIMEOUT_S, _DRAIN_S = 120.0, 900.0
_WITHOUT_WORKERS = ALL_PARTS - {Part.NODEWORKER, Part.RECONCILER}

_NODES = b"""
SELECT n.record_id, array_agg(substr(r.content, n.start_char + 1, n.end_char - n.start_char) ORDER BY n.node_index)
FROM rensou.record_nodes n
JOIN rensou.records r ON r.agent_id = n.agent_id AND r.id = n.record_id
GROUP BY n.record_id
ORDER BY n.record_id
"""


def stack_options(folder: Path, environ: dict[str, str], embedding_url: str = "") -> StackOptions:
    """A stack whose workers are the benchmark's own."""
    return StackOptions(folder, clean_environ(environ), _WITHOUT_WORKERS, 0, embedding_url=embedding_url)


async def store_texts(client: RensouClient, texts: Sequence[str]) -> list[rpc.StoreResponse]:
    """The answers to a Store of each text."""
    answers: list[rpc.StoreResponse] = []
    for text in texts:
        request = rpc.StoreRequest(scope=pb.WriteScope(agent_id=_AGENT), memory=rpc.MemoryContent(content=text))
        answers.append(await client.recall.Store(request, timeout=_TIMEOUT_S))
    return answers


async def by_workers(folder: Path, environ: dict[str, str], runs: int) -> dict[int, list[float]]:
    """Builds a second of `runs` runs with each number of workers, one build a worker, 250 ms a batch."""
    found: dict[int, list[float]] = {count: [] for count in WORKERS}
    async with InstantEmbedding() as embedding:
        stack = EmbeddedStack(stack_options(folder, environ, embedding.url), Console(quiet=True))
        await stack.start()
        try:
            async with RensouClient(stack.grpc_address) as client:
                await store_texts(client, [long_text(number) for number in range(_RECORDS)])
            builds = queued_builds(stack.admin_dsn)
            embedding.batch_s = BATCH_S
            for _ in range(runs):
                for count in WORKERS:
                    begin_again(stack.admin_dsn, builds)
                    found[count].append(await builds_per_s(stack, count, 1, 2 * count, _SECONDS))
        finally:
            await stack.stop()
    return found


async def beside_the_model(folder: Path, environ: dict[str, str], runs: int) -> list[tuple[float, float]]:
    """Nodes a second of one worker with the bundled model, and of the model alone on the same spans; `runs` pairs."""
    stack = EmbeddedStack(stack_options(folder, environ), Console(quiet=True))
    await stack.start()
    try:
        async with RensouClient(stack.grpc_address) as client:
            await store_texts(client, [long_text(number, _BUNDLED_CHARS) for number in range(_BUNDLED_RECORDS)])
        builds = queued_builds(stack.admin_dsn)
        found: list[tuple[float, float]] = []
        for _ in range(runs):
            begin_again(stack.admin_dsn, builds)
            ours = await _drain(stack, len(builds))
            spans = _spans(stack.admin_dsn)
            count = sum(map(len, spans))
            found.append((count * (1 - _JOBS / len(builds)) / ours, count / await _alone(stack, spans)))
        return found
    finally:
        await stack.stop()


async def _drain(stack: EmbeddedStack, builds: int) -> float:
    """Seconds from the first `_JOBS` builds to the last."""
    async with workers(stack, 1, _JOBS):
        began = await until_done(stack.admin_dsn, _JOBS)
        return await until_done(stack.admin_dsn, builds, _DRAIN_S) - began


def _spans(admin_dsn: str) -> list[list[str]]:
    """The texts of the nodes of each record."""
    with psycopg.connect(admin_dsn) as connection:
        return [list(row[1]) for row in connection.execute(_NODES)]


async def _alone(stack: EmbeddedStack, spans: Sequence[Sequence[str]]) -> float:
    """Seconds that the model takes for the same requests, with as many at once as the worker has builds."""
    batches = [one[first : first + EMBED_BATCH] for one in spans for first in range(0, len(one), EMBED_BATCH)]
    config = CEmbeddingConfig(stack.embedding_url, stack.embedding_token)
    async with CEmbedding(config) as model:
        gate = asyncio.Semaphore(_JOBS)

        async def embed(batch: Sequence[str]) -> None:
            async with gate:
                await model.embed(batch, Side.PASSAGE, _TIMEOUT_S)

        began = time.monotonic()
        await asyncio.gather(*(embed(batch) for batch in batches))
        return time.monotonic() - began


def scaling(found: dict[int, list[float]]) -> dict[str, object]:
    """Medians by workers, and their shares of linear growth."""
    rates = {count: median(runs) for count, runs in found.items()}
    shares = {f"scaling_at_{count}": round(rates[count] / (count * rates[1]), 3) for count in WORKERS[1:]}
    return {"builds_per_s": {str(count): round(rate, 2) for count, rate in rates.items()}, **shares}
