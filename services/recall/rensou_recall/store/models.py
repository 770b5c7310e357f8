"""Embedding models."""

from rensou_recall.types.embedding import Model
from rensou_shared.db.pool import Database
from rensou_shared.db.sql import load_statement
from rensou_shared.embedding.port import ModelIdentity
from rensou_shared.errors import DatabaseUnavailable
from rensou_shared.ids import ModelId


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
        cursor = await connection.execute(load_statement("rensou_recall.store", "register_model"), params)
        row = await cursor.fetchone()
    if row is None:
        raise DatabaseUnavailable("the database has no active embedding model")
    return Model(ModelId(row[0]), row[1], row[2], row[3], row[4])
