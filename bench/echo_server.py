"""A gRPC server that gives bytes back: what a call costs before anything is done for it.

The first four bytes of a request say how long the answer is to be. Prints its port and serves until its standard input
ends.
"""

import asyncio
import sys
from typing import Any

import grpc.aio
import uvloop

METHOD = "/bench.Echo/Echo"
_LENGTH_BYTES = 4


def echo_request(request_bytes: int, answer_bytes: int) -> bytes:
    """A request of `request_bytes` (at least 4) that is answered by `answer_bytes`."""
    return answer_bytes.to_bytes(_LENGTH_BYTES, "big").ljust(request_bytes, b"\0")


async def _answer(request: bytes, _: Any) -> bytes:
    return bytes(int.from_bytes(request[:_LENGTH_BYTES], "big"))


class _Echo(grpc.GenericRpcHandler):
    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        return grpc.unary_unary_rpc_method_handler(_answer) if handler_call_details.method == METHOD else None


async def serve() -> None:
    """Until standard input ends."""
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((_Echo(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(None)


if __name__ == "__main__":
    uvloop.run(serve())
