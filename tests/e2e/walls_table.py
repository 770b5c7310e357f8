"""What a stranger tries with every method of the contract, and how it looks when the wall holds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import admin_service_pb2 as admin_rpc
from rensou.v1 import association_service_pb2 as associations_rpc
from rensou.v1 import builds_pb2 as builds_rpc
from rensou.v1 import errors_pb2
from rensou.v1 import history_pb2 as history_rpc
from rensou.v1 import lifecycle_service_pb2 as lifecycle_rpc
from rensou.v1 import profile_pb2 as profiles
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou.v1 import validity_pb2 as validity_rpc
from tests.e2e.walls_feedback import FEEDBACK
from tests.e2e.walls_retention import RETENTION
from tests.e2e.walls_world import SECRET, SHARED_NAME, TWINS, World, twin

Answer = Message | grpc.aio.AioRpcError
Request = Callable[[World, str], Message]
Holds = Callable[[World, Answer], bool]


@dataclass(frozen=True, slots=True)
class Probe:
    """A request, made for the agent that is named, and whether its answer shows that the wall holds."""

    request: Request
    holds: Holds


def _strings(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            yield str(value)
            continue
        for one in value if field.is_repeated else [value]:
            if isinstance(one, Message):
                yield from _strings(one)
            elif isinstance(one, str):
                yield one


def is_clean(world: World, answer: Answer) -> bool:
    """An answer without any text, name or ref of the owner's."""
    if not isinstance(answer, Message):
        return False
    return not any(SECRET in text or text in world.foreign_refs for text in _strings(answer))


def _serves_ones_own(world: World, answer: Answer) -> bool:
    """Clean, and not for want of an answer: what is the stranger's own is there."""
    return isinstance(answer, Message) and is_clean(world, answer) and world.own in _strings(answer)


def is_missing(_: World, answer: Answer) -> bool:
    """The error that an unknown ref gives."""
    return isinstance(answer, grpc.aio.AioRpcError) and answer.code() is grpc.StatusCode.NOT_FOUND


def _has_no_hits(world: World, answer: Answer) -> bool:
    return isinstance(answer, rpc.RecallResponse) and is_clean(world, answer) and not answer.hits


def _has_no_items(world: World, answer: Answer) -> bool:
    return isinstance(answer, rpc.ReconstructResponse) and is_clean(world, answer) and not answer.items


def _is_all_unresolved(world: World, answer: Answer) -> bool:
    return (
        isinstance(answer, rpc.GetContentsResponse)
        and not answer.items
        and {one.reason for one in answer.unresolved} == {rpc.UNRESOLVED_REASON_NOT_FOUND}
    )


def _is_refused(_: World, answer: Answer) -> bool:
    return isinstance(answer, lifecycle_rpc.ForgetResponse) and {one.refused for one in answer.results} == {
        errors_pb2.ERROR_REASON_RECORD_NOT_FOUND
    }


def _asserts_nothing(_: World, answer: Answer) -> bool:
    missing = {pb.DROP_REASON_RECORD_NOT_FOUND, pb.DROP_REASON_RELATION_NOT_FOUND}
    return (
        isinstance(answer, validity_rpc.AssertValidityResponse) and {one.dropped for one in answer.results} == missing
    )


def _is_new(world: World, answer: Answer) -> bool:
    """A record of the stranger's own, with entities of its own; what it said of the owner's record is dropped."""
    return (
        isinstance(answer, rpc.StoreResponse)
        and is_clean(world, answer)
        and answer.outcome == rpc.STORE_OUTCOME_STORED
        and all(entity.created for entity in answer.associations.entities)
        and [one.reason for one in answer.associations.dropped] == [pb.DROP_REASON_RECORD_NOT_FOUND]
    )


def _are_new(world: World, answer: Answer) -> bool:
    return isinstance(answer, rpc.BatchStoreResponse) and all(_is_new(world, one.response) for one in answer.results)


def _declares_apart(world: World, answer: Answer) -> bool:
    return (
        isinstance(answer, associations_rpc.DeclareAssociationsResponse)
        and is_clean(world, answer)
        and all(entity.created for entity in answer.report.entities)
        and answer.report.mentions == 0
        and {one.reason for one in answer.report.dropped} == {pb.DROP_REASON_RECORD_NOT_FOUND}
        and (answer.retracted.relations, answer.retracted.mentions) == (0, 0)
    )


def _lists_ones_own(world: World, answer: Answer) -> bool:
    """Clean, and not for want of an answer: the stranger has declared something of every kind."""
    return isinstance(answer, Message) and is_clean(world, answer) and any(answer.ListFields())


def _has_no_entities(world: World, answer: Answer) -> bool:
    return isinstance(answer, associations_rpc.ListEntitiesResponse) and is_clean(world, answer) and not answer.entities


def _is_only_ones_own(world: World, answer: Answer) -> bool:
    """At this point the stranger has three records, and no build of its own is dead."""
    return (
        isinstance(answer, admin_rpc.CheckHealthResponse)
        and is_clean(world, answer)
        and answer.records == 3
        and not {one.check for one in answer.issues}
        & {"dead_builds", "missing_vectors", "orphan_entities", "expired_assertions"}
    )


def _is_for_operators(_: World, answer: Answer) -> bool:
    return isinstance(answer, grpc.aio.AioRpcError) and answer.code() is grpc.StatusCode.PERMISSION_DENIED


def _reads(agent: str, **scope: str) -> pb.ReadScope:
    return pb.ReadScope(agent_id=agent, **scope)


def _linked(world: World, name: str) -> pb.Associations:
    return pb.Associations(
        entities=[pb.EntityDeclaration(name=name)],
        relations=[pb.RelationDeclaration(subject=world.memory, predicate="supports", object="my thing")],
    )


def _recall(query: str, world: World, agent: str, *, source: str = "", past: bool = False, **fields: Any) -> Message:
    fields |= {"known_at": world.past} if past else {}
    return rpc.RecallRequest(scope=_reads(agent, source_id=source), query=query, limit=100, **fields)


def _reconstruct(query: str, world: World, agent: str, *, source: str = "", past: bool = False) -> Message:
    asked = {"query": query, "known_at": world.past if past else None}
    return rpc.ReconstructRequest(scope=_reads(agent, source_id=source), max_hops=5, top_k=100, **asked)


def _traverse(asked: str | Callable[[World], str], world: World, agent: str, *, past: bool = False) -> Message:
    named = {"entity": asked if isinstance(asked, str) else asked(world), "known_at": world.past if past else None}
    return rpc.TraverseRequest(scope=_reads(agent), max_hops=5, limit=100, **named)


def _contents(world: World, agent: str) -> Message:
    whole = [rpc.ContentSelector(ref=ref) for ref in (world.memory, world.episode, world.long)]
    nodes = rpc.ContentSelector(ref=world.long, nodes=rpc.NodeRange(first=0, last=1))
    span = rpc.ContentSelector(ref=world.long, span=pb.Span(start=0, end=8))
    return rpc.GetContentsRequest(scope=_reads(agent), selectors=[*whole, nodes, span])


def _batch(world: World, agent: str) -> Message:
    return rpc.BatchStoreRequest(requests=[twin(agent, TWINS[1], _linked(world, "by batch"))])


def _declare(world: World, agent: str) -> Message:
    return associations_rpc.DeclareAssociationsRequest(
        scope=pb.WriteScope(agent_id=agent),
        associations=_linked(world, "by declare"),
        anchor_ref=world.memory,
        retract=associations_rpc.Retraction(
            relations=[world.relation],
            mentions=[associations_rpc.MentionRef(entity=world.entity, ref=world.memory)],
        ),
    )


def _relations(world: World, agent: str, **fields: str) -> Message:
    return associations_rpc.ListRelationsRequest(scope=_reads(agent), page_size=100, **fields)


def _entities(world: World, agent: str, **fields: str) -> Message:
    return associations_rpc.ListEntitiesRequest(scope=_reads(agent), page_size=100, **fields)


def _history(name: str, world: World, agent: str) -> Message:
    return history_rpc.GetHistoryRequest(scope=_reads(agent), ref=getattr(world, name), include_texts=True)


def _forget(world: World, agent: str) -> Message:
    refs = [world.memory, world.episode]
    return lifecycle_rpc.ForgetRequest(agent_id=agent, refs=refs, mode=lifecycle_rpc.FORGET_MODE_HARD)


def _assert(world: World, agent: str) -> Message:
    said = [validity_rpc.ValidityAssertion(target=ref) for ref in (world.memory, world.episode, world.relation)]
    return validity_rpc.AssertValidityRequest(agent_id=agent, assertions=said)


# Every method by its full name, in the order in which they are tried: what reads before what writes.
TABLE: dict[str, tuple[Probe, ...]] = {
    "rensou.v1.RecallService.Recall": (
        Probe(partial(_recall, f"where is the {SECRET} code?"), _serves_ones_own),
        Probe(partial(_recall, f"where is the {SECRET} code?", fusion=pb.FUSION_RRF), is_clean),
        Probe(partial(_recall, f"where is the {SECRET} code?", profile=profiles.PROFILE_DIVERSE), _serves_ones_own),
        Probe(partial(_recall, f"where is the {SECRET} code?", profile=profiles.PROFILE_GRAPH), _serves_ones_own),
        Probe(partial(_recall, f"where is the {SECRET} code?", past=True), is_clean),
        Probe(partial(_recall, " "), _serves_ones_own),
        Probe(partial(_recall, " ", valid_at=Timestamp(seconds=2**32)), _serves_ones_own),
        Probe(partial(_recall, " ", source=f"{SECRET}:"), _has_no_hits),
        Probe(partial(_recall, "the green stone", source=f"{SECRET}:1"), _has_no_hits),
    ),
    "rensou.v1.RecallService.Reconstruct": (
        Probe(partial(_reconstruct, f"what does {SHARED_NAME} say of by question and the {SECRET} tower?"), is_clean),
        Probe(partial(_reconstruct, f"what of the {SECRET} ruin?", past=True), is_clean),
        Probe(partial(_reconstruct, ""), _serves_ones_own),
        Probe(partial(_reconstruct, "the green stone", source=f"{SECRET}:"), _has_no_items),
    ),
    "rensou.v1.RecallService.Traverse": (
        Probe(partial(_traverse, f"{SECRET} tower"), is_missing),
        Probe(partial(_traverse, "by traverse"), is_missing),
        Probe(partial(_traverse, f"{SECRET} ruin", past=True), is_missing),
        Probe(partial(_traverse, lambda world: world.entity), is_missing),
        Probe(partial(_traverse, SHARED_NAME), _serves_ones_own),
    ),
    "rensou.v1.AssociationService.ListRelations": (
        Probe(_relations, _lists_ones_own),
        Probe(lambda world, agent: _relations(world, agent, end_ref=world.entity), is_missing),
        Probe(lambda world, agent: _relations(world, agent, end_ref=world.memory), is_missing),
    ),
    "rensou.v1.AssociationService.ListEntities": (
        Probe(_entities, _lists_ones_own),
        Probe(lambda world, agent: _entities(world, agent, name=SHARED_NAME), _lists_ones_own),
        Probe(lambda world, agent: _entities(world, agent, name="by question"), _has_no_entities),
        Probe(lambda world, agent: _entities(world, agent, mentioned_in=world.memory), is_missing),
    ),
    "rensou.v1.AssociationService.ListContradictionCandidates": (
        Probe(
            lambda _, agent: associations_rpc.ListContradictionCandidatesRequest(scope=_reads(agent)), _lists_ones_own
        ),
    ),
    "rensou.v1.LifecycleService.GetHistory": (
        Probe(partial(_history, "memory"), is_missing),
        Probe(partial(_history, "relation"), is_missing),
    ),
    "rensou.v1.RecallService.GetContents": (Probe(_contents, _is_all_unresolved),),
    "rensou.v1.RecallService.Store": (
        Probe(lambda world, agent: twin(agent, TWINS[0], _linked(world, "by store")), _is_new),
    ),
    "rensou.v1.RecallService.BatchStore": (Probe(_batch, _are_new),),
    "rensou.v1.AdminService.CheckHealth": (
        Probe(lambda _, agent: admin_rpc.CheckHealthRequest(agent_id=agent), _is_only_ones_own),
        Probe(lambda _, agent: admin_rpc.CheckHealthRequest(agent_id=agent, repair=True), _is_only_ones_own),
    ),
    "rensou.v1.AdminService.GetCapabilities": (Probe(lambda *_: admin_rpc.GetCapabilitiesRequest(), is_clean),),
    **{
        name: (Probe(request, _is_for_operators),)
        for name, request in {
            "rensou.v1.AdminService.ListEmbeddingModels": lambda *_: admin_rpc.ListEmbeddingModelsRequest(),
            "rensou.v1.AdminService.ActivateEmbeddingModel": lambda *_: admin_rpc.ActivateEmbeddingModelRequest(
                fingerprint="1:abc"
            ),
            "rensou.v1.AdminService.ListBuilds": lambda *_: builds_rpc.ListBuildsRequest(with_summary=True),
            "rensou.v1.AdminService.RetryBuilds": lambda *_: builds_rpc.RetryBuildsRequest(all=True),
        }.items()
    },
    "rensou.v1.AssociationService.DeclareAssociations": (Probe(_declare, _declares_apart),),
    "rensou.v1.AssociationService.DeleteEntity": (
        Probe(lambda world, agent: associations_rpc.DeleteEntityRequest(agent_id=agent, ref=world.entity), is_missing),
    ),
    "rensou.v1.LifecycleService.LockRecord": (
        Probe(lambda world, agent: lifecycle_rpc.LockRecordRequest(agent_id=agent, ref=world.long), is_missing),
    ),
    "rensou.v1.LifecycleService.UnlockRecord": (
        Probe(lambda world, agent: lifecycle_rpc.UnlockRecordRequest(agent_id=agent, ref=world.long), is_missing),
    ),
    "rensou.v1.LifecycleService.ReviseRecord": (
        Probe(
            lambda world, agent: lifecycle_rpc.ReviseRecordRequest(agent_id=agent, ref=world.memory, content="mine"),
            is_missing,
        ),
    ),
    **{f"rensou.v1.LifecycleService.{name}": (Probe(asked, holds),) for name, asked, holds in RETENTION},
    "rensou.v1.LifecycleService.AssertValidity": (Probe(_assert, _asserts_nothing),),
    **{f"rensou.v1.FeedbackService.{name}": (Probe(asked, holds),) for name, asked, holds in FEEDBACK},
    "rensou.v1.LifecycleService.Forget": (Probe(_forget, _is_refused),),
}
