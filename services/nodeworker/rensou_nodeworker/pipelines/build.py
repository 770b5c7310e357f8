"""One build: what is derived of a record is brought up to date, by whoever holds its lease.

Progress is kept: terms are stored before the embedding server is asked, a long record's vector before its nodes. Texts
are embedded outside of any transaction; each write is a transaction that holds the record's text and the fence.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from rensou_nodeworker.metrics import FENCED_COMMITS
from rensou_nodeworker.pipelines.models import DATABASE_TIMEOUT_S, EmbeddingServers, Target
from rensou_nodeworker.stages.divide import NodeSpan, ProbeRequest, divide
from rensou_nodeworker.store.builds import end_build, hold_fence
from rensou_nodeworker.store.derived import (
    load_source_text,
    load_vector_state,
    lock_record,
    replace_nodes,
    save_terms,
    save_token_count,
    save_vector,
)
from rensou_nodeworker.types.builds import BuildEnd, FenceLostError, LeasedBuild, SupersededError
from rensou_nodeworker.types.derived import Model, Node, SourceText, VectorState, WholeVector
from rensou_shared.db.pool import Connection, Database
from rensou_shared.embedding.errors import EmbeddingMalformedError, EmbeddingUnavailableError
from rensou_shared.embedding.port import Side, TokenCount
from rensou_shared.text.index import index_terms

EMBED_BATCH = 8
"""Nodes of one request to the embedding server: each fills the window, which takes a small server half a second."""

MAX_BUILD_S = 600.0
"""A build that takes longer is a server that answers, but not in earnest; it is repeated like an outage."""

Write = Callable[[Connection], Awaitable[None]]


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """What is known of a whole text: `vector` and `count` only where they are news, `token_count` (None: unknown)."""

    model: Model
    vector: NDArray[np.float32] | None
    count: TokenCount | None
    token_count: int | None

    @property
    def is_news(self) -> bool:
        return self.vector is not None or self.count is not None

    @property
    def is_long(self) -> bool:
        """Whether the text is known to be past the window. A model whose window nobody knows gives no nodes."""
        window = self.model.token_window
        return self.token_count is not None and window is not None and self.token_count > window


class Builder:
    """Runs builds against one database and the embedding servers."""

    def __init__(self, database: Database, servers: EmbeddingServers, embedding_timeout_s: float) -> None:
        self._database = database
        self._servers = servers
        self._timeout_s = embedding_timeout_s

    async def build(self, claim: LeasedBuild) -> BuildEnd:
        """How the build ended.

        Raises:
            FenceLostError: Another worker has it; nothing of it was written since.
            EmbeddingError, ModelMismatchError, TokensUnknownError, RensouError: It has to be run again, or never.
        """
        try:
            async with asyncio.timeout(MAX_BUILD_S):
                await self._bring_up_to_date(claim)
        except SupersededError:
            return BuildEnd.SUPERSEDED
        except TimeoutError as error:
            raise EmbeddingUnavailableError(f"no end within {MAX_BUILD_S:.0f} s") from error
        return BuildEnd.DONE

    async def _bring_up_to_date(self, claim: LeasedBuild) -> None:
        source = await self._load(claim)
        if not source.has_terms:
            await self._write_terms(claim, source)
        target = await self._servers.target(claim.model_id)
        if target is None:  # its model was retired, or is built by other workers
            await self._supersede(claim)
        async with self._database.transaction(claim.agent_id, DATABASE_TIMEOUT_S) as connection:
            known = await load_vector_state(connection, claim, target.model)
        reading = await self._read_whole(source.content, known, target)
        if reading.is_long and not known.has_nodes:
            await self._build_nodes(claim, source.content, target, reading)
        else:
            # A text that fits keeps no nodes of a smaller window.
            drops_nodes = reading.token_count is not None and not reading.is_long
            await self._save_whole(claim, target, reading, BuildEnd.DONE, drops_nodes=drops_nodes)

    async def _load(self, claim: LeasedBuild) -> SourceText:
        async with self._database.transaction(claim.agent_id, DATABASE_TIMEOUT_S) as connection:
            source = await load_source_text(connection, claim)
        if source is None:
            raise FenceLostError  # the record took its builds with it
        if source.content_sha256 != claim.content_sha256:
            await self._supersede(claim)
        return source

    async def _supersede(self, claim: LeasedBuild) -> NoReturn:
        async with self._database.transaction(claim.agent_id, DATABASE_TIMEOUT_S) as connection:
            if not await end_build(connection, claim, BuildEnd.SUPERSEDED):
                raise FenceLostError
        raise SupersededError

    async def _write_terms(self, claim: LeasedBuild, source: SourceText) -> None:
        terms = await asyncio.to_thread(index_terms, claim.agent_id, source.content)

        async def save(connection: Connection) -> None:
            await save_terms(connection, claim, terms)

        await self._write(claim, save, None)

    async def _read_whole(self, content: str, known: VectorState, target: Target) -> _Reading:
        """What the embedding server says of the whole text, as far as it is not known already."""
        if known.has_vector and known.token_count is not None:
            return _Reading(target.model, None, None, known.token_count)
        if known.has_vector:
            return _reading(target.model, None, await self._count(content, target))
        embedded = await target.server.port.embed([content], Side.PASSAGE, self._timeout_s, with_counts=True)
        count = embedded.counts[0] if embedded.counts else await self._count(content, target)
        return _reading(target.model, embedded.vectors[0], count)

    async def _count(self, text: str, target: Target) -> TokenCount | None:
        counts = await target.server.port.count([text], Side.PASSAGE, self._timeout_s)
        if not counts:
            return None
        _check_window(counts[0], target.model)
        return counts[0]

    async def _build_nodes(self, claim: LeasedBuild, content: str, target: Target, reading: _Reading) -> None:
        if reading.is_news:
            await self._save_whole(claim, target, reading, None, drops_nodes=False)
        spans = await self._divide(content, reading.count, target)
        if not spans:
            raise EmbeddingMalformedError("the server counted the text as past its window, and then as within it")
        nodes = await self._embed_nodes(content, spans, target)
        await target.server.confirm(target.model)

        async def replace(connection: Connection) -> None:
            await replace_nodes(connection, claim, target.model.id, nodes)

        await self._write(claim, replace, BuildEnd.DONE)

    async def _divide(self, content: str, count: TokenCount | None, target: Target) -> tuple[NodeSpan, ...]:
        """The spans of the record's nodes; `count` of the whole text, when it is known, saves the first question."""
        steps = divide(content)
        probe = next(steps)
        try:
            while True:
                is_whole = probe == ProbeRequest(0, len(content))
                text = content[probe.start_char : probe.end_char]
                probe = steps.send(count if is_whole and count is not None else await self._count(text, target))
        except StopIteration as end:
            return end.value

    async def _embed_nodes(self, content: str, spans: Sequence[NodeSpan], target: Target) -> list[Node]:
        nodes: list[Node] = []
        for first in range(0, len(spans), EMBED_BATCH):
            batch = spans[first : first + EMBED_BATCH]
            texts = [content[span.start_char : span.end_char] for span in batch]
            embedded = await target.server.port.embed(texts, Side.PASSAGE, self._timeout_s)
            for span, vector in zip(batch, embedded.vectors, strict=True):
                _check_width(vector, target.model)
                nodes.append(Node(span.start_char, span.end_char, span.token_count, span.window, vector))
        return nodes

    async def _save_whole(
        self, claim: LeasedBuild, target: Target, reading: _Reading, end: BuildEnd | None, *, drops_nodes: bool
    ) -> None:
        if reading.vector is not None:
            await target.server.confirm(target.model)

        model_id = target.model.id

        async def save(connection: Connection) -> None:
            if reading.vector is not None:
                await save_vector(connection, claim, model_id, WholeVector(reading.vector, reading.token_count))
            elif reading.count is not None:
                await save_token_count(connection, claim, model_id, reading.count.count)
            if drops_nodes:
                await replace_nodes(connection, claim, model_id, ())

        await self._write(claim, save, end)

    async def _write(self, claim: LeasedBuild, save: Write, end: BuildEnd | None) -> None:
        """Runs `save` and ends the build as `end`, in one transaction that holds the record's text and the fence.

        The record is locked before the build, in the order of whoever changes or forgets a record.

        Raises:
            FenceLostError: Nothing was written.
            SupersededError: The text changed; the build has ended as superseded.
        """

        async def work(connection: Connection) -> bool:
            content_sha256 = await lock_record(connection, claim)
            if content_sha256 is None:
                raise FenceLostError  # the record took its builds with it
            if not await hold_fence(connection, claim):
                FENCED_COMMITS.inc()
                raise FenceLostError
            if content_sha256 != claim.content_sha256:
                await end_build(connection, claim, BuildEnd.SUPERSEDED)
                return False
            await save(connection)
            if end is not None:
                await end_build(connection, claim, end)
            return True

        if not await self._database.write(claim.agent_id, DATABASE_TIMEOUT_S, work):
            raise SupersededError


def _reading(model: Model, vector: NDArray[np.float32] | None, count: TokenCount | None) -> _Reading:
    """Raises EmbeddingMalformedError for a vector or a count that is not the model's."""
    if vector is not None:
        _check_width(vector, model)
    if count is not None:
        _check_window(count, model)
    return _Reading(model, vector, count, None if count is None else count.count)


def _check_window(count: TokenCount, model: Model) -> None:
    """Nodes of another window would never be the record's current ones, and be made again and again."""
    if model.token_window is not None and count.window != model.token_window:
        raise EmbeddingMalformedError(f"a window of {count.window} tokens, the model has {model.token_window}")


def _check_width(vector: NDArray[np.float32], model: Model) -> None:
    if vector.shape != (model.dimensions,):
        raise EmbeddingMalformedError(f"a vector of {vector.shape[0]} numbers, the model has {model.dimensions}")
