"""Lists of what is declared, a page a call."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TypeVar

from rensou_recall.pipelines.deps import Deps
from rensou_recall.stages.contradictions import pair_groups
from rensou_recall.stages.page_token import open_position, seal_position
from rensou_recall.store.listing import (
    find_entities,
    find_relations,
    is_readable,
    load_listed_entities,
    load_listed_relations,
    load_stated,
)
from rensou_recall.types.call import Call
from rensou_recall.types.listing import (
    CandidateListing,
    ContradictionCandidate,
    ContradictionKey,
    EntityListing,
    ListedEntity,
    ListedRelation,
    Page,
    PageBinding,
    Position,
    RelationListing,
)
from rensou_shared.db.pool import Connection
from rensou_shared.errors import EntityNotFound, RecordNotFound
from rensou_shared.ids import RecordRef, RelationId, format_entity_ref
from rensou_shared.scope import ReadScope

# Subjects with a predicate that are read at a time.
_GROUPS = 100
_PAST_EVERY_NUMBER = 2**63 - 1

K = TypeVar("K")
T = TypeVar("T")


async def list_relations(deps: Deps, call: Call, listing: RelationListing) -> Page[ListedRelation]:
    """A page of relations, by number.

    Raises:
        InvalidPageToken: The token is none of this listing.
        EntityNotFound, RecordNotFound: The call does not read the end that is asked for.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    scope, page = listing.scope, listing.page
    binding = PageBinding("ListRelations", scope, (_ref(listing), listing.predicate))
    after = open_position(deps.page_key, binding, page.token)
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        if listing.end is not None and not await is_readable(connection, scope, listing.end):
            ref = _ref(listing)
            raise RecordNotFound(ref) if isinstance(listing.end, RecordRef) else EntityNotFound(ref)
        ids = await find_relations(connection, listing, after, page.size + 1)
        relations = await load_listed_relations(connection, scope, ids[: page.size])
    token = seal_position(deps.page_key, binding, (ids[page.size - 1],)) if len(ids) > page.size else ""
    return Page(_in_order(ids[: page.size], relations), token, page.lowered)


def _ref(listing: RelationListing) -> str:
    """The end that is asked for, as callers write it; '' for any."""
    end = listing.end
    if end is None:
        return ""
    return str(end) if isinstance(end, RecordRef) else format_entity_ref(end)


async def list_entities(deps: Deps, call: Call, listing: EntityListing) -> Page[ListedEntity]:
    """A page of entities, by number.

    Raises:
        InvalidPageToken: The token is none of this listing.
        RecordNotFound: The call does not read the record that is to mention them.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    scope, page, record = listing.scope, listing.page, listing.mentioned_in
    binding = PageBinding("ListEntities", scope, (listing.normalized, "" if record is None else str(record)))
    after = open_position(deps.page_key, binding, page.token)
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        if record is not None and not await is_readable(connection, scope, record):
            raise RecordNotFound(str(record))
        ids = await find_entities(connection, listing, after, page.size + 1)
        entities = await load_listed_entities(connection, scope.agent_id, ids[: page.size])
    token = seal_position(deps.page_key, binding, (ids[page.size - 1],)) if len(ids) > page.size else ""
    return Page(_in_order(ids[: page.size], entities), token, page.lowered)


async def list_contradiction_candidates(
    deps: Deps, call: Call, listing: CandidateListing
) -> Page[ContradictionCandidate]:
    """A page of pairs of relations that may contradict each other, by subject, predicate and numbers.

    Raises:
        InvalidPageToken: The token is none of this listing.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    scope, page = listing.scope, listing.page
    binding = PageBinding("ListContradictionCandidates", scope)
    after = open_position(deps.page_key, binding, page.token)
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        keys = await _find_contradictions(connection, scope, after, page.size + 1)
        shown = keys[: page.size]
        ids = sorted({relation for key in shown for relation in (key.first, key.second)})
        relations = await load_listed_relations(connection, scope, ids)
    token = ""
    if len(keys) > page.size:
        last = shown[-1]
        token = seal_position(deps.page_key, binding, (last.subject, last.predicate, last.first, last.second))
    return Page(_candidates(shown, relations), token, page.lowered)


async def _find_contradictions(
    connection: Connection, scope: ReadScope, after: Position, keep: int
) -> list[ContradictionKey]:
    """The pairs after the position, at most `keep`; a batch of subjects and predicates is read at a time."""
    subject, predicate, _, _ = after = after or (0, "", 0, 0)
    # The pairs of a group are known from the whole of it: what repeats a relation may stand behind the position.
    start = (int(subject), str(predicate), 0)
    keys: list[ContradictionKey] = []
    while True:
        groups = await load_stated(connection, scope, start, _GROUPS)
        keys += await asyncio.to_thread(pair_groups, groups, after, keep - len(keys))
        if len(keys) == keep or len(groups) < _GROUPS:
            return keys
        start = (groups[-1].subject, groups[-1].predicate, _PAST_EVERY_NUMBER)


def _in_order(ids: Sequence[K], found: Mapping[K, T]) -> tuple[T, ...]:
    """What was found, in the order of `ids`; what left between the two statements is left out."""
    return tuple(found[one] for one in ids if one in found)


def _candidates(
    keys: Sequence[ContradictionKey], relations: Mapping[RelationId, ListedRelation]
) -> tuple[ContradictionCandidate, ...]:
    return tuple(
        ContradictionCandidate(key.subject, key.predicate, relations[key.first], relations[key.second])
        for key in keys
        if key.first in relations and key.second in relations
    )
