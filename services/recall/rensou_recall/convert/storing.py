"""Records to be stored, and what became of them."""

import json
import math
from collections.abc import Callable, Sequence
from datetime import datetime

from google.protobuf import json_format
from google.protobuf.struct_pb2 import Struct, Value

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.associations import decode_associations, decode_interval, encode_drop, encode_report
from rensou_recall.convert.confidence import decode_certainty
from rensou_recall.convert.fields import decode_time, require_list, require_name, require_text
from rensou_recall.convert.records import encode_outlook
from rensou_recall.convert.scopes import decode_write_scope
from rensou_recall.types.call import Principal
from rensou_recall.types.records import NewRecord, Source
from rensou_recall.types.storing import StoreAnswer, StoreItem, StoreOutcome, StoreResult
from rensou_shared.domain import (
    MAX_BATCH,
    MAX_CALLER_ID_BYTES,
    MAX_METADATA_BYTES,
    MAX_SCOPE_NAME_BYTES,
    MAX_SOURCE_NAME_BYTES,
)
from rensou_shared.errors import InvalidField, InvalidText, RensouError, TooLarge
from rensou_shared.ids import RecordKind

_MAX_KEY_CHARS = 60
_MAX_PATH_CHARS = 400

_OUTCOMES = {
    StoreOutcome.STORED: rpc.STORE_OUTCOME_STORED,
    StoreOutcome.SKIPPED_DUPLICATE: rpc.STORE_OUTCOME_SKIPPED_DUPLICATE,
}


def decode_store(request: rpc.StoreRequest, principal: Principal, max_chars: int) -> StoreItem:
    """The record to be stored.

    Raises:
        InvalidField, InvalidText, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_write_scope(request.scope, principal)
    record = _decode_record(request, max_chars)
    # A time that is none is refused, as everywhere; two that make no interval cost the record nothing.
    for name in ("valid_from", "valid_to"):
        decode_time(f"validity.{name}", request.validity, name)
    validity = decode_interval(request.validity) if request.HasField("validity") else None
    return StoreItem(scope, record, decode_associations(request.associations), validity)


def _decode_record(request: rpc.StoreRequest, max_chars: int) -> NewRecord:
    kind, content, occurred_at, ended_at = _decode_content(request, max_chars)
    return NewRecord(
        kind,
        content,
        caller_id=require_name("caller_id", request.caller_id, MAX_CALLER_ID_BYTES),
        source=_decode_source(request.source),
        session_id=require_name("session_id", request.session_id, MAX_SCOPE_NAME_BYTES),
        occurred_at=occurred_at,
        ended_at=ended_at,
        metadata_json=decode_metadata("metadata", request.metadata) if request.HasField("metadata") else None,
        certainty=decode_certainty("certainty", request.certainty),
    )


def _decode_content(
    request: rpc.StoreRequest, max_chars: int
) -> tuple[RecordKind, str, datetime | None, datetime | None]:
    """What it is, its text, when it happened or began, and when it ended."""
    match request.WhichOneof("record"):
        case "memory":
            content = require_text("memory.content", request.memory.content, max_chars)
            return "mem", content, decode_time("occurred_time", request, "occurred_time"), None
        case "episode":
            content = require_text("episode.summary", request.episode.summary, max_chars)
            return "ep", content, *_decode_interval(request)
        case _:
            raise InvalidField("record", "memory or episode is required")


def _decode_interval(request: rpc.StoreRequest) -> tuple[datetime, datetime]:
    if request.HasField("occurred_time"):
        raise InvalidField("occurred_time", "is not for an episode: its start is when it happened")
    started_at = decode_time("episode.started_time", request.episode, "started_time")
    ended_at = decode_time("episode.ended_time", request.episode, "ended_time")
    if started_at is None:
        raise InvalidField("episode.started_time", "is required")
    if ended_at is None:
        raise InvalidField("episode.ended_time", "is required")
    if ended_at < started_at:
        raise InvalidField("episode.ended_time", "lies before episode.started_time")
    return started_at, ended_at


def _decode_source(source: pb.Source) -> Source:
    return Source(
        require_name("source.type", source.type, MAX_SCOPE_NAME_BYTES),
        require_name("source.id", source.id, MAX_SCOPE_NAME_BYTES),
        require_name("source.name", source.name, MAX_SOURCE_NAME_BYTES),
    )


def decode_metadata(field: str, metadata: Struct) -> str:
    """The metadata as JSON text.

    Raises:
        InvalidText: A key or a string holds a NUL. InvalidField: A number is not finite, or a value is unset.
        TooLarge: It is longer than 8,000 bytes.
    """
    for key, value in metadata.fields.items():
        _check_value(_below(field, key), key, value)
    text = json.dumps(json_format.MessageToDict(metadata), ensure_ascii=False, sort_keys=True)
    if len(text.encode()) > MAX_METADATA_BYTES:
        raise TooLarge(field, f"is longer than {MAX_METADATA_BYTES} bytes as JSON")
    return text


def _below(path: str, key: str) -> str:
    """The path of a key, which is shown short: an answer names a field, it does not repeat what was sent."""
    if "\0" in key or len(path) > _MAX_PATH_CHARS:
        return path
    return f"{path}.{key if len(key) <= _MAX_KEY_CHARS else key[:_MAX_KEY_CHARS] + '…'}"


def _check_value(path: str, key: str, value: Value) -> None:
    if "\0" in key:
        raise InvalidText(path, "a key holds a NUL (U+0000), which cannot be stored")
    match value.WhichOneof("kind"):
        case "string_value" if "\0" in value.string_value:
            raise InvalidText(path, "holds a NUL (U+0000), which cannot be stored")
        case "number_value" if not math.isfinite(value.number_value):
            raise InvalidField(path, "is no finite number")
        case "struct_value":
            for inner, nested in value.struct_value.fields.items():
                _check_value(_below(path, inner), inner, nested)
        case "list_value":
            for position, nested in enumerate(value.list_value.values):
                _check_value(f"{path}[{position}]", "", nested)
        case None:
            raise InvalidField(path, "has no value")
        case _:
            return


def decode_batch(request: rpc.BatchStoreRequest, principal: Principal, max_chars: int) -> list[StoreItem | RensouError]:
    """Each item, or what is wrong with it, in order; items of another agent than the first good one are refused.

    Raises:
        InvalidField, TooLarge: The batch itself is empty or too long.
    """
    require_list("requests", request.requests, MAX_BATCH, minimum=1)
    items: list[StoreItem | RensouError] = []
    agent: str | None = None
    for one in request.requests:
        try:
            item = decode_store(one, principal, max_chars)
            agent = agent or item.scope.agent_id
            if item.scope.agent_id != agent:
                raise InvalidField("scope.agent_id", "a batch belongs to one agent")
            items.append(item)
        except RensouError as error:
            items.append(error)
    return items


def encode_stored(result: StoreResult) -> rpc.StoreResponse:
    """What became of one record."""
    return rpc.StoreResponse(
        outcome=_OUTCOMES[result.outcome],
        ref=str(result.ref),
        embedded=result.embedded,
        nodes=encode_outlook(result.nodes),
        associations=None if result.report is None else encode_report(result.report),
        dropped=[encode_drop(one) for one in result.dropped],
    )


def encode_batch(
    answers: Sequence[StoreAnswer], item_error: Callable[[RensouError], rpc.ItemError]
) -> rpc.BatchStoreResponse:
    """One result an item, in order; `item_error` says what an item's error is called."""
    return rpc.BatchStoreResponse(
        results=[
            rpc.BatchStoreResult(response=encode_stored(answer))
            if isinstance(answer, StoreResult)
            else rpc.BatchStoreResult(error=item_error(answer))
            for answer in answers
        ]
    )
