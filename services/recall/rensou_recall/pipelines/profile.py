"""What a profile does to a ranking: the reads that it needs, and its stages over them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rensou_recall.stages.diversify import Place, diversify
from rensou_recall.stages.graph_order import SEEDS, order_by_graph
from rensou_recall.stages.growth import (
    EDGES_PER_ENTITY,
    LINKS_PER_RECORD,
    MENTIONS_PER_RECORD,
    RECORDS_PER_ENTITY,
    Growth,
)
from rensou_recall.stages.page_rank import page_ranks
from rensou_recall.store.evidence_graph import (
    load_pool_mentions,
    load_record_neighbours,
    load_walk_edges,
    load_walk_records,
)
from rensou_recall.store.vectors import load_vectors
from rensou_recall.types.profile import Profile, ProfileOutcome
from rensou_recall.types.retrieval import Degradation, Ranked
from rensou_recall.types.surroundings import Surroundings
from rensou_shared.db.pool import Connection
from rensou_shared.ids import ModelId, RecordId
from rensou_shared.scope import ReadScope

WINDOW: Final = 100
"""Hits of the ranking that DIVERSE and GRAPH read; what stands behind them keeps its order."""
_LEVELS: Final = 3
"""How far GRAPH reads: what the seeds mention, what that is joined to and mentioned by, and twice on from there."""


@dataclass(frozen=True, slots=True)
class Profiled:
    """A ranking after its profile, what the profile adds behind the cut, what it did, and what it went without."""

    ranked: Sequence[Ranked]
    held: tuple[Ranked, ...] = ()
    outcome: ProfileOutcome | None = None
    degradation: Degradation | None = None

    @property
    def applied(self) -> Profile | None:
        """The profile whose order stands."""
        return self.outcome.profile if self.outcome is not None and self.outcome.applied else None


async def apply_profile(
    connection: Connection,
    scope: ReadScope,
    profile: Profile,
    ranked: Sequence[Ranked],
    candidates: Iterable[RecordId],
    model_id: ModelId | None,
    valid_at: datetime | None = None,
) -> Profiled:
    """The ranking after `profile`; for FLAT and RERANK, which read nothing here, as it is.

    `candidates` are all that the arms found, those that the ranking has not admitted included. Without a model nothing
    is similar to anything.
    """
    if profile not in (Profile.DIVERSE, Profile.GRAPH):
        return Profiled(ranked)
    window, rest = ranked[:WINDOW], ranked[WINDOW:]
    ids = [one.record_id for one in window]
    vectors = {} if model_id is None else await load_vectors(connection, scope, model_id, ids)
    places = diversify(window, vectors)
    if profile is Profile.DIVERSE:
        outcome = ProfileOutcome(profile, applied=True, window=len(window))
        return Profiled((*(place.ranked.told(place.effect) for place in places), *rest), outcome=outcome)
    seeds = _seeds(places)
    surroundings = await load_surroundings(connection, scope, ids, seeds, valid_at)
    order = order_by_graph(window, page_ranks(surroundings, seeds), surroundings, candidates)
    outcome = ProfileOutcome(profile, applied=True, window=len(window), graph=surroundings.reach)
    return Profiled((*order.window, *rest), order.held, outcome)


def _seeds(places: Sequence[Place]) -> list[RecordId]:
    """The five best that do not say the same."""
    return [place.ranked.record_id for place in places[:SEEDS]]


async def load_surroundings(
    connection: Connection,
    scope: ReadScope,
    window: Sequence[RecordId],
    seeds: Sequence[RecordId],
    valid_at: datetime | None = None,
) -> Surroundings:
    """What is declared around `seeds`, which are of `window`, and that the scope reads.

    With `valid_at`, over relations between entities and to records that may be true then.
    """
    growth = Growth(window)
    await _read_mentions(connection, scope, growth)
    records, entities = sorted(seeds), growth.entities_of(seeds)
    for _ in range(_LEVELS):
        links = await load_record_neighbours(connection, scope, records, LINKS_PER_RECORD + 1) if records else {}
        edges, mentioning = {}, {}
        if entities:
            edges = await load_walk_edges(connection, scope, entities, EDGES_PER_ENTITY + 1, valid_at)
            mentioning = await load_walk_records(connection, scope, entities, [], RECORDS_PER_ENTITY, valid_at)
        records = [*growth.add_links(links), *growth.add_mentioning(mentioning)]
        joined = growth.add_edges(edges)
        await _read_mentions(connection, scope, growth)
        entities = [*joined, *growth.entities_of(records)]
    return growth.surroundings()


async def _read_mentions(connection: Connection, scope: ReadScope, growth: Growth) -> None:
    unread = growth.without_mentions()
    if unread:
        mentions = await load_pool_mentions(connection, scope, unread, MENTIONS_PER_RECORD + 1)
        growth.add_mentions(unread, mentions)
