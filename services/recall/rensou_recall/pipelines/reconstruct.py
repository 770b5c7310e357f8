"""Reconstruct: candidates, bundle, walk, structure, quote. Retrieval alone makes the items and their order."""

from dataclasses import replace

from rensou_recall.pipelines.confidence import weigh_drafts
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.evidence import (
    Quoting,
    load_claim_traits,
    load_declared_graph,
    load_evidence_links,
    quote_within_budget,
)
from rensou_recall.pipelines.feedback import log_recall, logged_recall
from rensou_recall.pipelines.retrieve import retrieve
from rensou_recall.pipelines.standing import edges_at, load_standings, mark_drafts, resolve_pool, starts_of
from rensou_recall.pipelines.timelines import add_timelines
from rensou_recall.stages.budget import quote_order
from rensou_recall.stages.bundle import bundle, containing_episodes
from rensou_recall.stages.conclude import budget_source, conclude, nothing
from rensou_recall.stages.expansion import MAX_MATCHES, MAX_TERMS, mentioned_entities
from rensou_recall.stages.far_items import add_far_items
from rensou_recall.stages.overlap import question_grams
from rensou_recall.stages.reconstruct_trace import Assembly, trace_assembly
from rensou_recall.stages.standing import Standings
from rensou_recall.stages.structure import items_window, structure
from rensou_recall.stages.validity import cut_left_out, heads_first, join_left_out
from rensou_recall.stages.walk import walk
from rensou_recall.store.evidence_graph import load_pool_links
from rensou_recall.store.expansion import find_question_aliases, load_other_names
from rensou_recall.store.known_at import reading
from rensou_recall.types.call import Call
from rensou_recall.types.evidence import BoundSource, Reconstruction, ReconstructQuestion, Shortfall
from rensou_recall.types.expansion import Expansion
from rensou_recall.types.far import FarList
from rensou_recall.types.reconstruct_trace import ReconstructTrace
from rensou_recall.types.retrieval import Question
from rensou_recall.types.retrieved import Retrieved
from rensou_recall.types.standing import Resolution
from rensou_recall.types.trace import Trace
from rensou_shared.db.pool import Connection
from rensou_shared.scope import ReadScope
from rensou_shared.text.normalize import normalize_name

# Candidates an arm: at least what Recall's quality was measured with, so that a small top_k ranks as well as a large.
_MIN_DEPTH = 50


async def reconstruct(deps: Deps, call: Call, scope: ReadScope, question: ReconstructQuestion) -> Reconstruction:
    """The items that answer the question, with quoted evidence.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    bounds = question.bounds
    if bounds.count == 0:
        return _reported(nothing(bounds, Shortfall.COUNT_ZERO), question, Expansion())
    names = await _other_names(deps, call, scope, question.text)
    depth = max(_MIN_DEPTH, bounds.top_k)
    asked = Question(
        question.text,
        question.fusion,
        depth,
        bounds.top_k,
        names.terms,
        steps=question.steps,
        gate=question.gate,
        trace=question.trace,
        reach=question.reach,
        valid_at=question.valid_at,
        report=question.report,
    )
    found = await retrieve(deps, call, scope, asked)
    if found.ranked:
        async with reading(deps.database, scope, call.remaining_s()) as connection:
            answer = await _assemble(connection, scope, question, found)
    else:
        answer = replace(nothing(bounds, Shortfall.NO_RELEVANT_EVIDENCE), left_out=cut_left_out(found.left_out))
    if found.far is not None:
        answer = await _add_far(deps, call, scope, question, answer, found.far)
    recall_id = await _log(deps, call, scope, found, answer) if question.report else ""
    reported = _reported(answer, question, names, found.trace)
    return replace(reported, degradation=found.degradation, recall_id=recall_id)


async def _log(deps: Deps, call: Call, scope: ReadScope, found: Retrieved, answer: Reconstruction) -> str:
    returned = dict.fromkeys(claim.ref.id for item in answer.items for claim in item.claims)
    return await log_recall(deps, call, scope, "reconstruct", logged_recall(found, tuple(returned)))


async def _add_far(
    deps: Deps, call: Call, scope: ReadScope, question: ReconstructQuestion, answer: Reconstruction, far: FarList
) -> Reconstruction:
    """The answer with what is held of retired records; what is declared of those is read unless under ANY."""
    standings: Standings = {}
    if question.resolution is not Resolution.ANY and far.held:
        async with reading(deps.database, scope, call.remaining_s()) as connection:
            load = edges_at(question.valid_at)
            standings = await load_standings(connection, scope, starts_of(far.records.values()), load)
    return add_far_items(answer, far, standings, include_replaced=question.include_replaced)


def _reported(
    answer: Reconstruction, question: ReconstructQuestion, names: Expansion, retrieval: Trace | None = None
) -> Reconstruction:
    """The answer with what became of the question's bounds, and a trace where one is asked for."""
    return replace(
        answer,
        lowered=question.lowered,
        count_source=question.count_source,
        budget_source=budget_source(question, answer.effective_budget_chars),
        terms_omitted=names.omitted,
        trace=(answer.trace or ReconstructTrace(retrieval)) if question.trace else None,
    )


async def _other_names(deps: Deps, call: Call, scope: ReadScope, text: str) -> Expansion:
    normalized = normalize_name(text)
    if not normalized:
        return Expansion()
    async with reading(deps.database, scope, call.remaining_s()) as connection:
        matches = await find_question_aliases(connection, scope, normalized, MAX_MATCHES)
        entities = mentioned_entities(normalized, matches)
        if not entities:
            return Expansion()
        return await load_other_names(connection, scope, normalized, entities, MAX_TERMS)


async def _assemble(
    connection: Connection, scope: ReadScope, question: ReconstructQuestion, found: Retrieved
) -> Reconstruction:
    bounds, valid_at = question.bounds, question.valid_at
    pool = {ranked.record_id: found.records[ranked.record_id] for ranked in found.ranked[: bounds.top_k]}
    pool, joins, standings = await resolve_pool(connection, scope, question, pool)
    candidates = list(pool.values())
    links = await load_pool_links(connection, scope, list(pool), valid_at)
    clusters = bundle(candidates, (*joins, *links))
    window = items_window(clusters, bounds.count)
    graph = await load_declared_graph(connection, scope, window, pool, bounds, valid_at, found.left_out)
    walked = walk(window, pool.keys(), graph, bounds.max_hops)
    traits = await load_claim_traits(connection, scope, pool, walked, bounds.max_evidence, valid_at)
    links = await load_evidence_links(connection, scope, pool, walked, links, bounds, valid_at)
    window = heads_first(window, traits, {one for one in pool if one in standings and standings[one].is_replaced})
    drafts = structure(window, walked, traits, (*links, *containing_episodes(candidates)), bounds.max_evidence)
    drafts = await add_timelines(connection, scope.agent_id, drafts, links, traits)
    drafts, withheld = await mark_drafts(connection, scope, question, drafts, standings)
    drafts, said = await weigh_drafts(connection, scope, drafts, valid_at, with_origins=question.trace)
    slots = quote_order([draft.quoting for draft in drafts])
    heads = len(drafts) if question.budget_source is BoundSource.DEFAULT else 0
    quoting = Quoting(question_grams(question.text), found, bounds.budget_chars, heads, withheld)
    quoted = await quote_within_budget(connection, scope, slots, pool, quoting)
    used = replace(bounds, budget_chars=quoted.budget_chars)
    answer = conclude(drafts, walked, quoted.quotes, used, found.candidates - found.refused)
    made = Assembly(pool, len(clusters), window, graph, walked, drafts, said.of, said.origins)
    return replace(
        answer,
        left_out=cut_left_out(join_left_out(found.left_out, graph.left_out)),
        trace=trace_assembly(found.trace, made, answer) if question.trace else None,
    )
