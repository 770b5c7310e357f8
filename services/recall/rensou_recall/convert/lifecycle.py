"""Changes of records."""

from collections.abc import Callable, Sequence

from rensou.v1 import errors_pb2, retention_pb2
from rensou.v1 import lifecycle_service_pb2 as rpc
from rensou_recall.convert.fields import encode_time, require_list, require_name, require_record_ref, require_text
from rensou_recall.convert.records import encode_outlook
from rensou_recall.convert.scopes import decode_agent
from rensou_recall.types.call import Principal
from rensou_recall.types.lifecycle import (
    SUPPORTED_FORGET_MODES,
    ForgetAnswer,
    ForgetMode,
    Forgotten,
    Retired,
    Revised,
    Revision,
)
from rensou_shared.domain import MAX_FORGET_REFS, MAX_REASON_BYTES
from rensou_shared.errors import InvalidField, RensouError, UnsupportedMode
from rensou_shared.ids import AgentId, RecordRef

_MODES = {
    rpc.FORGET_MODE_RETIRE: ForgetMode.RETIRE,
    rpc.FORGET_MODE_TOMBSTONE: ForgetMode.TOMBSTONE,
    rpc.FORGET_MODE_HARD: ForgetMode.HARD,
}
SUPPORTED_MODES = [number for number, mode in _MODES.items() if mode in SUPPORTED_FORGET_MODES]


def decode_revise(request: rpc.ReviseRecordRequest, principal: Principal, max_chars: int) -> tuple[AgentId, Revision]:
    """Whose record, and its new text.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    agent_id = decode_agent("agent_id", request.agent_id, principal)
    ref = require_record_ref("ref", request.ref)
    content = require_text("content", request.content, max_chars)
    if request.expected_revision < 0:
        raise InvalidField("expected_revision", "must be 0 or more")
    return agent_id, Revision(ref, content, request.expected_revision)


def encode_revised(revised: Revised) -> rpc.ReviseRecordResponse:
    """What the record is now."""
    return rpc.ReviseRecordResponse(
        ref=str(revised.ref),
        revision=revised.revision,
        embedded=revised.embedded,
        nodes=encode_outlook(revised.nodes),
    )


def decode_lock(
    request: rpc.LockRecordRequest | rpc.UnlockRecordRequest, principal: Principal
) -> tuple[AgentId, RecordRef]:
    """Whose record, and which.

    Raises:
        InvalidField, PermissionDenied: As their names say.
    """
    agent_id = decode_agent("agent_id", request.agent_id, principal)
    return agent_id, require_record_ref("ref", request.ref)


def decode_forget(
    request: rpc.ForgetRequest, principal: Principal
) -> tuple[AgentId, list[RecordRef | InvalidField], ForgetMode, str]:
    """Whose records, which, how and why; in the place of a ref that is none, or stands already, what is wrong with it.

    Raises:
        InvalidField, TooLarge, PermissionDenied, UnsupportedMode: As their names say.
    """
    agent_id = decode_agent("agent_id", request.agent_id, principal)
    require_list("refs", request.refs, MAX_FORGET_REFS, minimum=1)
    if request.mode == rpc.FORGET_MODE_UNSPECIFIED:
        raise InvalidField("mode", "must be said: FORGET_MODE_HARD, for instance")
    if request.mode not in _MODES:
        raise UnsupportedMode(f"{request.mode}")
    mode, reason = _MODES[request.mode], require_name("reason", request.reason, MAX_REASON_BYTES)
    if reason and mode is not ForgetMode.RETIRE:
        raise InvalidField("reason", "is kept of a retired record alone")
    return agent_id, _read_refs(request.refs), mode, reason


def decode_restore(
    request: retention_pb2.RestoreRequest, principal: Principal
) -> tuple[AgentId, list[RecordRef | InvalidField]]:
    """Whose records, and which, as in `decode_forget`.

    Raises:
        InvalidField, TooLarge, PermissionDenied: As their names say.
    """
    agent_id = decode_agent("agent_id", request.agent_id, principal)
    require_list("refs", request.refs, MAX_FORGET_REFS, minimum=1)
    return agent_id, _read_refs(request.refs)


def _read_refs(texts: Sequence[str]) -> list[RecordRef | InvalidField]:
    refs: list[RecordRef | InvalidField] = []
    for text in texts:
        refs.append(_read_ref(f"refs[{len(refs)}]", text, refs))
    return refs


def _read_ref(path: str, text: str, before: Sequence[RecordRef | InvalidField]) -> RecordRef | InvalidField:
    try:
        ref = require_record_ref(path, text)
    except InvalidField as error:
        return error
    return InvalidField(path, f"stands already at refs[{before.index(ref)}]") if ref in before else ref


def encode_forgotten(
    asked: Sequence[str],
    answers: Sequence[ForgetAnswer],
    reason_of: Callable[[RensouError], errors_pb2.ErrorReason],
) -> rpc.ForgetResponse:
    """What became of each ref, as it was asked; `reason_of` names the error of one that was refused."""
    results: list[rpc.ForgetResult] = []
    for ref, answer in zip(asked, answers, strict=True):
        if isinstance(answer, Forgotten):
            results.append(rpc.ForgetResult(ref=ref, forgotten=_encode_counts(answer)))
        elif isinstance(answer, Retired):
            gone = retention_pb2.RetiredRecord(retire_time=encode_time(answer.at), caller_ids=answer.caller_ids)
            results.append(rpc.ForgetResult(ref=ref, retired=gone))
        else:
            results.append(rpc.ForgetResult(ref=ref, refused=reason_of(answer)))
    return rpc.ForgetResponse(results=results)


def _encode_counts(forgotten: Forgotten) -> rpc.ForgottenArtifacts:
    return rpc.ForgottenArtifacts(
        revisions=forgotten.revisions,
        vectors=forgotten.vectors,
        terms=forgotten.terms,
        nodes=forgotten.nodes,
        builds=forgotten.builds,
        mentions=forgotten.mentions,
        relations=forgotten.relations,
        caller_ids=forgotten.caller_ids,
        retirements=forgotten.retirements,
    )
