"""One bad request."""

from dataclasses import dataclass

from google.protobuf.message import Message

AGENT = "bad-input"


@dataclass(frozen=True, slots=True)
class Bad:
    """The method, the message, the field and the reason that the answer names."""

    method: str
    request: Message
    field: str
    reason: str = "INVALID_FIELD"
