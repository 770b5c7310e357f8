"""GetCapabilities: what this deployment can do."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from rensou_recall.pipelines.active_model import ModelMismatch
from rensou_recall.pipelines.deps import Deps
from rensou_recall.pipelines.health import REPAIRED_PER_CALL
from rensou_recall.pipelines.recall import MAX_LIMIT
from rensou_recall.stages.cue_places import MOST_PLACES
from rensou_recall.types.call import Call
from rensou_recall.types.confidence import MAX_GROUND_REFS, MAX_SUPPORTS
from rensou_recall.types.embedding import Model
from rensou_recall.types.profile import Profile
from rensou_recall.types.validity import MAX_EXCLUDED_BY_VALIDITY
from rensou_shared import domain
from rensou_shared.embedding.errors import EmbeddingError
from rensou_shared.text.index import MAX_QUERY_TERMS


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What works, and within which bounds; `model` is None while the embedding server has never answered."""

    version: str
    schema_version: str
    stemmed_languages: tuple[str, ...]
    model: Model | None
    limits: Mapping[str, int]
    profiles: tuple[Profile, ...]


async def get_capabilities(deps: Deps, call: Call) -> Capabilities:
    """What the deployment can do now."""
    try:
        model = await deps.embedder.model(call.remaining_s() / 2, asyncio.get_running_loop().time())
    except (EmbeddingError, ModelMismatch):
        model = deps.embedder.known_model
    return Capabilities(deps.version, deps.schema_version, ("en",), model, _limits(deps), _profiles(deps))


def _profiles(deps: Deps) -> tuple[Profile, ...]:
    """RERANK only where an operator has set a cross-encoder."""
    return tuple(one for one in Profile if one is not Profile.RERANK or deps.reranker is not None)


def _limits(deps: Deps) -> Mapping[str, int]:
    return {
        "assert_validity.assertions": domain.MAX_ASSERTIONS,
        "associations.aliases": domain.MAX_ALIASES,
        "associations.entities": domain.MAX_DECLARED,
        "associations.name_chars": domain.MAX_NAME_CHARS,
        "associations.page_size": domain.MAX_PAGE_SIZE,
        "associations.relations": domain.MAX_DECLARED,
        "batch_store.requests": domain.MAX_BATCH,
        "check_health.repaired": REPAIRED_PER_CALL,
        "confidence.ground_refs": MAX_GROUND_REFS,
        "confidence.supports": MAX_SUPPORTS,
        "forget.refs": domain.MAX_FORGET_REFS,
        "get_contents.answer_chars": domain.CONTENTS_BUDGET_CHARS,
        "get_contents.selectors": domain.MAX_SELECTORS,
        "get_history.page_size": domain.MAX_PAGE_SIZE,
        "list_builds.page_size": domain.MAX_PAGE_SIZE,
        "recall.answer_chars": domain.RECALL_BUDGET_CHARS,
        "recall.exclude": domain.MAX_EXCLUDED,
        "recall.excluded_by_validity": MAX_EXCLUDED_BY_VALIDITY,
        "recall.query_chars": domain.MAX_QUERY_CHARS,
        "recall.query_terms": MAX_QUERY_TERMS,
        "recall.trace.candidates": 3 * MAX_LIMIT,
        "recall.time_cue.records": domain.MAX_CUED_RECORDS,
        "recall.time_cue.seats": max(MOST_PLACES.values()),
        "report_use.items": domain.MAX_REPORTED_USES,
        "retry_builds.limit": domain.MAX_RETRIED,
        "retry_builds.refs": domain.MAX_RETRIED_REFS,
        "retention.page_size": domain.MAX_RETENTION_PAGE,
        "retention.policies": domain.MAX_POLICIES,
        "store.caller_id_bytes": domain.MAX_CALLER_ID_BYTES,
        "store.content_chars": deps.limits.content_chars,
        "store.metadata_bytes": domain.MAX_METADATA_BYTES,
        "store.name_bytes": domain.MAX_SCOPE_NAME_BYTES,
        "store.pending_builds": deps.limits.queue.per_agent,
        "store.pending_builds_in_all": deps.limits.queue.in_all,
    }
