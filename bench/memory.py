"""Resident memory of recall and of the worker over 10,000 calls. The last line is JSON.

Of ten calls six are Recall, two Store (one in twenty past the embedding window, so that the worker cuts nodes), one
Reconstruct and one GetContents; eight callers at once. Megabytes are read from /proc at call 1,000 and at the end;
`growth` is a share of the first.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

from instant_embedding import InstantEmbedding
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.errors import StackError
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, Part, StackOptions
from workload import questions, sentences

_SCOPE = pb.ReadScope(agent_id="bench")
_WATCHED = (Part.RECALL, Part.NODEWORKER)
_WARM_CALLS = 1_000
_CALLERS = 8
_TIMEOUT_S = 60


class Caller:
    """Makes the n-th call of the mix; refs that Store gave are read again by GetContents."""

    def __init__(self, client: RensouClient, calls: int) -> None:
        self._client = client.recall
        self._texts = list(sentences(calls))
        self._questions = list(questions(500))
        self._refs: list[str] = []

    async def call(self, number: int) -> None:
        """One call."""
        kind, question = number % 10, self._questions[number % len(self._questions)]
        if kind in (0, 5):
            await self._store(number)
        elif kind == 1:
            await self._client.Reconstruct(rpc.ReconstructRequest(scope=_SCOPE, query=question), timeout=_TIMEOUT_S)
        elif kind == 2 and self._refs:
            selector = rpc.ContentSelector(ref=self._refs[number % len(self._refs)])
            request = rpc.GetContentsRequest(scope=_SCOPE, selectors=[selector])
            await self._client.GetContents(request, timeout=_TIMEOUT_S)
        else:
            await self._client.Recall(rpc.RecallRequest(scope=_SCOPE, query=question), timeout=_TIMEOUT_S)

    async def _store(self, number: int) -> None:
        text = self._texts[number]
        if number % 100 == 0:
            text = " ".join(f"{text} Part {part}." for part in range(30))
        request = rpc.StoreRequest(scope=pb.WriteScope(agent_id="bench"), memory=rpc.MemoryContent(content=text))
        self._refs.append((await self._client.Store(request, timeout=_TIMEOUT_S)).ref)


def resident_mb(pid: int | None) -> float:
    """Resident megabytes of a process.

    Raises:
        StackError: It does not run.
    """
    if pid is None:
        raise StackError("a process of the stack ended during the measurement")
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise StackError(f"/proc/{pid}/status names no VmRSS")


async def _make(caller: Caller, numbers: range) -> None:
    waiting = iter(numbers)

    async def work() -> None:
        for number in waiting:
            await caller.call(number)

    await asyncio.gather(*(work() for _ in range(_CALLERS)))


async def measure(calls: int, data_dir: Path) -> dict[str, float | int]:
    """The figures on a fresh stack."""
    async with InstantEmbedding() as embedding:
        options = StackOptions(data_dir, clean_environ(os.environ), grpc_port=0, embedding_url=embedding.url)
        stack = EmbeddedStack(options, Console())
        await stack.start()
        try:
            async with RensouClient(stack.grpc_address) as client:
                caller = Caller(client, calls)
                await _make(caller, range(_WARM_CALLS))
                warm = {part.value: resident_mb(stack.pid(part)) for part in _WATCHED}
                await _make(caller, range(_WARM_CALLS, calls))
                end = {part.value: resident_mb(stack.pid(part)) for part in _WATCHED}
        finally:
            await stack.stop()
    figures: dict[str, float | int] = {"calls": calls}
    for name, megabytes in warm.items():
        figures[f"{name}_mb_at_{_WARM_CALLS}"] = round(megabytes, 1)
        figures[f"{name}_mb_at_{calls}"] = round(end[name], 1)
        figures[f"{name}_growth"] = round(end[name] / megabytes - 1, 4)
    return figures


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            figures = asyncio.run(measure(arguments.calls, Path(folder, "data")))
        except StackError as error:
            print(f"bench-memory: {error}", file=sys.stderr)
            return 1
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
