"""Counts and times every call."""

import asyncio

from google.protobuf.message import Message
from prometheus_client import Gauge, Histogram

from rensou_recall.interceptors.wrapping import Behaviour, Context, UnaryInterceptor

_DURATION = Histogram(
    "rensou_rpc_server_duration_seconds",
    "Time of a call in the server",
    ["method", "code"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
_IN_FLIGHT = Gauge("rensou_rpc_in_flight", "Calls in progress", ["method"])


class TelemetryInterceptor(UnaryInterceptor):
    """Measures each method by its name and code; never by agent, whose number has no bound."""

    async def around(self, method: str, request: Message, context: Context, proceed: Behaviour) -> Message:
        """See the class."""
        with _IN_FLIGHT.labels(method).track_inprogress():
            started = asyncio.get_running_loop().time()
            code = "OK"
            try:
                return await proceed(request, context)
            except BaseException:
                # No code was set: the call was cancelled.
                code = getattr(context.code(), "name", "CANCELLED")
                raise
            finally:
                _DURATION.labels(method, code).observe(asyncio.get_running_loop().time() - started)
