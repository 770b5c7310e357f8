"""Storing a record: idempotent by caller id and by content, with everything derived in the same statement."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b, sha256
from typing import Any

from pgvector import HalfVector

from rensou_recall.types.embedding import ActiveModelChanged, EmbeddedText
from rensou_recall.types.records import NewRecord
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.ids import AgentId, BuildId, RecordId, RecordRef
from rensou_shared.scope import WriteScope
from rensou_shared.text.index import IndexedTerms
from rensou_shared.text.lexemes import TERMS_VERSION

_STORE = "rensou_recall.store"


@dataclass(frozen=True, slots=True)
class StoredUnder:
    """The record that a caller id means, and the hash of the text that was stored under it."""

    ref: RecordRef
    content_sha256: bytes


@dataclass(frozen=True, slots=True)
class Inserted:
    """A new record, and the build that waits for the worker (None: nothing is left to derive)."""

    id: RecordId
    build_id: BuildId | None


def content_hash(content: str) -> bytes:
    """SHA-256 of the text's UTF-8, 32 bytes, as the database computes it."""
    return sha256(content.encode()).digest()


def _key(*parts: str) -> int:
    return int.from_bytes(blake2b("\0".join(parts).encode(), digest_size=8).digest(), "big", signed=True)


async def hold_store_keys(connection: Connection, records: Sequence[tuple[WriteScope, NewRecord]]) -> None:
    """Waits for other transactions that store one of these caller ids or texts, in one order for every caller.

    Without it two batches that hold the same texts in different orders would wait for each other.
    """
    keys: list[int] = []
    for scope, record in records:
        place = (scope.agent_id, scope.project_id, scope.channel)
        keys.append(_key("content", *place, record.kind, content_hash(record.content).hex()))
        if record.caller_id:
            keys.append(_key("caller_id", *place, record.caller_id))
    await connection.execute(load_statement(_STORE, "lock_store_keys"), {"keys": keys})


def _scope_params(scope: WriteScope) -> dict[str, Any]:
    return asdict(scope)


async def find_by_caller_id(connection: Connection, scope: WriteScope, caller_id: str) -> StoredUnder | None:
    """What was stored under `caller_id`, or None."""
    params = _scope_params(scope) | {"caller_id": caller_id}
    cursor = await connection.execute(load_statement(_STORE, "find_by_caller_id"), params)
    row = await cursor.fetchone()
    return None if row is None else StoredUnder(RecordRef(row[0], RecordId(row[1])), bytes(row[2]))


async def save_caller_id(
    connection: Connection, scope: WriteScope, caller_id: str, record_id: RecordId, content_sha256: bytes
) -> None:
    """Remembers that `caller_id` means `record_id`, stored with a text of that hash."""
    params = _scope_params(scope) | {
        "caller_id": caller_id,
        "record_id": record_id,
        "content_sha256": content_sha256,
    }
    await connection.execute(load_statement(_STORE, "save_caller_id"), params)


def _record_params(scope: WriteScope, record: NewRecord) -> dict[str, Any]:
    return _scope_params(scope) | {
        "kind": record.kind,
        "content": record.content,
        "source_type": record.source.type,
        "source_id": record.source.id,
        "source_name": record.source.name,
        "session_id": record.session_id,
        "occurred_at": record.occurred_at,
        "ended_at": record.ended_at,
        "metadata": record.metadata_json,
        "certainty": None if record.certainty is None else record.certainty.value,
        "content_sha256": content_hash(record.content),
    }


async def find_same_content(connection: Connection, scope: WriteScope, record: NewRecord) -> RecordRef | None:
    """The live record with this text in the same scope, source, session and time, or None."""
    cursor = await connection.execute(load_statement(_STORE, "find_same_content"), _record_params(scope, record))
    row = await cursor.fetchone()
    return None if row is None else RecordRef(row[0], RecordId(row[1]))


async def insert_record(
    connection: Connection,
    scope: WriteScope,
    record: NewRecord,
    terms: IndexedTerms,
    embedded: EmbeddedText | None,
    *,
    wants_build: bool,
) -> Inserted | None:
    """The new record with its index rows, or None when the same text stands already.

    Raises:
        ActiveModelChanged: `embedded` is of a model that is not the active one any more.
    """
    params = _record_params(scope, record) | {
        "terms_version": TERMS_VERSION,
        "hashes": terms.hashes,
        "words": terms.words,
        "trigrams": terms.trigrams,
        "traits": int(terms.traits),
        "model_id": None if embedded is None else embedded.model.id,
        "token_window": None if embedded is None else embedded.model.token_window,
        "token_count": None if embedded is None else embedded.token_count,
        "embedding": None if embedded is None else HalfVector(embedded.vector),
        "wants_build": wants_build,
        "divider_version": DIVIDER_VERSION,
    }
    cursor = await connection.execute(load_statement(_STORE, "insert_record"), params)
    row = await cursor.fetchone()
    if row is not None and embedded is not None and row[2] != embedded.model.id:
        raise ActiveModelChanged
    return None if row is None else Inserted(RecordId(row[0]), None if row[1] is None else BuildId(row[1]))


async def count_pending_builds(connection: Connection, agent_id: AgentId, cap: int) -> int:
    """How many builds of the agent wait; `cap` stands for that many or more."""
    params = {"agent_id": agent_id, "cap": cap}
    cursor = await connection.execute(load_statement(_STORE, "count_pending_builds"), params)
    row = await cursor.fetchone()
    return 0 if row is None else int(row[0])


async def count_all_pending_builds(connection: Connection, cap: int) -> int:
    """How many builds of all agents wait; `cap` stands for that many or more."""
    cursor = await connection.execute(load_statement(_STORE, "count_all_pending_builds"), {"cap": cap})
    row = await cursor.fetchone()
    return 0 if row is None else int(row[0])
