"""Retrieval: arms, fusion, priors, gate, profile, cut, time cue, records, trace. Shared by Recall and Reconstruct."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.embedder import QueryVector
from rensou_recall.pipelines.far import search_far
from rensou_recall.pipelines.gate import gate_ranked, sample_size, yardstick
from rensou_recall.pipelines.model_change import under_active_model
from rensou_recall.pipelines.profile import Profiled, apply_profile
from rensou_recall.pipelines.rerank import rerank_window
from rensou_recall.pipelines.sieve import Sieve
from rensou_recall.pipelines.stopwatch import Part, Stopwatch
from rensou_recall.pipelines.time_cue import follow_cue
from rensou_recall.stages.answer import answer, cued, ids_to_read
from rensou_recall.stages.feedback import stage_refs
from rensou_recall.stages.fuse import fuse
from rensou_recall.stages.priors import add_priors, context_weights
from rensou_recall.stages.rank import rank
from rensou_recall.stages.trace import Origins, Remains, build_trace, ids_to_name, traced_gate
from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.known_at import reading
from rensou_recall.store.records import load_records, load_refs
from rensou_recall.store.time_cue import CueSearch
from rensou_recall.types.call import Call
from rensou_recall.types.profile import Profile
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Arm, Fusion, Question, Ranked, Step, Vote
from rensou_recall.types.retrieved import Retrieved
from rensou_recall.types.time_cue import CueFindings
from rensou_recall.types.trace import Trace, TracedPlan
from rensou_shared.db.pool import Connection
from rensou_shared.errors import UnsupportedMode
from rensou_shared.ids import RecordId, RecordRef
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms
from rensou_shared.text.validate import is_blank_query


async def retrieve(deps: Deps, call: Call, scope: ReadScope, question: Question) -> Retrieved:
    """The records that answer `question`, best first; for a blank one the newest, without embedding anything.

    Raises:
        UnsupportedMode: The deployment has not that profile.
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: As their names say.
    """
    watch = Stopwatch()
    if question.profile is Profile.RERANK and deps.reranker is None:
        raise UnsupportedMode(f"PROFILE_{question.profile.name}")
    if is_blank_query(question.text):
        return await _newest(deps, call, scope, question, watch)
    return await under_active_model(deps, lambda: _best(deps, call, scope, question, watch))


async def _best(deps: Deps, call: Call, scope: ReadScope, question: Question, watch: Stopwatch) -> Retrieved:
    """The answer to a question with words.

    Raises:
        ActiveModelChanged: Another model was activated since the question was embedded.
    """
    now = asyncio.get_running_loop().time()
    # A dead embedding server may use half of the call's time, so that the lexical arm still answers in the rest.
    query = await deps.embedder.query_vector(scope.agent_id, question.text, call.remaining_s() / 2, now)
    watch.lap(Part.EMBED)
    terms = question_terms(scope.agent_id, question.text, question.extra_terms)
    nearest, model_id = query.against(deps.limits.ann_above_rows), query.model_id
    # Reciprocal ranks have no scale to which a prior could be added.
    steps = question.steps if question.fusion is Fusion.CONVEX else frozenset[Step]()
    weights = context_weights(steps)
    watch.lap(Part.STAGES)
    measured = await yardstick(deps.calibrator, question, query, call.remaining_s() / 2)
    watch.lap(Part.GATE)
    async with reading(deps.database, scope, call.remaining_s()) as connection:
        found = await load_candidates(connection, scope, terms, nearest, question.depth, weights, sample_size(question))
        candidates = found.rows
        watch.lap(Part.DATABASE)
        ranked = rank(add_priors(fuse(candidates, question.fusion), question.text, steps))
        watch.lap(Part.STAGES)
        gated = await gate_ranked(connection, scope, question, deps.calibrator, measured, ranked, found)
        stages = stage_refs(ranked, gated.admitted) if question.report else None
        watch.lap(Part.GATE)
        sieve = Sieve(connection, scope, question)
        gated = await sieve.admitted(gated)
        ids = [c.record_id for c in candidates]
        profiled = await apply_profile(
            connection, scope, question.profile, gated.admitted, ids, model_id, question.valid_at
        )
        profiled = await sieve.held(profiled)
        findings = await _follow_cue(connection, scope, question, CueSearch(terms, query.vector, model_id))
        findings = await sieve.cued(findings)
        cue = cued(findings, ids, profiled.ranked)
        reached = [one.record_id for one in profiled.held]
        to_read = [*ids_to_read(profiled.ranked, cue, question), *reached]
        records = await load_records(connection, scope, to_read, question.valid_at)
        watch.lap(Part.DATABASE)
        refs = await _refs_to_name(connection, scope, ids_to_name(ranked, cue), records) if question.trace else {}
        watch.lap(Part.TRACE)
        far = await search_far(connection, scope, question, nearest, found.sample, (deps.calibrator, measured))
    watch.lap(Part.DATABASE)
    # The database's connection is not kept while another server thinks.
    profiled = await _reranked(deps, call, question, profiled, records)
    watch.lap(Part.RERANK if question.profile is Profile.RERANK else Part.STAGES)
    given = answer(profiled.ranked, cue, records, question, profiled.held)
    watch.lap(Part.STAGES)
    gate = traced_gate(gated, refs) if question.trace else None
    plan = TracedPlan(found.plan.name, found.plan.readable_records)
    remains = Remains(
        candidates, ranked, profiled.ranked, given, records, refs, plan, gate, profiled.applied, sieve.removed
    )
    trace = _trace(Origins(deps.version, scope, _was_kept(query)), question, steps, remains, watch)
    return replace(
        _retrieved(question, remains, query, profiled, trace), left_out=sieve.left_out, far=far, stages=stages
    )


async def _reranked(
    deps: Deps, call: Call, question: Question, profiled: Profiled, records: Mapping[RecordId, StoredRecord]
) -> Profiled:
    """The order of the cross-encoder where the question asks for it; for an answer without hits nothing is sent."""
    if question.profile is not Profile.RERANK or deps.reranker is None or not question.keep:
        return profiled
    return await rerank_window(deps.reranker, question.text, profiled.ranked, records, call.remaining_s())


def _retrieved(
    question: Question, remains: Remains, query: QueryVector, profiled: Profiled, trace: Trace | None
) -> Retrieved:
    return Retrieved(
        ranked=remains.answer.hits,
        candidates=len(remains.candidates),
        records=remains.records,
        query_vector=query.vector,
        fusion=question.fusion,
        model_id=query.model_id,
        degradation=query.degradation or profiled.degradation,
        time_cue=remains.answer.outcome,
        trace=trace,
        refused=len(remains.fused) - len(remains.admitted) - remains.left_out,
        profile=profiled.outcome,
    )


def _trace(
    origins: Origins, question: Question, steps: frozenset[Step] | None, remains: Remains, watch: Stopwatch
) -> Trace | None:
    return build_trace(origins, question, steps, remains, watch.timings) if question.trace else None


async def _follow_cue(
    connection: Connection, scope: ReadScope, question: Question, search: CueSearch | None
) -> CueFindings | None:
    return None if question.time_cue is None else await follow_cue(connection, scope, question.time_cue, search)


async def _refs_to_name(
    connection: Connection, scope: ReadScope, ids: Sequence[RecordId], records: Mapping[RecordId, StoredRecord]
) -> dict[RecordId, RecordRef]:
    """The refs of `ids` that still exist, and of what was read already."""
    return await load_refs(connection, scope, ids) | {number: record.ref for number, record in records.items()}


def _was_kept(query: QueryVector) -> bool | None:
    return None if query.vector is None else query.was_kept


async def _newest(deps: Deps, call: Call, scope: ReadScope, question: Question, watch: Stopwatch) -> Retrieved:
    async with reading(deps.database, scope, call.remaining_s()) as connection:
        sieve = Sieve(connection, scope, question)
        newest = await sieve.newest()
        ranked = tuple(
            Ranked(record.ref.id, 0.0, (Vote(Arm.RECENT, rank, 0.0, 0.0),))
            for rank, record in enumerate(newest, start=1)
        )
        records = {record.ref.id: record for record in newest}
        findings = await sieve.cued(await _follow_cue(connection, scope, question, None))
        cue = cued(findings, list(records), ranked)
        unread = [one for one in ids_to_read(ranked, cue, question) if one not in records]
        if unread:
            records |= await load_records(connection, scope, unread, question.valid_at)
        watch.lap(Part.DATABASE)
        refs = await _refs_to_name(connection, scope, ids_to_name(ranked, cue), records) if question.trace else {}
        watch.lap(Part.TRACE)
    watch.lap(Part.DATABASE)
    given = answer(ranked, cue, records, question)
    watch.lap(Part.STAGES)
    trace = _trace(
        Origins(deps.version, scope), question, None, Remains((), ranked, ranked, given, records, refs), watch
    )
    stages = stage_refs(ranked, ranked) if question.report else None
    return Retrieved(
        given.hits,
        len(newest),
        records,
        None,
        None,
        None,
        None,
        given.outcome,
        trace,
        left_out=sieve.left_out,
        stages=stages,
    )
