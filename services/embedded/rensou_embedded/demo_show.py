"""The demo's second half: what the agent gets back, printed."""

from collections.abc import Callable, Sequence

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.demo_corpus import DemoCorpus
from rensou_embedded.demo_store import StoredCorpus

Print = Callable[[str], None]

_TIMEOUT_S = 60
_SHOWN_CHARS = 110
_SHOWN_HITS = 3


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARS else flat[: _SHOWN_CHARS - 1] + "…"


def _votes(explanation: rpc.Explanation) -> str:
    parts: list[str] = []
    for vote in explanation.votes:
        name = pb.Arm.Name(vote.arm).removeprefix("ARM_").lower()
        rank = f"#{vote.rank}" if vote.HasField("rank") else "scored"
        parts.append(f"{name} {rank} +{vote.share:.2f}")
    return ", ".join(parts)


def _scope(stored: StoredCorpus) -> pb.ReadScope:
    return pb.ReadScope(agent_id=stored.agent_id)


async def show_recall(client: RensouClient, corpus: DemoCorpus, stored: StoredCorpus, out: Print) -> None:
    """Each question of the script with its best hits, and where the entry that answers it stands."""
    for asked in corpus.script.recalls:
        request = rpc.RecallRequest(scope=_scope(stored), query=asked.question)
        response = await client.recall.Recall(request, timeout=_TIMEOUT_S)
        refs = [hit.record.ref for hit in response.hits]
        expected = stored.entries[asked.expected_entry]
        rank = refs.index(expected) + 1 if expected in refs else None
        out(f"\nRecall  {asked.question}")
        out(f"        the entry that answers it is {expected}: " + (f"rank {rank}" if rank else "not among the hits"))
        for position, hit in enumerate(response.hits[:_SHOWN_HITS], 1):
            out(f"  {position}. {hit.record.ref}  {_line(hit.quote.content)}")
            out(f"     why: score {hit.explanation.score:.3f} = {_votes(hit.explanation)}")


async def show_reconstruct(client: RensouClient, corpus: DemoCorpus, stored: StoredCorpus, out: Print) -> None:
    """The script's question as items of quoted evidence; the first item with every claim and its why."""
    question = corpus.script.reconstruct.question
    request = rpc.ReconstructRequest(scope=_scope(stored), query=question, count=3)
    response = await client.recall.Reconstruct(request, timeout=_TIMEOUT_S)
    out(f"\nReconstruct  {question}")
    for item in response.items:
        out(f"  item {item.head_ref} ({item.independence_reason})  {_line(item.quote.content)}")
        for claim in item.claims:
            hops = f", {claim.hops} hops" if claim.HasField("hops") else ""
            roles = "".join(f", {_role(role.role)} by {role.ref}" for role in claim.roles)
            quoted = f"  {_line(claim.quote.content)}" if claim.HasField("quote") else ""
            out(f"    {claim.ref}  why: {claim.why}{hops}{roles}{quoted}")


def _role(role: rpc.Role) -> str:
    verbs = {
        rpc.ROLE_SUPPORTS: "supported",
        rpc.ROLE_SUPERSEDES: "superseded",
        rpc.ROLE_CORRECTS: "corrected",
        rpc.ROLE_QUALIFIES: "qualified",
        rpc.ROLE_CONTRADICTS: "contradicted",
        rpc.ROLE_TEMPORAL_PREDECESSOR: "preceded",
    }
    return verbs[role]


async def show_traverse(client: RensouClient, corpus: DemoCorpus, stored: StoredCorpus, out: Print) -> None:
    """The walk of the script: entities by hops, and the relations between them."""
    start = corpus.script.traverse
    request = rpc.TraverseRequest(scope=_scope(stored), entity=start.entity, max_hops=start.max_hops)
    response = await client.recall.Traverse(request, timeout=_TIMEOUT_S)
    names = {entity.ref: entity.name for entity in response.entities}
    out(f"\nTraverse  {start.entity}, {start.max_hops} hops")
    for entity in response.entities:
        also = f"  also {', '.join(entity.aliases)}" if entity.aliases else ""
        out(f"  {entity.hops} hops  {entity.name}{also}  in {_refs(entity.mentions)}")
    for relation in response.relations:
        out(f"    {names[relation.subject]} —{relation.predicate}→ {names[relation.object]}  ({relation.anchor_ref})")


def _refs(refs: Sequence[str]) -> str:
    return ", ".join(refs[:5]) + (f" and {len(refs) - 5} more" if len(refs) > 5 else "") if refs else "no record"


async def show_nodes(client: RensouClient, stored: StoredCorpus, out: Print) -> None:
    """The nodes of the first month: each a span of the stored text, whole."""
    ref = stored.episodes[0]
    scope = _scope(stored)
    first = rpc.GetContentsRequest(scope=scope, selectors=[rpc.ContentSelector(ref=ref)])
    (item,) = (await client.recall.GetContents(first, timeout=_TIMEOUT_S)).items
    out(f"\nNodes of {ref}: {item.quote.content_length} code points in {item.node_count} nodes")
    for index in range(item.node_count):
        selector = rpc.ContentSelector(ref=ref, nodes=rpc.NodeRange(first=index, last=index))
        request = rpc.GetContentsRequest(scope=scope, selectors=[selector])
        (node,) = (await client.recall.GetContents(request, timeout=_TIMEOUT_S)).items
        span = node.quote.span
        out(f"  node {index} [{span.start}, {span.end})  {_line(node.quote.content)}")
