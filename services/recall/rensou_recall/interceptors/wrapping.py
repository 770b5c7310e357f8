"""How an interceptor surrounds a unary method."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

import grpc
import grpc.aio
from google.protobuf.message import Message

Context = grpc.aio.ServicerContext[Any, Any]
Behaviour = Callable[[Message, Context], Awaitable[Message]]
Continuation = Callable[[grpc.HandlerCallDetails], Awaitable["grpc.RpcMethodHandler[Any, Any]"]]

# Some of its parameters have no type in the stubs.
_unary_handler = cast("Callable[..., grpc.RpcMethodHandler[Any, Any]]", grpc.unary_unary_rpc_method_handler)


def is_infrastructure(method: str) -> bool:
    """Whether the method is gRPC's own (health, reflection), which the service's rules leave alone."""
    return method.startswith("/grpc.")


# Generic in its stubs, plain at run time.
_Base = grpc.aio.ServerInterceptor[Any, Any] if TYPE_CHECKING else grpc.aio.ServerInterceptor


class UnaryInterceptor(_Base):
    """Surrounds every unary method of the service with `around`."""

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        # A method that does not exist has no handler, whatever the stubs' types say.
        if not handler or is_infrastructure(method) or handler.unary_unary is None:
            return handler
        proceed = cast("Behaviour", handler.unary_unary)

        async def behaviour(request: Message, context: Context) -> Message:
            return await self.around(method, request, context, proceed)

        plain: Any = handler
        return _unary_handler(
            behaviour,
            request_deserializer=self.deserializer(plain.request_deserializer),
            response_serializer=plain.response_serializer,
        )

    def deserializer(self, deserialize: Any) -> Any:
        """What turns the request's bytes into what `around` is given."""
        return deserialize

    @abstractmethod
    async def around(self, method: str, request: Message, context: Context, proceed: Behaviour) -> Message:
        """Answers the call, by `proceed` or without it."""
