"""Scopes of requests."""

from dataclasses import replace

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.fields import decode_time, require_name
from rensou_recall.types.call import Principal
from rensou_shared.domain import MAX_SCOPE_NAME_BYTES
from rensou_shared.errors import InvalidField
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope, WriteScope


def decode_agent(field: str, agent_id: str, principal: Principal) -> AgentId:
    """The agent of a call.

    Raises:
        InvalidField: It is missing, blank or too long.
        PermissionDenied: The credential does not reach it.
    """
    require_name(field, agent_id, MAX_SCOPE_NAME_BYTES)
    if agent_id == "" and not principal.names_one_agent:
        raise InvalidField(field, "is required")
    return principal.agent(agent_id)


def decode_read_scope(scope: pb.ReadScope, principal: Principal) -> ReadScope:
    """What a call may read.

    Raises:
        InvalidField, PermissionDenied: As in `decode_agent`.
    """
    agent = decode_agent("scope.agent_id", scope.agent_id, principal)
    require_name("scope.project_id", scope.project_id, MAX_SCOPE_NAME_BYTES)
    require_name("scope.channel", scope.channel, MAX_SCOPE_NAME_BYTES)
    require_name("scope.source_id", scope.source_id, MAX_SCOPE_NAME_BYTES)
    project = scope.project_id if scope.HasField("project_id") else None
    return ReadScope(agent, project, scope.channel, scope.source_id)


def decode_known_scope(
    request: rpc.RecallRequest | rpc.ReconstructRequest | rpc.TraverseRequest, principal: Principal
) -> ReadScope:
    """What a call may read, as it was known at the time that it names.

    Raises:
        InvalidField, PermissionDenied: As in `decode_agent`.
    """
    scope = decode_read_scope(request.scope, principal)
    return replace(scope, known_at=decode_time("known_at", request, "known_at"))


def decode_write_scope(scope: pb.WriteScope, principal: Principal) -> WriteScope:
    """Whom a record or a declaration belongs to.

    Raises:
        InvalidField, PermissionDenied: As in `decode_agent`.
    """
    agent = decode_agent("scope.agent_id", scope.agent_id, principal)
    require_name("scope.project_id", scope.project_id, MAX_SCOPE_NAME_BYTES)
    require_name("scope.channel", scope.channel, MAX_SCOPE_NAME_BYTES)
    return WriteScope(agent, scope.project_id, scope.channel)
