"""What is derived of a record: its terms, its vector, its nodes."""

from collections.abc import Sequence

from pgvector import HalfVector

from rensou_nodeworker.types.builds import LeasedBuild
from rensou_nodeworker.types.derived import Model, Node, SourceText, VectorState, WholeVector
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.ids import ModelId
from rensou_shared.text.index import IndexedTerms
from rensou_shared.text.lexemes import TERMS_VERSION

_STORE = "rensou_nodeworker.store"


async def load_source_text(connection: Connection, claim: LeasedBuild) -> SourceText | None:
    """The record's present text, or None when the record is gone."""
    params = _record(claim) | {"terms_version": TERMS_VERSION}
    cursor = await connection.execute(load_statement(_STORE, "load_source_text"), params)
    row = await cursor.fetchone()
    return None if row is None else SourceText(row[0], bytes(row[1]), bool(row[2]))


async def lock_record(connection: Connection, claim: LeasedBuild) -> bytes | None:
    """SHA-256 of the record's text, which stays until the transaction ends; None when the record is gone."""
    cursor = await connection.execute(load_statement(_STORE, "lock_record"), _record(claim))
    row = await cursor.fetchone()
    return None if row is None else bytes(row[0])


async def load_vector_state(connection: Connection, claim: LeasedBuild, model: Model) -> VectorState:
    """What stands of the record under `model`."""
    params = _record(claim) | {
        "model_id": model.id,
        "token_window": model.token_window,
        "divider_version": DIVIDER_VERSION,
    }
    cursor = await connection.execute(load_statement(_STORE, "load_vector_state"), params)
    row = await cursor.fetchone()
    return VectorState(False, None, False) if row is None else VectorState(bool(row[0]), row[1], bool(row[2]))


async def save_terms(connection: Connection, claim: LeasedBuild, terms: IndexedTerms) -> None:
    """Stores the record's terms, in the place of older ones."""
    params = _record(claim) | {
        "terms_version": TERMS_VERSION,
        "hashes": terms.hashes,
        "words": terms.words,
        "trigrams": terms.trigrams,
        "traits": int(terms.traits),
    }
    await connection.execute(load_statement(_STORE, "save_terms"), params)


async def save_vector(connection: Connection, claim: LeasedBuild, model_id: ModelId, whole: WholeVector) -> None:
    """Stores the record's vector, in the place of an older one."""
    params = _record(claim) | {
        "model_id": model_id,
        "token_count": whole.token_count,
        "embedding": HalfVector(whole.embedding),
    }
    await connection.execute(load_statement(_STORE, "save_vector"), params)


async def save_token_count(connection: Connection, claim: LeasedBuild, model_id: ModelId, token_count: int) -> None:
    """Stores the record's length in tokens beside its vector."""
    params = _record(claim) | {"model_id": model_id, "token_count": token_count}
    await connection.execute(load_statement(_STORE, "save_token_count"), params)


async def replace_nodes(connection: Connection, claim: LeasedBuild, model_id: ModelId, nodes: Sequence[Node]) -> None:
    """Makes `nodes`, in their order, the record's nodes under the model, and all of them."""
    await connection.execute(load_statement(_STORE, "delete_nodes"), _record(claim) | {"model_id": model_id})
    if not nodes:
        return
    rows = [
        _record(claim)
        | {
            "node_index": index,
            "start_char": node.start_char,
            "end_char": node.end_char,
            "token_count": node.token_count,
            "token_window": node.token_window,
            "model_id": model_id,
            "divider_version": DIVIDER_VERSION,
            "embedding": HalfVector(node.embedding),
        }
        for index, node in enumerate(nodes)
    ]
    async with connection.cursor() as cursor:
        await cursor.executemany(load_statement(_STORE, "insert_node"), rows)


def _record(claim: LeasedBuild) -> dict[str, object]:
    return {"agent_id": claim.agent_id, "record_id": claim.record_id}
