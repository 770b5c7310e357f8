"""FeedbackService."""

from typing import Any

import grpc.aio

from rensou.v1 import feedback_service_pb2 as rpc
from rensou.v1 import feedback_service_pb2_grpc as stubs
from rensou_recall.convert.feedback import decode_diagnostics, decode_report, encode_diagnostics, encode_reported
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.feedback import diagnose, report_use
from rensou_recall.types.call import current_call

Context = grpc.aio.ServicerContext[Any, Any]


class FeedbackHandler(stubs.FeedbackServiceServicer):
    """Takes what agents say about what they were given."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps

    async def ReportUse(self, request: rpc.ReportUseRequest, context: Context) -> rpc.ReportUseResponse:
        """Verdicts on the records of one recall."""
        call = current_call()
        return encode_reported(request, await report_use(self._deps, call, *decode_report(request, call.principal)))

    async def GetDiagnostics(self, request: rpc.GetDiagnosticsRequest, context: Context) -> rpc.GetDiagnosticsResponse:
        """Counts of reports."""
        call = current_call()
        return encode_diagnostics(await diagnose(self._deps, call, *decode_diagnostics(request, call.principal)))
