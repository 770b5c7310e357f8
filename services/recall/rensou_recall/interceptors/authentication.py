"""Who calls: bearer tokens from a file, or, where that is allowed, anybody."""

import hmac
from collections.abc import Iterable, Mapping
from hashlib import sha256

from google.protobuf.message import Message

from rensou_recall.interceptors.deadlines import CallClock
from rensou_recall.interceptors.policy import requires_operator
from rensou_recall.interceptors.wrapping import Behaviour, Context, UnaryInterceptor
from rensou_recall.types.call import ANY_AGENT, Principal, enter_call
from rensou_shared.errors import PermissionDenied, Unauthenticated

_ANYBODY = Principal("anybody", frozenset({ANY_AGENT}), operator=False)
_SCHEME = b"bearer "
_UNMARKED = 'the method is for operators: the tokens file does not mark this token "operator": true'
_OPERATORS_ALONE = (
    "the method is for operators: it needs a tokens file (RENSOU_TOKENS_FILE) that names an operator's token"
)


class TokenBook:
    """The principals by the digest of their token: tokens are kept nowhere, and compared in constant time."""

    def __init__(self, principals: Mapping[str, Principal]) -> None:
        self._entries = [(sha256(token.encode()).digest(), who) for token, who in principals.items()]

    def find(self, token: bytes) -> Principal | None:
        """Whom the token names; every entry is compared, whichever matches."""
        digest = sha256(token).digest()
        found: Principal | None = None
        for known, who in self._entries:
            if hmac.compare_digest(known, digest):
                found = who
        return found


def _credential(metadata: Iterable[tuple[str, str | bytes]]) -> bytes | None:
    """The token of the "authorization" metadata, or None when there is none or several."""
    values = [v.encode("utf-8", "replace") if isinstance(v, str) else v for k, v in metadata if k == "authorization"]
    if len(values) != 1 or values[0][: len(_SCHEME)].lower() != _SCHEME:
        return None
    return values[0][len(_SCHEME) :].strip() or None


class AuthenticationInterceptor(UnaryInterceptor):
    """Finds the principal of a call, checks the method's policy, and starts the call's clock."""

    def __init__(self, tokens: TokenBook | None, clock: CallClock) -> None:
        self._tokens = tokens
        self._clock = clock

    async def around(self, method: str, request: Message, context: Context, proceed: Behaviour) -> Message:
        """See the class.

        Raises:
            Unauthenticated: No credential, or an unknown one.
            PermissionDenied: The method asks for more than the credential gives, or stands in no policy.
        """
        principal = self._principal(context)
        if requires_operator(method) and not principal.operator:
            raise PermissionDenied(_OPERATORS_ALONE if self._tokens is None else _UNMARKED)
        call = self._clock.start(principal, context.time_remaining())
        enter_call(call)
        return await self._clock.run(call, proceed(request, context))

    def _principal(self, context: Context) -> Principal:
        if self._tokens is None:
            return _ANYBODY
        token = _credential(context.invocation_metadata() or ())
        if token is None:
            raise Unauthenticated('a credential is needed: metadata "authorization: Bearer TOKEN"')
        principal = self._tokens.find(token)
        if principal is None:
            raise Unauthenticated("the credential is not known")
        return principal
