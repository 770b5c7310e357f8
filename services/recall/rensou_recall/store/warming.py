"""What a new connection does before its first call."""

from contextlib import suppress

import numpy as np

from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.gate import load_sample_vectors, load_word_shares
from rensou_recall.store.records import load_records
from rensou_recall.types.embedding import ActiveModelChanged
from rensou_recall.types.retrieval import VectorQuery
from rensou_shared.db.pool import Connection
from rensou_shared.ids import AgentId, ModelId, RecordId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import QuestionTerms

_NOBODY = ReadScope(AgentId(""))
_TERMS = QuestionTerms([1], [1])
_NEAREST = VectorQuery(np.ones(1, np.float32), ModelId(0))


async def warm_recall(connection: Connection) -> None:
    """Recalls for no agent, which reads no row, until the server holds the statements and the plans of the functions.

    They are those of every recall, the gate's included; what only some ask for (profile, time cue, trace) is not. The
    first call on a connection would otherwise wait for them, 9 to 22 ms; no vector is as short as this one, and none is
    compared with it.
    """
    for _ in range((connection.prepare_threshold or 0) + 1):
        # No model has the number 0: the statement has run when this is said.
        with suppress(ActiveModelChanged):
            await load_candidates(connection, _NOBODY, _TERMS, _NEAREST, 1, (1.0, 1.0, 1.0), 1)
        await load_sample_vectors(connection, _NOBODY.agent_id, _NEAREST.model_id, 1)
        await load_word_shares(connection, _TERMS.hashes, [RecordId(0)])
        await load_records(connection, _NOBODY, [RecordId(0)])
