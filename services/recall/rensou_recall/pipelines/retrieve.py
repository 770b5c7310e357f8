"""Retrieval: plan, arms, fusion, records. Shared by Recall and Reconstruct."""

import asyncio
from collections.abc import Iterable, Mapping
from itertools import islice

from rensou_recall.pipelines.deps import Deps
from rensou_recall.stages.fuse import fuse
from rensou_recall.stages.priors import add_priors, context_weights
from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.records import load_newest_records, load_records
from rensou_recall.types.call import Call
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Arm, Fusion, Question, Ranked, Retrieved, Step, VectorQuery, Vote
from rensou_shared.ids import RecordId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms
from rensou_shared.text.validate import is_blank_query


async def retrieve(deps: Deps, call: Call, scope: ReadScope, question: Question) -> Retrieved:
    """The records that answer `question`, best first; for a blank one the newest, without embedding anything.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    if is_blank_query(question.text):
        return await _newest(deps, call, scope, question)
    now = asyncio.get_running_loop().time()
    # A dead embedding server may use half of the call's time, so that the lexical arm still answers in the rest.
    query = await deps.embedder.query_vector(scope.agent_id, question.text, call.remaining_s() / 2, now)
    terms = question_terms(scope.agent_id, question.text, question.extra_terms)
    model_id = None if query.model is None else query.model.id
    nearest = None
    if query.vector is not None and model_id is not None:
        nearest = VectorQuery(query.vector, model_id, deps.limits.ann_above_rows)
    # Reciprocal ranks have no scale to which a prior could be added.
    steps = question.steps if question.fusion is Fusion.CONVEX else frozenset[Step]()
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        weights = context_weights(steps)
        found = await load_candidates(connection, scope, terms, nearest, question.depth, weights)
        candidates = found.rows
        fused = fuse(candidates, question.fusion)
        ranked = add_priors(fused, candidates, question.text, steps)[: question.to_read]
        records = await load_records(connection, scope, [r.record_id for r in ranked])
    present = _kept(ranked, records, question)
    return Retrieved(
        present, len(candidates), records, query.vector, question.fusion, model_id, query.degradation, found.plan
    )


def _kept(ranked: Iterable[Ranked], records: Mapping[RecordId, StoredRecord], question: Question) -> tuple[Ranked, ...]:
    """The first `keep` that are not excluded; one forgotten between the statements is not there to be quoted."""
    present = (r for r in ranked if r.record_id in records and records[r.record_id].ref not in question.exclude)
    return tuple(islice(present, question.keep))


async def _newest(deps: Deps, call: Call, scope: ReadScope, question: Question) -> Retrieved:
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        records = await load_newest_records(connection, scope, question.to_read)
    ranked = tuple(
        Ranked(record.ref.id, 0.0, (Vote(Arm.RECENT, rank, 0.0, 0.0),)) for rank, record in enumerate(records, start=1)
    )
    by_id = {record.ref.id: record for record in records}
    return Retrieved(_kept(ranked, by_id, question), len(records), by_id, None, None, None, None)
