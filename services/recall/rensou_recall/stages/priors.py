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
    asked = _asked(question, by_id.values(), steps)
    nearness = _nearness_of_asking(ranked, by_id) if Step.ASKED in steps else {}
    added = [_add(one, _met(by_id[one.record_id], asked, nearness)) for one in ranked]
    if Step.SESSION in steps:
        added = _add_sessions(added, by_id)
    return tuple(sorted(added, key=lambda r: (-r.score, r.record_id)))


def _asked(question: str, candidates: Iterable[Candidate], steps: frozenset[Step]) -> Asked:
    names = [c.source_name for c in candidates if c.thread is not None] if Step.SPEAKER in steps else []
    return Asked(
        dates=named_dates(question) if Step.NAMED_DATES in steps else (),
        wants_time=Step.TIME_WORDS in steps and asks_when(question),
        speaker=named_speaker(question, names),
        prefers_statements=Step.ASKS in steps,
    )


def _nearness_of_asking(ranked: Iterable[Ranked], by_id: Mapping[RecordId, Candidate]) -> dict[RecordId, float]:
    """The scaled cosine, 0-1, of each candidate that asks."""
    return {
        one.record_id: vote.share / VECTOR_WEIGHT
        for one in ranked
        if by_id[one.record_id].traits & Trait.ASKS
        for vote in one.votes
        if vote.arm is Arm.VECTOR
    }


def _met(candidate: Candidate, asked: Asked, nearness: Mapping[RecordId, float]) -> list[Prior]:
    """What the question and the record before it do to a record with a session."""
    if candidate.thread is None:
        return []
    steps: list[Step] = []
    if covers_any(asked.dates, candidate.occurred_at):
        steps.append(Step.NAMED_DATES)
    if asked.wants_time and Trait.NAMES_A_TIME in candidate.traits:
        steps.append(Step.TIME_WORDS)
    if asked.speaker is not None and normalize_name(candidate.source_name) == asked.speaker:
        steps.append(Step.SPEAKER)
    if asked.prefers_statements and Trait.ASKS in candidate.traits:
        steps.append(Step.ASKS)
    priors = [Prior(step, WEIGHTS[step]) for step in steps]
    near = 0.0 if candidate.former is None else nearness.get(candidate.former, 0.0)
    if near > 0:
        priors.append(Prior(Step.ASKED, WEIGHTS[Step.ASKED] * near))
    return priors


def _add(one: Ranked, priors: Sequence[Prior]) -> Ranked:
    if not priors:
        return one
    every = (*one.priors, *priors)
    return Ranked(one.record_id, math.fsum([part.share for part in (*one.votes, *every)]), one.votes, every)


def _add_sessions(ranked: Sequence[Ranked], by_id: Mapping[RecordId, Candidate]) -> list[Ranked]:
    """Each record's share of the weight is the best score of its session, over the best of all."""
    best_of: dict[Thread, float] = {}
    for one in ranked:
        thread = by_id[one.record_id].thread
        if thread is not None:
            best_of[thread] = max(best_of.get(thread, 0.0), one.score)
    top = max((one.score for one in ranked), default=0.0)
    if top <= 0:
        return list(ranked)
    added: list[Ranked] = []
    for one in ranked:
        thread = by_id[one.record_id].thread
        share = 0.0 if thread is None else WEIGHTS[Step.SESSION] * (best_of[thread] / top)
        added.append(_add(one, [Prior(Step.SESSION, share)] if share > 0 else []))
    return added
