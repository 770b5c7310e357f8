"""The client of the chaos run: it stores, revises and forgets, calls again what failed, and keeps what it was told."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

import grpc.aio

from chaos_texts import POISON, make_text
from rensou.v1 import errors_pb2
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient

T = TypeVar("T")

_AGENTS: Final = ("ann", "bob", "cid")
_CALLERS: Final = 6
_CALL_S: Final = 20.0
_RETRY_S: Final = 180.0
_REVISED, _FORGOTTEN = 0.10, 0.15
# Texts of at most 2,800 code points: together far below what one answer carries.
_A_CALL: Final = 10
_PASSING: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.ABORTED,
    }
)


@dataclass(slots=True)
class Told:
    """What the client was told.

    Attributes:
        texts: The last acknowledged text of each (agent, ref) that it has not forgotten.
        forgotten: Whose forgetting was acknowledged.
        stored, deferred, revised: Acknowledged calls; `deferred` of them said that the queue was full.
        retried: Failed calls by their code: each was made again.
    """

    texts: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    forgotten: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    stored: int = 0
    deferred: int = 0
    revised: int = 0
    retried: dict[str, int] = field(default_factory=dict[str, int])


class Caller:
    """Works through a list of texts by several calls at once, no further than it is allowed to."""

    def __init__(self, client: RensouClient, seed: int) -> None:
        self._client = client
        self._seed = seed
        self._allowed = 0
        self._more = asyncio.Event()
        self.told = Told()

    def allow(self, texts: int) -> None:
        """Lets it begin with so many of its texts."""
        self._allowed = texts
        self._more.set()

    async def _until_allowed(self, number: int) -> None:
        while number >= self._allowed:
            self._more.clear()
            await self._more.wait()

    async def store_all(self, texts: list[str]) -> None:
        """Stores the texts; some are revised and some forgotten shortly after."""
        waiting = iter(list(enumerate(texts)))

        async def call() -> None:
            for number, text in waiting:
                await self._until_allowed(number)
                await self._one(number, text, random.Random(f"{self._seed} {number}"))

        await asyncio.gather(*(call() for _ in range(_CALLERS)))

    async def _one(self, number: int, text: str, draw: random.Random) -> None:
        agent = _AGENTS[number % len(_AGENTS)]
        ref = await self._store(agent, number, text)
        chance = 1.0 if POISON in text else draw.random()
        if chance < _FORGOTTEN:
            await asyncio.sleep(draw.uniform(0, 2))
        if chance < _REVISED:
            await self._revise(agent, ref, make_text(number, draw, is_long=draw.random() < 0.5) + " Revised.")
        elif chance < _FORGOTTEN:
            await self._forget(agent, ref)

    async def _store(self, agent: str, number: int, text: str) -> str:
        request = rpc.StoreRequest(
            scope=pb.WriteScope(agent_id=agent), memory=rpc.MemoryContent(content=text), caller_id=f"number {number}"
        )
        stored = await self._insist(lambda: self._client.recall.Store(request, timeout=_CALL_S))
        self.told.texts[agent, stored.ref] = text
        self.told.stored += 1
        self.told.deferred += stored.nodes == pb.NODES_STATUS_DEFERRED
        return stored.ref

    async def _revise(self, agent: str, ref: str, text: str) -> None:
        request = life.ReviseRecordRequest(agent_id=agent, ref=ref, content=text)
        revised = await self._insist(lambda: self._client.lifecycle.ReviseRecord(request, timeout=_CALL_S))
        self.told.texts[agent, ref] = text
        self.told.revised += 1
        self.told.deferred += revised.nodes == pb.NODES_STATUS_DEFERRED

    async def _forget(self, agent: str, ref: str) -> None:
        request = life.ForgetRequest(agent_id=agent, refs=[ref], mode=life.FORGET_MODE_HARD)
        (result,) = (await self._insist(lambda: self._client.lifecycle.Forget(request, timeout=_CALL_S))).results
        # A call that was answered by an error may have worked: the next one finds nothing.
        if not result.HasField("forgotten") and result.refused != errors_pb2.ERROR_REASON_RECORD_NOT_FOUND:
            raise AssertionError(f"{ref} was not forgotten: {result}")
        del self.told.texts[agent, ref]
        self.told.forgotten.add((agent, ref))

    async def read_back(self, texts: Mapping[tuple[str, str], str]) -> list[str]:
        """The refs whose text is not read back as it was acknowledged."""
        lost: list[str] = []
        for agent in _AGENTS:
            refs = [ref for owner, ref in texts if owner == agent]
            for first in range(0, len(refs), _A_CALL):
                part = refs[first : first + _A_CALL]
                request = rpc.GetContentsRequest(
                    scope=pb.ReadScope(agent_id=agent), selectors=[rpc.ContentSelector(ref=ref) for ref in part]
                )
                answer = await self._insist(
                    lambda request=request: self._client.recall.GetContents(request, timeout=_CALL_S)
                )
                read = {item.record.ref: item.quote.content for item in answer.items}
                lost += [ref for ref in part if read.get(ref) != texts[agent, ref]]
        return lost

    async def _insist(self, make: Callable[[], Awaitable[T]]) -> T:
        """The answer, however often the call must be made again while something is down.

        Raises:
            AioRpcError: It fails for minutes, or in a way that no outage explains.
        """
        deadline = time.monotonic() + _RETRY_S
        while True:
            try:
                return await make()
            except grpc.aio.AioRpcError as error:
                if time.monotonic() > deadline or error.code() not in _PASSING:
                    raise
                name = error.code().name
                self.told.retried[name] = self.told.retried.get(name, 0) + 1
                await asyncio.sleep(0.2)
