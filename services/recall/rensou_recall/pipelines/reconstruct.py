"""Reconstruct: candidates, bundle, walk, structure, quote. Retrieval alone makes the items and their order."""

from dataclasses import replace

from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.evidence import (
    Quoting,
    load_claim_traits,
    load_declared_graph,
    quote_within_budget,
)
from rensou_recall.pipelines.retrieve import retrieve
from rensou_recall.stages.budget import quote_order
from rensou_recall.stages.bundle import bundle
from rensou_recall.stages.conclude import conclude, nothing
from rensou_recall.stages.expansion import MAX_MATCHES, expansion_terms, mentioned_entities
from rensou_recall.stages.overlap import question_grams
from rensou_recall.stages.structure import items_window, structure
from rensou_recall.stages.walk import walk
from rensou_recall.store.evidence_graph import load_pool_links
from rensou_recall.store.expansion import find_question_aliases, load_entity_names
from rensou_recall.types.call import Call
from rensou_recall.types.evidence import Reconstruction, ReconstructQuestion, Shortfall
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
        return replace(nothing(bounds, Shortfall.COUNT_ZERO), lowered=question.lowered)
    terms = await _other_names(deps, call, scope, question.text)
    depth = max(_MIN_DEPTH, bounds.top_k)
    asked = Question(
        question.text, question.fusion, depth, bounds.top_k, terms, steps=question.steps, gate=question.gate
    )
    found = await retrieve(deps, call, scope, asked)
    if found.ranked:
        async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
            answer = await _assemble(connection, scope, question, found)
    else:
        answer = nothing(bounds, Shortfall.NO_RELEVANT_EVIDENCE)
    return replace(answer, lowered=question.lowered, degradation=found.degradation)


async def _other_names(deps: Deps, call: Call, scope: ReadScope, text: str) -> tuple[str, ...]:
    normalized = normalize_name(text)
    if not normalized:
        return ()
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        matches = await find_question_aliases(connection, scope, normalized, MAX_MATCHES)
        entities = mentioned_entities(normalized, matches)
        names = await load_entity_names(connection, scope, entities) if entities else []
    return expansion_terms(normalized, entities, names)


async def _assemble(
    connection: Connection, scope: ReadScope, question: ReconstructQuestion, found: Retrieved
) -> Reconstruction:
    bounds = question.bounds
    pool = {ranked.record_id: found.records[ranked.record_id] for ranked in found.ranked[: bounds.top_k]}
    links = await load_pool_links(connection, scope, list(pool))
    window = items_window(bundle(list(pool.values()), links), bounds.count)
    graph = await load_declared_graph(connection, scope, window, pool, bounds)
    walked = walk(window, pool.keys(), graph, bounds.max_hops)
    traits = await load_claim_traits(connection, scope, pool, walked, bounds.max_evidence)
    drafts = structure(window, walked, traits, links, bounds.max_evidence)
    slots = quote_order([draft.quoting for draft in drafts])
    quoting = Quoting(question_grams(question.text), found, bounds.budget_chars)
    quotes = await quote_within_budget(connection, scope, slots, pool, quoting)
    return conclude(drafts, walked, quotes, bounds, found.candidates - found.refused)
