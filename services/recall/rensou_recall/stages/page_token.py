"""Page tokens: where a page ended, signed, so that a caller can neither make nor move one.

A token is base64url (RFC 4648, no padding) of an HMAC-SHA256 and the position as JSON. The HMAC covers, with the
position, everything that the token is good for; none of that is in the token.
"""

import base64
import hmac
import json
from hashlib import sha256

from rensou_recall.types.listing import PageBinding, Position
from rensou_shared.errors import InvalidPageToken

_VERSION = "rensou.v1 page token 1"
_MAC_BYTES = 32
# A position holds at most one normal form (2,000 bytes, six times as long where JSON escapes it) and three numbers.
_MAX_TOKEN_CHARS = 20_000


def seal_position(key: bytes, binding: PageBinding, position: Position) -> str:
    """The token with which the call that `binding` says goes on after `position`."""
    payload = json.dumps(position, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_mac(key, binding, payload) + payload).rstrip(b"=").decode()


def open_position(key: bytes, binding: PageBinding, token: str) -> Position:
    """The position that `token` holds; () for '', the token of the first page.

    Raises:
        InvalidPageToken: It was not sealed with this key for this binding.
    """
    if token == "":
        return ()
    sealed = _decode(token)
    mac, payload = sealed[:_MAC_BYTES], sealed[_MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(key, binding, payload)):
        raise InvalidPageToken
    return tuple(json.loads(payload))


def _decode(token: str) -> bytes:
    """The bytes that `token` spells; each has one spelling."""
    if len(token) > _MAX_TOKEN_CHARS or not token.isascii():
        raise InvalidPageToken
    try:
        sealed = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except ValueError as error:
        raise InvalidPageToken from error
    if base64.urlsafe_b64encode(sealed).rstrip(b"=").decode() != token:
        raise InvalidPageToken
    return sealed


def _mac(key: bytes, binding: PageBinding, payload: bytes) -> bytes:
    """The signature; JSON keeps the parts apart, whatever they hold."""
    scope = binding.scope
    bound = [
        _VERSION,
        binding.method,
        scope.agent_id,
        scope.project_id,
        scope.channel,
        scope.source_id,
        *binding.filters,
    ]
    return hmac.digest(key, json.dumps([bound, payload.decode("latin-1")]).encode(), sha256)
