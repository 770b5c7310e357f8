"""Requests that are no message: said to the caller, once it is known who calls."""

from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError, Message

from rensou_recall.convert.undecodable import undecodable_request
from rensou_recall.interceptors.wrapping import Behaviour, Context, UnaryInterceptor


@dataclass(frozen=True, slots=True)
class _Undecodable:
    """The bytes of a request that is no message."""

    data: bytes


class DecodingInterceptor(UnaryInterceptor):
    """The innermost one: what protobuf cannot read gets this far, and no further."""

    def deserializer(self, deserialize: Any) -> Any:
        """Lets an undecodable request reach `around`, which can say what is wrong with it."""

        def decode(data: bytes) -> Any:
            try:
                return deserialize(data)
            except DecodeError:
                return _Undecodable(data)

        return decode

    async def around(self, method: str, request: Message, context: Context, proceed: Behaviour) -> Message:
        """See the class.

        Raises:
            InvalidField, InvalidText: The request is no message of the method.
        """
        if isinstance(request, _Undecodable):
            raise undecodable_request(method, request.data)
        return await proceed(request, context)
