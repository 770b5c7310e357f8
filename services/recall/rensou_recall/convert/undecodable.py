"""What is wrong with a request that protobuf cannot read."""

from collections import deque

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from rensou_shared.errors import InvalidField, InvalidText

_LENGTH_DELIMITED = 2
# Messages inside messages that protobuf reads; a Struct is three for each of its own levels.
_MAX_DEPTH = 100


def undecodable_request(method: str, data: bytes) -> InvalidField:
    """Why the request of `method` ("/rensou.v1.RecallService/Store") cannot be read, as an error to be raised.

    It names the first string that is not UTF-8 (a lone surrogate, for instance), or the field nested too deeply.
    """
    descriptor = Default().FindMethodByName(method.strip("/").replace("/", ".")).input_type
    waiting: deque[tuple[Descriptor, bytes, str, int]] = deque([(descriptor, data, "", 1)])
    while waiting:
        message, content, prefix, depth = waiting.popleft()
        if depth > _MAX_DEPTH:
            return InvalidField(prefix.split(".")[0], f"is nested more than {_MAX_DEPTH} messages deep")
        for field, value in _length_delimited(message, content):
            path = f"{prefix}{field.name}"
            if field.type == FieldDescriptor.TYPE_STRING and not _is_utf8(value):
                return InvalidText(path, "is not UTF-8")
            if field.message_type is not None:
                waiting.append((field.message_type, value, f"{path}.", depth + 1))
    return InvalidField("request", "is no message of this method")


def _length_delimited(descriptor: Descriptor, content: bytes) -> list[tuple[FieldDescriptor, bytes]]:
    """The strings and messages of a message, in their order on the wire; none when it is no message."""
    message = Empty()
    try:
        message.ParseFromString(content)
    except DecodeError:
        return []
    found = [(descriptor.fields_by_number.get(one.field_number), one) for one in UnknownFieldSet(message)]
    return [(field, one.data) for field, one in found if field is not None and one.wire_type == _LENGTH_DELIMITED]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
