"""LifecycleService."""

from typing import Any

import grpc.aio

from rensou.v1 import history_pb2, validity_pb2
from rensou.v1 import lifecycle_service_pb2 as rpc
from rensou.v1 import lifecycle_service_pb2_grpc as stubs
from rensou.v1 import retention_pb2 as pb
from rensou_recall import status
from rensou_recall.convert.history import decode_history, encode_history
from rensou_recall.convert.lifecycle import (
    decode_forget,
    decode_lock,
    decode_restore,
    decode_revise,
    encode_forgotten,
    encode_revised,
)
from rensou_recall.convert.retention import (
    decode_apply,
    decode_key,
    decode_list,
    decode_place,
    decode_put,
    encode_applied,
    encode_matches,
    encode_policy,
    encode_restored,
)
from rensou_recall.convert.validity import decode_assert, encode_asserted
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.history import get_history
from rensou_recall.pipelines.lifecycle import forget, revise, set_locked
from rensou_recall.pipelines.retention import (
    apply_retention,
    list_policies,
    list_retention,
    put_policy,
    remove_policy,
)
from rensou_recall.pipelines.retirement import restore
from rensou_recall.pipelines.validity import assert_validity
from rensou_recall.types.call import current_call

Context = grpc.aio.ServicerContext[Any, Any]


class LifecycleHandler(stubs.LifecycleServiceServicer):
    """Changes what is stored."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps

    async def ReviseRecord(self, request: rpc.ReviseRecordRequest, context: Context) -> rpc.ReviseRecordResponse:
        """A new text; the former one is kept."""
        call = current_call()
        agent_id, revision = decode_revise(request, call.principal, self._deps.limits.content_chars)
        return encode_revised(await revise(self._deps, call, agent_id, revision))

    async def LockRecord(self, request: rpc.LockRecordRequest, context: Context) -> rpc.LockRecordResponse:
        """Guards a record."""
        call = current_call()
        agent_id, ref = decode_lock(request, call.principal)
        return rpc.LockRecordResponse(changed=await set_locked(self._deps, call, agent_id, ref, True))

    async def UnlockRecord(self, request: rpc.UnlockRecordRequest, context: Context) -> rpc.UnlockRecordResponse:
        """Takes the guard away."""
        call = current_call()
        agent_id, ref = decode_lock(request, call.principal)
        return rpc.UnlockRecordResponse(changed=await set_locked(self._deps, call, agent_id, ref, False))

    async def Forget(self, request: rpc.ForgetRequest, context: Context) -> rpc.ForgetResponse:
        """Removes records."""
        call = current_call()
        agent_id, refs, mode, reason = decode_forget(request, call.principal)
        answers = await forget(self._deps, call, agent_id, refs, mode, reason)
        return encode_forgotten(request.refs, answers, status.reason_of)

    async def Restore(self, request: pb.RestoreRequest, context: Context) -> pb.RestoreResponse:
        """Makes retired records live again."""
        call = current_call()
        agent_id, refs = decode_restore(request, call.principal)
        return encode_restored(request.refs, await restore(self._deps, call, agent_id, refs), status.reason_of)

    async def PutRetentionPolicy(
        self, request: pb.PutRetentionPolicyRequest, context: Context
    ) -> pb.PutRetentionPolicyResponse:
        """Writes a policy."""
        call = current_call()
        key, tests = decode_put(request, call.principal)
        return pb.PutRetentionPolicyResponse(policy=encode_policy(await put_policy(self._deps, call, key, tests)))

    async def DeleteRetentionPolicy(
        self, request: pb.DeleteRetentionPolicyRequest, context: Context
    ) -> pb.DeleteRetentionPolicyResponse:
        """Takes a policy away."""
        call = current_call()
        await remove_policy(self._deps, call, decode_key("key", request.key, call.principal))
        return pb.DeleteRetentionPolicyResponse()

    async def ListRetentionPolicies(
        self, request: pb.ListRetentionPoliciesRequest, context: Context
    ) -> pb.ListRetentionPoliciesResponse:
        """The policies of a place."""
        call = current_call()
        policies = await list_policies(self._deps, call, decode_place("scope", request.scope, call.principal))
        return pb.ListRetentionPoliciesResponse(policies=[encode_policy(policy) for policy in policies])

    async def ListRetention(self, request: pb.ListRetentionRequest, context: Context) -> pb.ListRetentionResponse:
        """What a policy would retire."""
        call = current_call()
        key, page = decode_list(request, call.principal)
        return encode_matches(await list_retention(self._deps, call, key, page))

    async def ApplyRetention(self, request: pb.ApplyRetentionRequest, context: Context) -> pb.ApplyRetentionResponse:
        """Retires what a policy names."""
        call = current_call()
        application = decode_apply(request, call.principal)
        return encode_applied(await apply_retention(self._deps, call, application))

    async def GetHistory(
        self, request: history_pb2.GetHistoryRequest, context: Context
    ) -> history_pb2.GetHistoryResponse:
        """What stood, and since when."""
        call = current_call()
        asked = decode_history(request, call.principal)
        return encode_history(asked, await get_history(self._deps, call, asked))

    async def AssertValidity(
        self, request: validity_pb2.AssertValidityRequest, context: Context
    ) -> validity_pb2.AssertValidityResponse:
        """When records and relations are true."""
        call = current_call()
        agent_id, assertions = decode_assert(request, call.principal)
        return encode_asserted(request, await assert_validity(self._deps, call, agent_id, assertions))
