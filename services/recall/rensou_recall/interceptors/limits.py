"""A bound on the calls in progress. Health checks are not counted: a busy pod is not a dead one."""

from google.protobuf.message import Message

from rensou_recall.interceptors.wrapping import Behaviour, Context, UnaryInterceptor
from rensou_shared.errors import Overloaded


class LimitInterceptor(UnaryInterceptor):
    """Refuses at once what is past `max_concurrent_calls`."""

    def __init__(self, max_concurrent_calls: int) -> None:
        self._free = max_concurrent_calls

    async def around(self, method: str, request: Message, context: Context, proceed: Behaviour) -> Message:
        """See the class.

        Raises:
            Overloaded: No place is free.
        """
        if self._free <= 0:
            raise Overloaded("too many calls at once")
        self._free -= 1
        try:
            return await proceed(request, context)
        finally:
            self._free += 1
