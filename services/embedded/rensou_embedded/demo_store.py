"""The demo's first half: a work log goes in as an agent would put it there."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.demo_corpus import DEMO_SOURCE_TYPE, DemoCorpus
from rensou_embedded.demo_declarations import DemoDeclaration, EntityEnd, EntryEnd
from rensou_embedded.demo_worklog import DemoEntry, DemoEpisode
from rensou_embedded.errors import StackError

_TIMEOUT_S = 110
_BATCH = 50
_NODES_TIMEOUT_S = 240.0


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """A stored work log: refs of its entries by position and of its months, and what was declared."""

    agent_id: str
    entries: tuple[str, ...]
    episodes: tuple[str, ...]
    relations: int
    mentions: int


def _timestamp(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def _entry_request(agent_id: str, entry: DemoEntry) -> rpc.StoreRequest:
    return rpc.StoreRequest(
        scope=pb.WriteScope(agent_id=agent_id),
        memory=rpc.MemoryContent(content=entry.content),
        caller_id=f"entry-{entry.position}",
        occurred_time=_timestamp(entry.occurred_at),
        session_id=entry.session_id,
        source=pb.Source(type=DEMO_SOURCE_TYPE, id=entry.author, name=entry.author),
    )


def _episode_request(agent_id: str, episode: DemoEpisode) -> rpc.StoreRequest:
    return rpc.StoreRequest(
        scope=pb.WriteScope(agent_id=agent_id),
        episode=rpc.EpisodeContent(
            summary=episode.content,
            started_time=_timestamp(episode.started_at),
            ended_time=_timestamp(episode.ended_at),
        ),
        caller_id=f"month-{episode.month}",
    )


async def store_all(client: RensouClient, requests: Sequence[rpc.StoreRequest]) -> tuple[str, ...]:
    """The ref of each request, in order; batches are sent one after the other.

    Raises:
        StackError: A record was refused.
    """
    refs: list[str] = []
    for start in range(0, len(requests), _BATCH):
        batch = rpc.BatchStoreRequest(requests=requests[start : start + _BATCH])
        response = await client.recall.BatchStore(batch, timeout=_TIMEOUT_S)
        for result in response.results:
            if not result.HasField("response"):
                raise StackError(f"a record was refused: {result.error.field} {result.error.message}")
            refs.append(result.response.ref)
    return tuple(refs)


def _end(end: EntityEnd | EntryEnd, entries: Sequence[str]) -> str:
    return end.name if isinstance(end, EntityEnd) else entries[end.position]


def _associations(declaration: DemoDeclaration, entries: Sequence[str]) -> pb.Associations:
    return pb.Associations(
        entities=[pb.EntityDeclaration(name=one.name, aliases=one.aliases) for one in declaration.entities],
        relations=[
            pb.RelationDeclaration(
                subject=_end(one.subject, entries), predicate=one.predicate, object=_end(one.object, entries)
            )
            for one in declaration.relations
        ],
    )


async def store_corpus(client: RensouClient, corpus: DemoCorpus) -> StoredCorpus:
    """Stores the entries as memories and the months as episodes, and declares what the work log connects.

    Raises:
        StackError: A record was refused, or an item of a declaration was dropped.
    """
    agent_id = f"demo-{corpus.language}"
    entries = await store_all(client, [_entry_request(agent_id, entry) for entry in corpus.entries])
    episodes = await store_all(client, [_episode_request(agent_id, month) for month in corpus.episodes])
    relations = mentions = 0
    for declaration in corpus.associations:
        request = assoc.DeclareAssociationsRequest(
            scope=pb.WriteScope(agent_id=agent_id),
            associations=_associations(declaration, entries),
            anchor_ref=entries[declaration.anchor],
        )
        report = (await client.associations.DeclareAssociations(request, timeout=_TIMEOUT_S)).report
        if report.dropped:
            item = report.dropped[0]
            raise StackError(f"a declaration was dropped: {item.item}: {pb.DropReason.Name(item.reason)}")
        relations += sum(one.created for one in report.relations)
        mentions += report.mentions
    return StoredCorpus(agent_id, entries, episodes, relations, mentions)


async def wait_for_nodes(client: RensouClient, stored: StoredCorpus) -> int:
    """How many nodes the worker has cut the episodes into, once it has cut all of them.

    Raises:
        StackError: Not within four minutes.
    """
    request = rpc.GetContentsRequest(
        scope=pb.ReadScope(agent_id=stored.agent_id),
        selectors=[rpc.ContentSelector(ref=ref, span=pb.Span(start=0, end=1)) for ref in stored.episodes],
    )
    try:
        async with asyncio.timeout(_NODES_TIMEOUT_S):
            while True:
                response = await client.recall.GetContents(request, timeout=_TIMEOUT_S)
                counts = [item.node_count for item in response.items]
                if all(counts):
                    return sum(counts)
                await asyncio.sleep(0.2)
    except TimeoutError:
        raise StackError("the worker has not cut the episodes into nodes: see nodeworker.log") from None
