"""Retrieval: plan, arms, fusion, records. Shared by Recall and Reconstruct."""

import asyncio

from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.model_change import under_active_model
from rensou_recall.pipelines.time_cue import follow_cue
from rensou_recall.stages.answer import answer, cued, ids_to_read
from rensou_recall.stages.fuse import fuse
from rensou_recall.stages.priors import add_priors, context_weights
from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.records import load_newest_records, load_records
from rensou_recall.store.time_cue import CueSearch
from rensou_recall.types.call import Call
from rensou_recall.types.retrieval import Arm, Fusion, Question, Ranked, Retrieved, Step, VectorQuery, Vote
from rensou_recall.types.time_cue import CueFindings
from rensou_shared.db.pool import Connection
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms
from rensou_shared.text.validate import is_blank_query


async def retrieve(deps: Deps, call: Call, scope: ReadScope, question: Question) -> Retrieved:
    """The records that answer `question`, best first; for a blank one the newest, without embedding anything.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: As their names say.
    """
    if is_blank_query(question.text):
        return await _newest(deps, call, scope, question)
    return await under_active_model(deps, lambda: _ranked(deps, call, scope, question))


async def _ranked(deps: Deps, call: Call, scope: ReadScope, question: Question) -> Retrieved:
    """The answer to a question with words.

    Raises:
        ActiveModelChanged: Another model was activated since the question was embedded.
    """
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
        admitted = add_priors(fused, candidates, question.text, steps)
        search = CueSearch(terms, query.vector, model_id)
        findings = await _follow_cue(connection, scope, question, search)
        cue = cued(findings, [c.record_id for c in candidates], admitted)
        records = await load_records(connection, scope, ids_to_read(admitted, cue, question))
    hits, outcome = answer(admitted, cue, records, question)
    return Retrieved(
        hits,
        len(candidates),
        records,
        query.vector,
        question.fusion,
        model_id,
        query.degradation,
        time_cue=outcome,
        plan=found.plan,
    )


async def _follow_cue(
    connection: Connection, scope: ReadScope, question: Question, search: CueSearch | None
) -> CueFindings | None:
    return None if question.time_cue is None else await follow_cue(connection, scope, question.time_cue, search)


async def _newest(deps: Deps, call: Call, scope: ReadScope, question: Question) -> Retrieved:
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        newest = await load_newest_records(connection, scope, question.to_read)
        ranked = tuple(
            Ranked(record.ref.id, 0.0, (Vote(Arm.RECENT, rank, 0.0, 0.0),))
            for rank, record in enumerate(newest, start=1)
        )
        records = {record.ref.id: record for record in newest}
        cue = cued(await _follow_cue(connection, scope, question, None), list(records), ranked)
        unread = [one for one in ids_to_read(ranked, cue, question) if one not in records]
        if unread:
            records |= await load_records(connection, scope, unread)
    hits, outcome = answer(ranked, cue, records, question)
    return Retrieved(hits, len(newest), records, None, None, None, None, outcome)
