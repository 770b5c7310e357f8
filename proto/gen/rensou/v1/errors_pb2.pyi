from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_TEXT: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_LARGE: _ClassVar[ErrorReason]
    ERROR_REASON_RECORD_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_ENTITY_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_CALLER_ID_CONFLICT: _ClassVar[ErrorReason]
    ERROR_REASON_RECORD_LOCKED: _ClassVar[ErrorReason]
    ERROR_REASON_DUPLICATE_CONTENT: _ClassVar[ErrorReason]
    ERROR_REASON_UNSUPPORTED_MODE: _ClassVar[ErrorReason]
    ERROR_REASON_UNAUTHENTICATED: _ClassVar[ErrorReason]
    ERROR_REASON_PERMISSION_DENIED: _ClassVar[ErrorReason]
    ERROR_REASON_OVERLOADED: _ClassVar[ErrorReason]
    ERROR_REASON_DEADLINE_EXCEEDED: _ClassVar[ErrorReason]
    ERROR_REASON_DATABASE_UNAVAILABLE: _ClassVar[ErrorReason]
    ERROR_REASON_WRITE_CONFLICT: _ClassVar[ErrorReason]
    ERROR_REASON_REVISION_MISMATCH: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_INVALID_FIELD: ErrorReason
ERROR_REASON_INVALID_TEXT: ErrorReason
ERROR_REASON_TOO_LARGE: ErrorReason
ERROR_REASON_RECORD_NOT_FOUND: ErrorReason
ERROR_REASON_ENTITY_NOT_FOUND: ErrorReason
ERROR_REASON_CALLER_ID_CONFLICT: ErrorReason
ERROR_REASON_RECORD_LOCKED: ErrorReason
ERROR_REASON_DUPLICATE_CONTENT: ErrorReason
ERROR_REASON_UNSUPPORTED_MODE: ErrorReason
ERROR_REASON_UNAUTHENTICATED: ErrorReason
ERROR_REASON_PERMISSION_DENIED: ErrorReason
ERROR_REASON_OVERLOADED: ErrorReason
ERROR_REASON_DEADLINE_EXCEEDED: ErrorReason
ERROR_REASON_DATABASE_UNAVAILABLE: ErrorReason
ERROR_REASON_WRITE_CONFLICT: ErrorReason
ERROR_REASON_REVISION_MISMATCH: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason
