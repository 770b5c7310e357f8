"""The embedding models that vectors are made under."""

from rensou_nodeworker.types.derived import Model, ModelsInUse
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import DIVIDER_VERSION
from rensou_shared.embedding.port import ModelIdentity
from rensou_shared.ids import ModelId

_STORE = "rensou_nodeworker.store"


async def load_models(connection: Connection) -> ModelsInUse:
    """The active model and the one that is built; None while the deployment has none."""
    cursor = await connection.execute(load_statement(_STORE, "load_models"))
    by_state = {row[0]: Model(ModelId(row[1]), row[2], row[3], row[4]) for row in await cursor.fetchall()}
    return ModelsInUse(by_state.get("active"), by_state.get("building"))


async def register_model(connection: Connection, identity: ModelIdentity) -> Model | None:
    """The active model, which is `identity` when there was none; None if it was deactivated this moment."""
    cursor = await connection.execute(load_statement(_STORE, "register_model"), _said(identity))
    row = await cursor.fetchone()
    return None if row is None else Model(ModelId(row[0]), row[1], row[2], row[3])


async def register_building_model(connection: Connection, identity: ModelIdentity) -> str | None:
    """Has the model built beside the active one from now on; its state, None while there is no active one."""
    cursor = await connection.execute(load_statement(_STORE, "register_building_model"), _said(identity))
    row = await cursor.fetchone()
    return None if row is None else str(row[0])


async def load_building_model(connection: Connection, served_within_s: float) -> Model | None:
    """The model that is built, when a worker has met its server lately."""
    params = {"served_within_s": served_within_s}
    cursor = await connection.execute(load_statement(_STORE, "load_building_model"), params)
    row = await cursor.fetchone()
    return None if row is None else Model(ModelId(row[0]), row[1], row[2], row[3])


async def count_lacking(connection: Connection, model: Model) -> int:
    """Records of all agents without their vector or nodes under the model; reads all records' keys."""
    params = {"divider_version": DIVIDER_VERSION, "model_id": model.id}
    cursor = await connection.execute(load_statement(_STORE, "count_lacking"), params)
    row = await cursor.fetchone()
    return 0 if row is None else int(row[0])


def _said(identity: ModelIdentity) -> dict[str, object]:
    return {
        "fingerprint": identity.fingerprint,
        "name": identity.name,
        "dimensions": identity.dimensions,
        "token_window": identity.window,
    }
