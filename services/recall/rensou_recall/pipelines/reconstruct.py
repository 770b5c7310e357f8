"""Reconstruct: candidates, bundle, walk, structure, quote. Retrieval alone makes the items and their order."""

from dataclasses import replace

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
from rensou_recall.pipelines.standing import mark_drafts, resolve_pool
from rensou_recall.stages.budget import quote_order
from rensou_recall.stages.bundle import bundle, containing_episodes
from rensou_recall.stages.conclude import budget_source, conclude, nothing
from rensou_recall.stages.expansion import MAX_MATCHES, MAX_TERMS, mentioned_entities
from rensou_recall.stages.overlap import question_grams
from rensou_recall.stages.structure import items_window, structure
from rensou_recall.stages.walk import walk
from rensou_recall.store.evidence_graph import load_pool_links
from rensou_recall.store.expansion import find_question_aliases, load_other_names
from rensou_recall.types.call import Call
from rensou_recall.types.evidence import BoundSource, Expansion, Reconstruction, ReconstructQuestion, Shortfall
from rensou_recall.types.retrieval import Question
from rensou_recall.types.retrieved import Retrieved
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
        report=question.report,
    )
    found = await retrieve(deps, call, scope, asked)
    if found.ranked:
        async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
            answer = await _assemble(connection, scope, question, found)
    else:
        answer = nothing(bounds, Shortfall.NO_RELEVANT_EVIDENCE)
    recall_id = await _log(deps, call, scope, found, answer) if question.report else ""
    return replace(_reported(answer, question, names), degradation=found.degradation, recall_id=recall_id)


async def _log(deps: Deps, call: Call, scope: ReadScope, found: Retrieved, answer: Reconstruction) -> str:
    returned = dict.fromkeys(claim.ref.id for item in answer.items for claim in item.claims)
    return await log_recall(deps, call, scope, "reconstruct", logged_recall(found, tuple(returned)))


def _reported(answer: Reconstruction, question: ReconstructQuestion, names: Expansion) -> Reconstruction:
    """The answer with what became of the question's bounds."""
    return replace(
        answer,
        lowered=question.lowered,
        count_source=question.count_source,
        budget_source=budget_source(question, answer.effective_budget_chars),
        terms_omitted=names.omitted,
    )


async def _other_names(deps: Deps, call: Call, scope: ReadScope, text: str) -> Expansion:
    normalized = normalize_name(text)
    if not normalized:
        return Expansion()
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        matches = await find_question_aliases(connection, scope, normalized, MAX_MATCHES)
        entities = mentioned_entities(normalized, matches)
        if not entities:
            return Expansion()
        return await load_other_names(connection, scope, normalized, entities, MAX_TERMS)


async def _assemble(
    connection: Connection, scope: ReadScope, question: ReconstructQuestion, found: Retrieved
) -> Reconstruction:
    bounds = question.bounds
    pool = {ranked.record_id: found.records[ranked.record_id] for ranked in found.ranked[: bounds.top_k]}
    pool, joins, standings = await resolve_pool(connection, scope, question, pool)
    candidates = list(pool.values())
    links = await load_pool_links(connection, scope, list(pool))
    window = items_window(bundle(candidates, (*joins, *links)), bounds.count)
    graph = await load_declared_graph(connection, scope, window, pool, bounds)
    walked = walk(window, pool.keys(), graph, bounds.max_hops)
    traits = await load_claim_traits(connection, scope, pool, walked, bounds.max_evidence)
    links = await load_evidence_links(connection, scope, pool, walked, links, bounds.max_evidence)
    drafts = structure(window, walked, traits, (*links, *containing_episodes(candidates)), bounds.max_evidence)
    drafts, withheld = await mark_drafts(connection, scope, question, drafts, standings)
    slots = quote_order([draft.quoting for draft in drafts])
    heads = len(drafts) if question.budget_source is BoundSource.DEFAULT else 0
    quoting = Quoting(question_grams(question.text), found, bounds.budget_chars, heads, withheld)
    quoted = await quote_within_budget(connection, scope, slots, pool, quoting)
    used = replace(bounds, budget_chars=quoted.budget_chars)
    return conclude(drafts, walked, quoted.quotes, used, found.candidates - found.refused)
