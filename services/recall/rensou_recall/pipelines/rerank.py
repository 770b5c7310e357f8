"""RERANK: the window's texts go to the operator's cross-encoder, and its scores make the order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rensou_recall.pipelines.profile import Profiled
from rensou_recall.stages.rerank import rerank
from rensou_recall.types.profile import RERANK_WINDOW, Profile, ProfileOutcome
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Degradation, DegradationKind, Ranked
from rensou_shared.embedding.errors import EmbeddingError
from rensou_shared.embedding.reranker import Reranker
from rensou_shared.ids import RecordId
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

# A cross-encoder reads a few hundred tokens of the pair: more would cost its tokenizer's time for nothing.
_QUERY_CHARS: Final = 1_000
_TEXT_CHARS: Final = 2_000
# What is left of the call's time is for the answer's way back.
_SHARE_OF_TIME: Final = 0.8


@dataclass(frozen=True, slots=True)
class RerankerLink:
    """The operator's cross-encoder, and the longest wait for it.

    The wait is no setting: a call that has less time ends it sooner, and a server that hangs is soon left alone.
    """

    server: Reranker
    timeout_s: float = 10.0


async def rerank_window(
    link: RerankerLink,
    query: str,
    ranked: Sequence[Ranked],
    records: Mapping[RecordId, StoredRecord],
    remaining_s: float,
) -> Profiled:
    """The ranking with its first 50 in the cross-encoder's order; as it is, and why, when that does not answer well.

    One that was forgotten meanwhile is sent nowhere and stands behind the others.
    """
    window = [one for one in ranked[:RERANK_WINDOW] if one.record_id in records]
    gone = [one for one in ranked[:RERANK_WINDOW] if one.record_id not in records]
    texts = [records[one.record_id].content[:_TEXT_CHARS] for one in window]
    timeout_s = min(link.timeout_s, remaining_s * _SHARE_OF_TIME)
    try:
        scores = await link.server.scores(query[:_QUERY_CHARS], texts, timeout_s)
    except EmbeddingError as error:
        _log.warning("not_reranked", texts=len(texts), reason=str(error))
        since = link.server.health.report.failing_since
        outcome = ProfileOutcome(Profile.RERANK, applied=False, window=len(window))
        degradation = Degradation(DegradationKind.RERANKER_UNAVAILABLE, str(error), since)
        return Profiled(ranked, outcome=outcome, degradation=degradation)
    outcome = ProfileOutcome(Profile.RERANK, applied=True, window=len(window))
    return Profiled((*rerank(window, scores), *gone, *ranked[RERANK_WINDOW:]), outcome=outcome)
