"""What a stranger tries with the recalls that are on record for another agent."""

from collections.abc import Callable

import grpc.aio
from google.protobuf.message import Message

from rensou.v1 import feedback_service_pb2 as rpc
from tests.e2e.walls_world import World

Answer = Message | grpc.aio.AioRpcError


def _report(world: World, agent: str) -> Message:
    items = [rpc.UseReport(ref=ref, verdict=rpc.USE_VERDICT_WRONG) for ref in (world.memory, world.own)]
    return rpc.ReportUseRequest(agent_id=agent, recall_id=world.recall, items=items)


def _knows_no_recall(_: World, answer: Answer) -> bool:
    unknown = rpc.USE_DROP_REASON_UNKNOWN_RECALL
    return isinstance(answer, rpc.ReportUseResponse) and {one.dropped for one in answer.results} == {unknown}


def _says_nothing(_: World, answer: Answer) -> bool:
    return isinstance(answer, rpc.GetDiagnosticsResponse) and not answer.counts and not answer.refs


# Method, request, and whether the wall holds.
FEEDBACK: tuple[tuple[str, Callable[[World, str], Message], Callable[[World, Answer], bool]], ...] = (
    ("GetDiagnostics", lambda _, agent: rpc.GetDiagnosticsRequest(agent_id=agent), _says_nothing),
    ("ReportUse", _report, _knows_no_recall),
)
