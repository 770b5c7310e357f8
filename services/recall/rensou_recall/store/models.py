"""Embedding models."""

from collections.abc import Sequence
from typing import Any

from rensou_recall.types.embedding import Activation, ListedModel, Model, ModelState
from rensou_shared.db.pool import Connection, Database
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.embedding.port import ModelIdentity
from rensou_shared.errors import DatabaseUnavailable
from rensou_shared.ids import ModelId

_STORE = "rensou_recall.store"


async def load_active_model(database: Database, timeout_s: float) -> Model | None:
    """The active model; None while the deployment has met none."""
    async with database.transaction(None, timeout_s) as connection:
        cursor = await connection.execute(load_statement(_STORE, "active_model"))
        row = await cursor.fetchone()
    return None if row is None else _model(row)


async def register_model(database: Database, identity: ModelIdentity, timeout_s: float) -> Model:
    """The active model, which is `identity` when the deployment had none.

    Raises:
        DatabaseUnavailable: The database does not answer, or has lost its active model meanwhile.
    """
    params = {
        "fingerprint": identity.fingerprint,
        "name": identity.name,
        "dimensions": identity.dimensions,
        "token_window": identity.window,
    }
    async with database.transaction(None, timeout_s) as connection:
        cursor = await connection.execute(load_statement(_STORE, "register_model"), params)
        row = await cursor.fetchone()
    if row is None:
        raise DatabaseUnavailable("the database has no active embedding model")
    return _model(row)


async def list_models(connection: Connection) -> tuple[list[ListedModel], int]:
    """Every model that the deployment has met, oldest first, and the records of all agents. Reads all records' keys."""
    cursor = await connection.execute(load_statement(_STORE, "list_models"), {"divider_version": DIVIDER_VERSION})
    rows = await cursor.fetchall()
    models = [ListedModel(_model(row), ModelState(row[5]), row[6], row[8]) for row in rows]
    return models, rows[0][7] if rows else 0


async def activate_model(connection: Connection, fingerprint: str, *, allow_incomplete: bool) -> Activation | None:
    """Makes the model the active one unless records lack vectors under it; None when there is no such model."""
    params = {
        "fingerprint": fingerprint,
        "divider_version": DIVIDER_VERSION,
        "allow_incomplete": allow_incomplete,
    }
    cursor = await connection.execute(load_statement(_STORE, "activate_model"), params)
    row = await cursor.fetchone()
    return None if row is None else Activation(row[0] or "", fingerprint, row[1], row[2])


def _model(row: Sequence[Any]) -> Model:
    return Model(ModelId(row[0]), row[1], row[2], row[3], row[4])
