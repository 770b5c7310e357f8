"""GRAPH: the fused order and the PageRank become one order, and places are held for what only the graph reached."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rensou_recall.stages.kinship import known_entities
from rensou_recall.stages.scale import min_max
from rensou_recall.types.profile import Profile, ProfileEffect
from rensou_recall.types.retrieval import Admission, Ranked
from rensou_recall.types.surroundings import Surroundings
from rensou_shared.ids import EntityId, RecordId

SEEDS: Final = 5
FUSED_WEIGHT: Final = 0.8
MAX_HELD: Final = 2


@dataclass(frozen=True, slots=True)
class GraphOrder:
    """The window in its new order, and up to two records that no arm found, best first."""

    window: tuple[Ranked, ...]
    held: tuple[Ranked, ...]


def order_by_graph(
    window: Sequence[Ranked],
    shares: Mapping[RecordId, float],
    surroundings: Surroundings,
    candidates: Iterable[RecordId],
) -> GraphOrder:
    """The window by .8 · fused score + .2 · PageRank, both scaled to 0-1 within it; ties by fused rank.

    Two people who are alike must not bleed into each other. So a record that also mentions something not known to
    belong to the first hit gains nothing by its PageRank, and no record passes another that has more in common with the
    first hit. What the arms found (`candidates`), admitted or refused, takes no held place.
    """
    if not window:
        return GraphOrder((), ())
    home = surroundings.mentioned(window[0].record_id)
    known = known_entities(home, surroundings.edges)

    def gain(record: RecordId) -> float:
        mentions = surroundings.mentions.get(record, frozenset[EntityId]())
        return shares.get(record, 0.0) if mentions is not None and mentions <= known else 0.0

    top = max(gain(one.record_id) for one in window)
    scale = (1 - FUSED_WEIGHT) / top if top > 0 else 0.0
    relevance = min_max([one.score for one in window])
    blended = [FUSED_WEIGHT * fused + scale * gain(one.record_id) for fused, one in zip(relevance, window, strict=True)]
    in_common = [surroundings.mentioned(one.record_id) & home for one in window]
    ordered = tuple(
        window[position].told(
            ProfileEffect(
                Profile.GRAPH, blended[position], position + 1, page_rank=shares.get(window[position].record_id, 0.0)
            )
        )
        for position in _order(blended, in_common)
    )
    reached = surroundings.records.difference(candidates, (one.record_id for one in window))
    best = sorted((record for record in reached if gain(record) > 0), key=lambda record: (-gain(record), record))
    return GraphOrder(ordered, tuple(_held(record, shares[record], scale) for record in best[:MAX_HELD]))


def _held(record: RecordId, share: float, scale: float) -> Ranked:
    effect = ProfileEffect(Profile.GRAPH, min(share * scale, 1 - FUSED_WEIGHT), None, page_rank=share)
    return Ranked(record_id=record, score=0.0, votes=(), admission=Admission.GRAPH, effect=effect)


def _order(scores: Sequence[float], in_common: Sequence[frozenset[EntityId]]) -> list[int]:
    """The positions by score, none before a lower position that has something in common which it has not."""
    left, ordered = list(range(len(scores))), list[int]()
    while left:
        passed, best = frozenset[EntityId](), left[0]
        for position in left:
            if passed <= in_common[position] and scores[position] > scores[best]:
                best = position
            passed |= in_common[position]
        left.remove(best)
        ordered.append(best)
    return ordered
