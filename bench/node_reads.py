"""Whether nodes change what is found, and how many of them begin in the middle of a sentence."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from node_builds import stack_options
from node_stores import drained
from node_workers import workers
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.conversations import Conversation
from rensou_embedded.stack import EmbeddedStack

_TIMEOUT_S = 120.0
_DEMO = Path(__file__).parent.parent / "services" / "embedded" / "rensou_embedded" / "demo_data"
_SHIPPED = ("worklog_en.md", "worklog_ja.md")
# A sentence has ended before white space when a mark stands there, closing brackets and quotes behind it left alone.
_ENDED = re.compile(r"""[.!?。．！？…][)\]}'"’”」』）】*_`]*\s*\Z""")
_LINE_ENDED = re.compile(r"\n[ \t]*\Z")

_STARTS = b"""
SELECT r.agent_id, left(r.content, n.start_char), n.start_char > 0
FROM rensou.record_nodes n
JOIN rensou.records r ON r.agent_id = n.agent_id AND r.id = n.record_id
"""
_DROP = b"DELETE FROM rensou.record_nodes"


class Asked(NamedTuple):
    """What was answered to one question: the refs of Recall, and those of Reconstruct with the claims of each."""

    recalled: tuple[str, ...]
    reconstructed: tuple[tuple[str, ...], ...]


def is_mid_sentence(before: str) -> bool:
    """Whether what follows `before` goes on with its last sentence: neither a line nor a sentence ends there."""
    return not (_LINE_ENDED.search(before) or _ENDED.search(before))


def joined(conversation: Conversation) -> list[str]:
    """A text for each session, a paragraph a turn."""
    sessions: dict[str, list[str]] = defaultdict(list)
    for turn in conversation.turns:
        sessions[turn.session].append(f"{turn.speaker}: {turn.text}")
    return ["\n\n".join(turns) for turns in sessions.values()]


async def _store(client: RensouClient, agent_id: str, texts: Iterable[str], limit: int) -> None:
    for text in texts:
        for start in range(0, len(text), limit):
            content = rpc.MemoryContent(content=text[start : start + limit])
            request = rpc.StoreRequest(scope=pb.WriteScope(agent_id=agent_id), memory=content)
            await client.recall.Store(request, timeout=_TIMEOUT_S)


async def _ask(client: RensouClient, conversations: Sequence[Conversation]) -> list[Asked]:
    found: list[Asked] = []
    for one in conversations:
        scope = pb.ReadScope(agent_id=one.id)
        for question in one.questions:
            recalled = await client.recall.Recall(
                rpc.RecallRequest(scope=scope, query=question.text), timeout=_TIMEOUT_S
            )
            told = await client.recall.Reconstruct(
                rpc.ReconstructRequest(scope=scope, query=question.text), timeout=_TIMEOUT_S
            )
            items = tuple(tuple(claim.ref for claim in item.claims) for item in told.items)
            found.append(Asked(tuple(hit.record.ref for hit in recalled.hits), items))
    return found


def _shares(admin_dsn: str, prefix: str) -> dict[str, Any]:
    begun: dict[str, list[bool]] = defaultdict(list)
    with psycopg.connect(admin_dsn) as connection:
        for agent_id, before, is_later in connection.execute(_STARTS):
            if is_later:
                begun["joined" if not str(agent_id).startswith(prefix) else str(agent_id)].append(
                    is_mid_sentence(before)
                )
    return {f"mid_sentence_{name}": [sum(mids), len(mids)] for name, mids in sorted(begun.items())}


async def what_nodes_change(
    folder: Path, environ: dict[str, str], conversations: Sequence[Conversation]
) -> dict[str, Any]:
    """The figures of a fresh stack with the bundled model: the shipped texts, and conversations joined by session."""
    stack = EmbeddedStack(stack_options(folder, environ), Console(quiet=True))
    await stack.start()
    try:
        async with RensouClient(stack.grpc_address) as client:
            for name in _SHIPPED:
                text = (_DEMO / name).read_text("utf-8")
                await _store(client, f"shipped {name}", [text], 16_000)
            for one in conversations:
                await _store(client, one.id, joined(one), 16_000)
            async with workers(stack, 1, 4):
                await drained(stack.admin_dsn)
            figures = _shares(stack.admin_dsn, "shipped ")
            before = await _ask(client, conversations)
            await asyncio.to_thread(_drop_nodes, stack.admin_dsn)
            after = await _ask(client, conversations)
        differ = sum(one != other for one, other in zip(before, after, strict=True))
        return figures | {"questions": len(before), "differ_without_nodes": differ}
    finally:
        await stack.stop()


def _drop_nodes(admin_dsn: str) -> None:
    with psycopg.connect(admin_dsn, autocommit=True) as connection:
        connection.execute(_DROP)
