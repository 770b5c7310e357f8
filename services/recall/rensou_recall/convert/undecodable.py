"""What is wrong with a request that protobuf cannot read."""

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

_LENGTH_DELIMITED = 2


def undecodable_field(method: str, data: bytes) -> str:
    """The path of the first string of the request that is not UTF-8 (a lone surrogate, for instance).

    `method` is the full name ("/rensou.v1.RecallService/Store"). "request" when the bytes are no message at all.
    """
    descriptor = Default().FindMethodByName(method.strip("/").replace("/", ".")).input_type
    return _first_bad_string(descriptor, data, "") or "request"


def _first_bad_string(descriptor: Descriptor, data: bytes, prefix: str) -> str | None:
    message = Empty()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return None
    for one in UnknownFieldSet(message):
        field = descriptor.fields_by_number.get(one.field_number)
        if field is None or one.wire_type != _LENGTH_DELIMITED:
            continue
        path = f"{prefix}{field.name}"
        if field.type == FieldDescriptor.TYPE_STRING and not _is_utf8(one.data):
            return path
        if field.message_type is not None:
            found = _first_bad_string(field.message_type, one.data, f"{path}.")
            if found is not None:
                return found
    return None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
