"""Reports on what was recalled, and what they say."""

import re
from collections.abc import Sequence
from typing import Final

from rensou.v1 import feedback_service_pb2 as rpc
from rensou_recall.convert.fields import bound, require_list, require_name
from rensou_recall.convert.records import encode_lowered
from rensou_recall.convert.scopes import decode_agent
from rensou_recall.types.call import Principal
from rensou_recall.types.feedback import Diagnostics, FailureCode, UseDrop, UseReport, Verdict
from rensou_recall.types.records import LoweredBound
from rensou_shared.domain import MAX_REPORTED_USES, MAX_SCOPE_NAME_BYTES
from rensou_shared.errors import InvalidField
from rensou_shared.ids import AgentId, parse_record_ref

DEFAULT_MONTHS, MAX_MONTHS = 3, 12

_VERDICTS: Final = {
    rpc.USE_VERDICT_USED: Verdict.USED,
    rpc.USE_VERDICT_UNUSED: Verdict.UNUSED,
    rpc.USE_VERDICT_WRONG: Verdict.WRONG,
}
_VERDICT_VALUES: Final = {verdict: value for value, verdict in _VERDICTS.items()}
_CODES: Final = {
    FailureCode.NONE: rpc.FAILURE_CODE_NONE,
    FailureCode.SYSTEM_DEGRADED: rpc.FAILURE_CODE_SYSTEM_DEGRADED,
    FailureCode.STALE_CONFLICT: rpc.FAILURE_CODE_STALE_CONFLICT,
    FailureCode.UNATTRIBUTED: rpc.FAILURE_CODE_UNATTRIBUTED,
    FailureCode.CANDIDATE_MISS: rpc.FAILURE_CODE_CANDIDATE_MISS,
    FailureCode.FILTER_DROP: rpc.FAILURE_CODE_FILTER_DROP,
    FailureCode.RANKING_MISS: rpc.FAILURE_CODE_RANKING_MISS,
    FailureCode.EVIDENCE_NOISE: rpc.FAILURE_CODE_EVIDENCE_NOISE,
}
_DROPS: Final = {
    UseDrop.UNKNOWN_RECALL: rpc.USE_DROP_REASON_UNKNOWN_RECALL,
    UseDrop.UNKNOWN_RECORD: rpc.USE_DROP_REASON_UNKNOWN_RECORD,
    UseDrop.BAD_VERDICT: rpc.USE_DROP_REASON_BAD_VERDICT,
    UseDrop.INVALID_REF: rpc.USE_DROP_REASON_INVALID_REF,
}
_RECALL_ID: Final = re.compile(r"[0-9a-f]{32}")


def decode_report(
    request: rpc.ReportUseRequest, principal: Principal
) -> tuple[AgentId, str, list[UseReport | UseDrop]]:
    """Whose recall, which, and the verdicts; in the place of one that is none, why it is dropped.

    Raises:
        InvalidField, TooLarge, PermissionDenied: As their names say.
    """
    agent_id = decode_agent("agent_id", request.agent_id, principal)
    recall_id = require_name("recall_id", request.recall_id, MAX_SCOPE_NAME_BYTES)
    if _RECALL_ID.fullmatch(recall_id) is None:
        raise InvalidField("recall_id", "must be the 32 hexadecimal digits of an answer's recall_id")
    require_list("items", request.items, MAX_REPORTED_USES, minimum=1)
    return agent_id, recall_id, [_decode_item(item) for item in request.items]


def _decode_item(item: rpc.UseReport) -> UseReport | UseDrop:
    ref, verdict = parse_record_ref(item.ref), _VERDICTS.get(item.verdict)
    if ref is None:
        return UseDrop.INVALID_REF
    return UseDrop.BAD_VERDICT if verdict is None else UseReport(ref, verdict)


def encode_reported(request: rpc.ReportUseRequest, judged: Sequence[FailureCode | UseDrop]) -> rpc.ReportUseResponse:
    """What became of each verdict."""
    return rpc.ReportUseResponse(
        results=[
            rpc.UseResult(ref=item.ref, dropped=_DROPS[one])
            if isinstance(one, UseDrop)
            else rpc.UseResult(ref=item.ref, code=_CODES[one])
            for item, one in zip(request.items, judged, strict=True)
        ],
        persisted=any(isinstance(one, FailureCode) for one in judged),
    )


def decode_diagnostics(
    request: rpc.GetDiagnosticsRequest, principal: Principal
) -> tuple[AgentId, str | None, int, list[LoweredBound]]:
    """Whose reports, of which project, of how many months, and what was lowered.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    agent_id = decode_agent("agent_id", request.agent_id, principal)
    project = None
    if request.HasField("project_id"):
        project = require_name("project_id", request.project_id, MAX_SCOPE_NAME_BYTES)
    months, lowered = bound(request, "months", default=DEFAULT_MONTHS, maximum=MAX_MONTHS, minimum=1)
    return agent_id, project, months, lowered


def encode_diagnostics(found: Diagnostics) -> rpc.GetDiagnosticsResponse:
    """What the reports say."""
    return rpc.GetDiagnosticsResponse(
        counts=[
            rpc.UseCount(
                month=one.month,
                project_id=one.project_id,
                verdict=_VERDICT_VALUES[one.verdict],
                code=_CODES[one.code],
                reports=one.reports,
            )
            for one in found.counts
        ],
        counts_omitted=found.counts_omitted,
        refs=[rpc.RefUse(ref=str(one.ref), wrong=one.wrong, unused=one.unused, used=one.used) for one in found.refs],
        lowered=[encode_lowered(one) for one in found.lowered],
    )
