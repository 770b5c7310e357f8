"""Traces of reconstructions as messages."""

from rensou.v1 import confidence_pb2
from rensou.v1 import recall_service_pb2 as rpc
from rensou_recall.convert.confidence import LEVELS
from rensou_recall.convert.trace import encode_trace
from rensou_recall.types.reconstruct_trace import ReconstructTrace, TracedItem, TracedMember, TracedWalk


def encode_reconstruct_trace(trace: ReconstructTrace | None) -> rpc.ReconstructTrace | None:
    """The trace; None stays None."""
    if trace is None:
        return None
    return rpc.ReconstructTrace(
        retrieval=encode_trace(trace.retrieval),
        candidates=trace.candidates,
        bundles=trace.bundles,
        walk=_walk(trace.walk),
        items=[_item(item) for item in trace.items],
        sufficiency=rpc.TracedSufficiency(
            met=trace.sufficiency.met, head_refs=[str(ref) for ref in trace.sufficiency.heads]
        ),
    )


def _walk(walk: TracedWalk) -> rpc.TracedWalk:
    return rpc.TracedWalk(mentioned=walk.mentioned, entities=walk.entities, edges=walk.edges, records=walk.records)


def _item(item: TracedItem) -> rpc.TracedItem:
    return rpc.TracedItem(
        head_ref=str(item.head_ref),
        members=[_member(member) for member in item.members],
        reached=item.reached,
        claims=item.claims,
        quotes=item.quotes,
        confidence=confidence_pb2.CONFIDENCE_LEVEL_UNSPECIFIED if item.confidence is None else LEVELS[item.confidence],
        returned=item.is_returned,
    )


def _member(member: TracedMember) -> rpc.TracedMember:
    return rpc.TracedMember(ref=str(member.ref), rank=member.rank, why=member.why)
