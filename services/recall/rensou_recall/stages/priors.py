"""What is added after fusion for records with a session: small priors, each with its weight in one table."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rensou_recall.stages.fuse import VECTOR_WEIGHT
from rensou_recall.stages.named_dates import NamedDate, asks_when, covers_any, named_dates
from rensou_recall.stages.speakers import named_speaker
from rensou_recall.types.retrieval import Arm, Candidate, Prior, Ranked, Step, Thread
from rensou_shared.ids import RecordId
from rensou_shared.text.normalize import normalize_name
from rensou_shared.text.traits import Trait

# Plain bits: an enum's own operators cost more than all else that is done to a candidate here.
_ASKS: Final = Trait.ASKS.value
_NAMES_A_TIME: Final = Trait.NAMES_A_TIME.value

WEIGHTS: Final[Mapping[Step, float]] = {
    Step.NAMED_DATES: 0.3,
    Step.TIME_WORDS: 0.1,
    Step.SESSION: 0.2,
    Step.ASKED: 0.05,
    Step.SPEAKER: 0.08,
    Step.ASKS: -0.05,
}
"""Each helps, or changes nothing within noise, on written dialogue and on real chats: docs/measurements."""


@dataclass(frozen=True, slots=True)
class ContextWeights:
    """How much a term of a predecessor weighs beside one of the record itself."""

    asking: float
    other: float
    second: float

    @property
    def in_order(self) -> tuple[float, float, float]:
        """As the retrieval statement takes them."""
        return self.asking, self.other, self.second


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, as far as the steps look at it."""

    dates: Sequence[NamedDate]
    wants_time: bool
    speaker: str | None
    prefers_statements: bool


CONTEXT: Final = ContextWeights(asking=1.0, other=0.3, second=0.7)


def context_weights(steps: frozenset[Step]) -> tuple[float, ...]:
    """The weights for the retrieval statement; none reads no session, weights of 0 read it and add nothing."""
    if Step.CONTEXT in steps:
        return CONTEXT.in_order
    return (0.0, 0.0, 0.0) if Step.ASKED in steps else ()


def add_priors(
    ranked: Sequence[Ranked], candidates: Iterable[Candidate], question: str, steps: frozenset[Step]
) -> tuple[Ranked, ...]:
    """`ranked` with the priors of `steps` that apply, in its new order, ties by the lower id; without steps, as is."""
    if not steps:
        return tuple(ranked)
    by_id = {c.record_id: c for c in candidates}
    rows = [by_id[one.record_id] for one in ranked]
    asked = _asked(question, rows, steps)
    nearness = _nearness_of_asking(ranked, rows) if Step.ASKED in steps else {}
    met = [_met(row, asked, nearness) for row in rows]
    if Step.SESSION in steps:
        scores = [_score(one, priors) for one, priors in zip(ranked, met, strict=True)]
        for priors, share in zip(met, _session_shares(scores, rows), strict=True):
            if share > 0:
                priors.append(Prior(Step.SESSION, share))
    added = [_add(one, priors) for one, priors in zip(ranked, met, strict=True)]
    return tuple(sorted(added, key=lambda r: (-r.score, r.record_id)))


def _asked(question: str, candidates: Iterable[Candidate], steps: frozenset[Step]) -> Asked:
    names = [c.source_name for c in candidates if c.thread is not None] if Step.SPEAKER in steps else []
    return Asked(
        dates=named_dates(question) if Step.NAMED_DATES in steps else (),
        wants_time=Step.TIME_WORDS in steps and asks_when(question),
        speaker=named_speaker(question, names),
        prefers_statements=Step.ASKS in steps,
    )


def _nearness_of_asking(ranked: Iterable[Ranked], rows: Iterable[Candidate]) -> dict[RecordId, float]:
    """The scaled cosine, 0-1, of each candidate that asks; `rows` are the candidates of `ranked`."""
    return {
        one.record_id: vote.share / VECTOR_WEIGHT
        for one, row in zip(ranked, rows, strict=True)
        if int(row.traits) & _ASKS
        for vote in one.votes
        if vote.arm is Arm.VECTOR
    }


def _met(candidate: Candidate, asked: Asked, nearness: Mapping[RecordId, float]) -> list[Prior]:
    """What the question and the record before it do to a record with a session."""
    if candidate.thread is None:
        return []
    steps: list[Step] = []
    if asked.dates and covers_any(asked.dates, candidate.occurred_at):
        steps.append(Step.NAMED_DATES)
    if asked.wants_time and int(candidate.traits) & _NAMES_A_TIME:
        steps.append(Step.TIME_WORDS)
    if asked.speaker is not None and normalize_name(candidate.source_name) == asked.speaker:
        steps.append(Step.SPEAKER)
    if asked.prefers_statements and int(candidate.traits) & _ASKS:
        steps.append(Step.ASKS)
    priors = [Prior(step, WEIGHTS[step]) for step in steps]
    near = 0.0 if candidate.former is None else nearness.get(candidate.former, 0.0)
    if near > 0:
        priors.append(Prior(Step.ASKED, WEIGHTS[Step.ASKED] * near))
    return priors


def _score(one: Ranked, priors: Sequence[Prior]) -> float:
    if not priors:
        return one.score
    return math.fsum([part.share for part in (*one.votes, *one.priors, *priors)])


def _add(one: Ranked, priors: Sequence[Prior]) -> Ranked:
    if not priors:
        return one
    return Ranked(one.record_id, _score(one, priors), one.votes, (*one.priors, *priors))


def _session_shares(scores: Sequence[float], rows: Sequence[Candidate]) -> list[float]:
    """Each record's share of the weight is the best score of its session, over the best of all; 0 without a session."""
    top = max(scores, default=0.0)
    if top <= 0:
        return [0.0] * len(rows)
    best_of: dict[Thread, float] = {}
    for score, row in zip(scores, rows, strict=True):
        if row.thread is not None:
            best_of[row.thread] = max(best_of.get(row.thread, 0.0), score)
    return [0.0 if row.thread is None else WEIGHTS[Step.SESSION] * (best_of[row.thread] / top) for row in rows]
