"""Checks of single fields, shared by every request. Field paths are those of the request's message."""

import re
from datetime import UTC, datetime

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from rensou_recall.types.records import LoweredBound
from rensou_shared.errors import InvalidField, InvalidText, TooLarge
from rensou_shared.ids import EntityId, RecordRef, parse_entity_ref, parse_record_ref
from rensou_shared.text.index import MAX_QUERY_TERMS, count_query_terms
from rensou_shared.text.validate import TextProblem, check_text

_MIN_SECONDS = int(datetime(1, 1, 1, tzinfo=UTC).timestamp())
_MAX_SECONDS = int(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S = 86_400
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def require_text(field: str, text: str, max_chars: int, *, allow_blank: bool = False) -> str:
    """`text`, verbatim.

    Raises:
        InvalidText: It holds a NUL or a lone surrogate.
        TooLarge: It is longer than `max_chars` code points.
        InvalidField: It is blank and must not be.
    """
    match check_text(text, max_chars=max_chars, allow_blank=allow_blank):
        case TextProblem.NUL:
            raise InvalidText(field, "holds a NUL (U+0000), which cannot be stored")
        case TextProblem.SURROGATE:
            raise InvalidText(field, "holds a lone surrogate, which is not text")
        case TextProblem.TOO_LONG:
            raise TooLarge(field, f"is longer than {max_chars} code points (it has {len(text)})")
        case TextProblem.BLANK:
            raise InvalidField(field, "is blank")
        case None:
            return text


def require_name(field: str, text: str, max_bytes: int, *, required: bool = False) -> str:
    """A short name of the caller's (agent, project, session …), '' when it may be left out.

    Raises:
        InvalidField, InvalidText, TooLarge: As their names say.
    """
    if text == "":
        if required:
            raise InvalidField(field, "is required")
        return text
    if "\0" in text or _LONE_SURROGATE.search(text):
        raise InvalidText(field, "holds a NUL or a lone surrogate")
    if len(text.encode()) > max_bytes:
        raise TooLarge(field, f"is longer than {max_bytes} bytes")
    if text.strip() == "":
        raise InvalidField(field, "is blank")
    return text


def require_list(field: str, items: object, maximum: int, *, minimum: int = 0) -> None:
    """Returns when `items` has between `minimum` and `maximum` elements.

    Raises:
        InvalidField: Fewer. TooLarge: More.
    """
    length = len(items)  # pyright: ignore[reportArgumentType, reportUnknownArgumentType] - repeated fields are sized
    if length < minimum:
        raise InvalidField(field, f"needs at least {minimum}")
    if length > maximum:
        raise TooLarge(field, f"takes at most {maximum} (it has {length})")


def bound(
    message: Message, field: str, *, default: int, maximum: int, minimum: int = 0
) -> tuple[int, list[LoweredBound]]:
    """The optional bound `field` of `message`: the default when unset, lowered to `maximum` and reported when above.

    Raises:
        InvalidField: It is below `minimum`.
    """
    if not message.HasField(field):
        return default, []
    value = int(getattr(message, field))
    if value < minimum:
        raise InvalidField(field, f"must be {minimum} or more (it is {value})")
    if value > maximum:
        return maximum, [LoweredBound(field, value, maximum)]
    return value, []


def bound_terms(field: str, question: str) -> list[LoweredBound]:
    """The report on a question of more distinct terms than it is searched by; none on another."""
    terms = count_query_terms(question)
    return [LoweredBound(field, terms, MAX_QUERY_TERMS)] if terms > MAX_QUERY_TERMS else []


def require_record_ref(field: str, text: str) -> RecordRef:
    """The record that `text` names.

    Raises:
        InvalidField: It has not the form "mem:N" or "ep:N".
    """
    ref = parse_record_ref(text)
    if ref is None:
        raise InvalidField(field, 'must be a record ref "mem:N" or "ep:N"')
    return ref


def require_entity_ref(field: str, text: str) -> EntityId:
    """The entity that `text` names.

    Raises:
        InvalidField: It has not the form "ent:N".
    """
    entity = parse_entity_ref(text)
    if entity is None:
        raise InvalidField(field, 'must be an entity ref "ent:N"')
    return entity


def decode_time(field: str, message: Message, name: str) -> datetime | None:
    """The Timestamp `name` of `message` in UTC, cut to the microsecond; None when unset.

    Raises:
        InvalidField: It is outside the years 1-9999, or its nanos are no nanoseconds.
    """
    if not message.HasField(name):
        return None
    stamp: Timestamp = getattr(message, name)
    if not _MIN_SECONDS <= stamp.seconds <= _MAX_SECONDS:
        raise InvalidField(field, "must lie in the years 1-9999")
    if not 0 <= stamp.nanos < 1_000_000_000:
        raise InvalidField(field, "nanos must be between 0 and 999,999,999")
    return stamp.ToDatetime(tzinfo=UTC)


def encode_time(moment: datetime | None) -> Timestamp | None:
    """The moment as a Timestamp, exact to the microsecond; None stays None."""
    if moment is None:
        return None
    # FromDatetime says the same in four times as long, and answers are full of times.
    since = moment - _EPOCH
    return Timestamp(seconds=since.days * _DAY_S + since.seconds, nanos=since.microseconds * 1_000)
