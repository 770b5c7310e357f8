"""Reading stored vectors."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import ModelId, RecordId
from rensou_shared.scope import ReadScope, scope_params


async def load_vectors(
    connection: Connection, scope: ReadScope, model_id: ModelId, records: Sequence[RecordId]
) -> dict[RecordId, NDArray[np.float32]]:
    """The vectors of `records` under the model, nearly of unit length; a record without one is left out."""
    params = scope_params(scope) | {"model_id": model_id, "record_ids": list(records)}
    # As text a hundred vectors take ten times as long to read.
    cursor = await connection.execute(load_statement("rensou_recall.store", "load_vectors"), params, binary=True)
    return {RecordId(record): vector.to_numpy().astype(np.float32) for record, vector in await cursor.fetchall()}
