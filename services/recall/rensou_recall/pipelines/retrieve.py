"""Retrieval: plan, arms, fusion, profile, records. Shared by Recall and Reconstruct."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.embedder import QueryVector
from rensou_recall.pipelines.profile import Profiled, apply_profile
from rensou_recall.pipelines.rerank import WINDOW as RERANK_WINDOW
from rensou_recall.pipelines.rerank import rerank_window
from rensou_recall.stages.fuse import fuse
from rensou_recall.stages.priors import add_priors, context_weights
from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.records import load_newest_records, load_records
from rensou_recall.types.call import Call
from rensou_recall.types.profile import Profile
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Arm, Candidate, Degradation, Fusion, Question, Ranked, Retrieved, Step, Vote
from rensou_shared.db.pool import Connection
from rensou_shared.errors import UnsupportedMode
from rensou_shared.ids import RecordId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms
from rensou_shared.text.validate import is_blank_query


async def retrieve(deps: Deps, call: Call, scope: ReadScope, question: Question) -> Retrieved:
    """The records that answer `question`, best first; for a blank one the newest, without embedding anything.

    Raises:
        UnsupportedMode: The deployment has not that profile.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    if question.profile is Profile.RERANK and deps.reranker is None:
        raise UnsupportedMode(f"PROFILE_{question.profile.name}")
    if is_blank_query(question.text):
        return await _newest(deps, call, scope, question)
    now = asyncio.get_running_loop().time()
    # A dead embedding server may use half of the call's time, so that the lexical arm still answers in the rest.
    query = await deps.embedder.query_vector(scope.agent_id, question.text, call.remaining_s() / 2, now)
    model_id = None if query.model is None else query.model.id
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        ranked, candidates = await _rank(connection, scope, question, query)
        ids = [one.record_id for one in candidates]
        profiled = await apply_profile(connection, scope, question.profile, ranked, ids, model_id)
        wanted = (*profiled.ranked[: _to_read(question)], *profiled.held)
        records = await load_records(connection, scope, [one.record_id for one in wanted])
    # The database's connection is not kept while another server thinks.
    profiled, fault = await _reranked(deps, call, question, profiled, records)
    held = _present(profiled.held, records, question) if question.keep else ()
    return Retrieved(
        (*_kept(profiled.ranked[: _to_read(question)], records, question), *held),
        len(candidates),
        records,
        query.vector,
        question.fusion,
        model_id,
        query.degradation or fault,
        profiled.outcome,
    )


async def _rank(
    connection: Connection, scope: ReadScope, question: Question, query: QueryVector
) -> tuple[tuple[Ranked, ...], list[Candidate]]:
    """The candidates in their order, and as the arms found them."""
    terms = question_terms(scope.agent_id, question.text, question.extra_terms)
    model_id = None if query.model is None else query.model.id
    # Reciprocal ranks have no scale to which a prior could be added.
    steps = question.steps if question.fusion is Fusion.CONVEX else frozenset[Step]()
    weights = context_weights(steps)
    candidates = await load_candidates(connection, scope, terms, query.vector, model_id, question.depth, weights)
    return add_priors(fuse(candidates, question.fusion), candidates, question.text, steps), candidates


async def _reranked(
    deps: Deps, call: Call, question: Question, profiled: Profiled, records: Mapping[RecordId, StoredRecord]
) -> tuple[Profiled, Degradation | None]:
    """The order of the cross-encoder where the question asks for it; for an answer without hits nothing is sent."""
    if question.profile is not Profile.RERANK or deps.reranker is None:
        return profiled, None
    ranked = profiled.ranked if question.keep else ()
    return await rerank_window(deps.reranker, question.text, ranked, records, call.remaining_s())


def _to_read(question: Question) -> int:
    """How many of the ranked records are read."""
    return max(question.to_read, RERANK_WINDOW) if question.profile is Profile.RERANK else question.to_read


def _kept(ranked: Iterable[Ranked], records: Mapping[RecordId, StoredRecord], question: Question) -> tuple[Ranked, ...]:
    """The first `keep` of those present."""
    return tuple(islice(_present(ranked, records, question), question.keep))


def _present(
    ranked: Iterable[Ranked], records: Mapping[RecordId, StoredRecord], question: Question
) -> Iterator[Ranked]:
    """Those that are not excluded; one forgotten between the statements is not there to be quoted."""
    return (r for r in ranked if r.record_id in records and records[r.record_id].ref not in question.exclude)


async def _newest(deps: Deps, call: Call, scope: ReadScope, question: Question) -> Retrieved:
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        records = await load_newest_records(connection, scope, question.to_read)
    ranked = tuple(
        Ranked(record.ref.id, 0.0, (Vote(Arm.RECENT, rank, 0.0, 0.0),)) for rank, record in enumerate(records, start=1)
    )
    by_id = {record.ref.id: record for record in records}
    return Retrieved(_kept(ranked, by_id, question), len(records), by_id, None, None, None, None)
