"""Store, Recall and Reconstruct outside embedding, at a number of records in one scope. The last line is JSON.

The embedding server answers at once (`instant_embedding`), its remaining time is measured beside and subtracted by
median; PostgreSQL, recall, the worker and the reconciler are the real ones. Times are milliseconds as the client sees
them, one call after the other.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import quantiles

from instant_embedding import InstantEmbedding
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.embed_probe import EmbeddingProbe
from rensou_embedded.errors import StackError
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions
from workload import questions, sentences

AGENT = "bench"
_BATCH = 100
_CALLS = 200
_WARMING = 20
_TIMEOUT_S = 60


async def fill(client: RensouClient, rows: int) -> float:
    """Stores `rows` records; seconds."""
    started = time.perf_counter()
    batch: list[rpc.StoreRequest] = []
    for text in sentences(rows):
        batch.append(store_request(text))
        if len(batch) == _BATCH:
            await client.recall.BatchStore(rpc.BatchStoreRequest(requests=batch), timeout=_TIMEOUT_S)
            batch = []
    if batch:
        await client.recall.BatchStore(rpc.BatchStoreRequest(requests=batch), timeout=_TIMEOUT_S)
    return time.perf_counter() - started


def store_request(text: str) -> rpc.StoreRequest:
    """One record of the bench's agent."""
    return rpc.StoreRequest(scope=pb.WriteScope(agent_id=AGENT), memory=rpc.MemoryContent(content=text))


async def timed(calls: Sequence[Callable[[], Awaitable[object]]]) -> list[float]:
    """Milliseconds of each call, one after the other."""
    times: list[float] = []
    for call in calls:
        started = time.perf_counter()
        await call()
        times.append((time.perf_counter() - started) * 1000)
    return times


def spread(name: str, times: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile by name."""
    cuts = quantiles(times, n=20, method="inclusive")
    return {f"{name}_ms_p50": round(cuts[9], 2), f"{name}_ms_p95": round(cuts[18], 2)}


async def measure(client: RensouClient, probe: EmbeddingProbe, rows: int) -> dict[str, float | int]:
    """The figures at `rows` records."""
    fill_s = await fill(client, rows)
    scope = pb.ReadScope(agent_id=AGENT)
    # Each series asks anew: a question that was asked before is not embedded again.
    warming, asked, again = list(questions(_WARMING, seed=5)), list(questions(_CALLS)), list(questions(_CALLS, seed=13))
    new = [f"New entry {n}: {text}" for n, text in enumerate(sentences(_CALLS, seed=3))]

    def recall(text: str) -> Callable[[], Awaitable[object]]:
        return lambda: client.recall.Recall(rpc.RecallRequest(scope=scope, query=text), timeout=_TIMEOUT_S)

    def reconstruct(text: str) -> Callable[[], Awaitable[object]]:
        return lambda: client.recall.Reconstruct(rpc.ReconstructRequest(scope=scope, query=text), timeout=_TIMEOUT_S)

    def store(text: str) -> Callable[[], Awaitable[object]]:
        return lambda: client.recall.Store(store_request(text), timeout=_TIMEOUT_S)

    await timed([recall(text) for text in warming])
    embedding = [await probe(text) for text in asked]
    figures: dict[str, float | int] = {"rows": rows, "filled_per_s": round(rows / fill_s, 1)}
    figures |= spread("embed", embedding)
    for name, calls in (
        ("recall", [recall(text) for text in asked]),
        ("reconstruct", [reconstruct(text) for text in again]),
        ("store", [store(text) for text in new]),
    ):
        figures |= spread(name, [ms - spread("embed", embedding)["embed_ms_p50"] for ms in await timed(calls)])
    return figures


async def run(rows: int, data_dir: Path) -> dict[str, float | int]:
    """The figures on a fresh stack with an embedding server that takes no time."""
    async with InstantEmbedding() as embedding:
        options = StackOptions(data_dir, clean_environ(os.environ), grpc_port=0, embedding_url=embedding.url)
        stack = EmbeddedStack(options, Console())
        await stack.start()
        try:
            async with RensouClient(stack.grpc_address) as client, EmbeddingProbe(embedding.url, "") as probe:
                return await measure(client, probe, rows)
        finally:
            await stack.stop()


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            figures = asyncio.run(run(arguments.rows, Path(folder, "data")))
        except StackError as error:
            print(f"bench-latency: {error}", file=sys.stderr)
            return 1
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
