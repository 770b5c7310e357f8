"""Changing and removing records."""

from dataclasses import dataclass

import psycopg
from pgvector import HalfVector

from rensou_recall.types.embedding import ActiveModelChanged, EmbeddedText
from rensou_recall.types.lifecycle import Forgotten
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.errors import WriteConflict
from rensou_shared.ids import AgentId, BuildId, RecordId, RecordRef
from rensou_shared.text.index import IndexedTerms
from rensou_shared.text.lexemes import TERMS_VERSION

_STORE = "rensou_recall.store"


@dataclass(frozen=True, slots=True)
class HeldRecord:
    """A record held against other changes until the transaction ends."""

    agent_id: AgentId
    id: RecordId
    locked: bool
    revision: int
    content_sha256: bytes
    project_id: str
    channel: str
    source_id: str
    retired: bool

    @property
    def copies(self) -> dict[str, str | int]:
        """The columns that the rows of both indexes copy."""
        return {
            "agent_id": self.agent_id,
            "record_id": self.id,
            "project_id": self.project_id,
            "channel": self.channel,
            "source_id": self.source_id,
        }


async def hold_record(connection: Connection, agent_id: AgentId, ref: RecordRef) -> HeldRecord | None:
    """The agent's record `ref`, held for a change; None when there is none."""
    params = {"agent_id": agent_id, "kind": ref.kind, "record_id": ref.id}
    cursor = await connection.execute(load_statement(_STORE, "find_record_for_change"), params)
    row = await cursor.fetchone()
    return None if row is None else HeldRecord(agent_id, ref.id, row[0], row[1], bytes(row[2]), *row[3:7])


async def save_locked(connection: Connection, agent_id: AgentId, record_id: RecordId, locked: bool) -> None:
    """Locks or unlocks a record."""
    params = {"agent_id": agent_id, "record_id": record_id, "locked": locked}
    await connection.execute(load_statement(_STORE, "update_locked"), params)


async def find_holder(connection: Connection, held: HeldRecord, content_sha256: bytes) -> RecordRef | None:
    """Another record that holds a text of that hash in the same scope, source, session and time, or None."""
    params = {"agent_id": held.agent_id, "record_id": held.id, "content_sha256": content_sha256}
    cursor = await connection.execute(load_statement(_STORE, "find_holder"), params)
    row = await cursor.fetchone()
    return None if row is None else RecordRef(row[0], RecordId(row[1]))


async def save_content(connection: Connection, held: HeldRecord, content: str) -> int:
    """The revision that the new text has become.

    Raises:
        WriteConflict: Another record has got the text meanwhile; run again, the transaction finds it.
    """
    params = {"agent_id": held.agent_id, "record_id": held.id, "content": content}
    try:
        cursor = await connection.execute(load_statement(_STORE, "update_content"), params)
    except psycopg.errors.UniqueViolation as error:
        raise WriteConflict("another record got the text meanwhile") from error
    row = await cursor.fetchone()
    return held.revision if row is None else int(row[0])


async def save_derived(
    connection: Connection, held: HeldRecord, terms: IndexedTerms, embedded: EmbeddedText | None
) -> None:
    """The rows of both indexes for a new text.

    Raises:
        ActiveModelChanged: `embedded` is of a model that is not the active one any more.
    """
    params = held.copies | {
        "terms_version": TERMS_VERSION,
        "hashes": terms.hashes,
        "words": terms.words,
        "trigrams": terms.trigrams,
        "traits": int(terms.traits),
    }
    await connection.execute(load_statement(_STORE, "save_terms"), params)
    if embedded is not None:
        params = held.copies | {
            "model_id": embedded.model.id,
            "token_count": embedded.token_count,
            "embedding": HalfVector(embedded.vector),
        }
        cursor = await connection.execute(load_statement(_STORE, "save_vector"), params)
        if await cursor.fetchone() != (embedded.model.id,):
            raise ActiveModelChanged


async def settle_build(connection: Connection, held: HeldRecord) -> None:
    """Takes back the build that the change queued: nothing is left to derive, or the queue is full."""
    params = {"agent_id": held.agent_id, "record_id": held.id}
    await connection.execute(load_statement(_STORE, "settle_build"), params)


async def find_pending_build(connection: Connection, held: HeldRecord) -> BuildId | None:
    """The newest build that waits for the record, or None."""
    params = {"agent_id": held.agent_id, "record_id": held.id}
    cursor = await connection.execute(load_statement(_STORE, "find_pending_build"), params)
    row = await cursor.fetchone()
    return None if row is None else BuildId(row[0])


async def forget_record(connection: Connection, agent_id: AgentId, record_id: RecordId) -> Forgotten | None:
    """What went with the record, which is gone; None when it was gone already."""
    params = {"agent_id": agent_id, "record_id": record_id}
    cursor = await connection.execute(load_statement(_STORE, "forget_record"), params)
    row = await cursor.fetchone()
    return None if row is None else Forgotten(*(int(count) for count in row))
