"""The active embedding model."""

from rensou_nodeworker.types.derived import Model
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.embedding.port import ModelIdentity
from rensou_shared.ids import ModelId

_STORE = "rensou_nodeworker.store"


async def load_active_model(connection: Connection) -> Model | None:
    """The active model, or None while the deployment has met none."""
    cursor = await connection.execute(load_statement(_STORE, "load_active_model"))
    row = await cursor.fetchone()
    return None if row is None else Model(ModelId(row[0]), row[1], row[2], row[3])


async def register_model(connection: Connection, identity: ModelIdentity) -> Model | None:
    """The active model, which is `identity` when there was none; None if it was deactivated this moment."""
    params = {
        "fingerprint": identity.fingerprint,
        "name": identity.name,
        "dimensions": identity.dimensions,
        "token_window": identity.window,
    }
    cursor = await connection.execute(load_statement(_STORE, "register_model"), params)
    row = await cursor.fetchone()
    return None if row is None else Model(ModelId(row[0]), row[1], row[2], row[3])
