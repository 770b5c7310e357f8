"""What is added after fusion for records with a session: small priors, each with its weight in one table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rensou_recall.stages.fuse import VECTOR_WEIGHT, add_up
from rensou_recall.stages.named_dates import asks_when, covers_any, named_dates
from rensou_recall.stages.speakers import named_speaker
from rensou_recall.types.ranking import Fused
from rensou_recall.types.retrieval import Arm, Candidate, Step, Thread
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


CONTEXT: Final = ContextWeights(asking=1.0, other=0.3, second=0.7)


def context_weights(steps: frozenset[Step]) -> tuple[float, ...]:
    """The weights for the retrieval statement; none reads no session, weights of 0 read it and add nothing."""
    if Step.CONTEXT in steps:
        return CONTEXT.in_order
    return (0.0, 0.0, 0.0) if Step.ASKED in steps else ()


def add_priors(fused: Fused, question: str, steps: frozenset[Step]) -> Fused:
    """`fused` with the priors of `steps` that apply; without steps, as is."""
    if not steps:
        return fused
    added = _certain(fused.rows, question, steps)
    if Step.ASKED in steps:
        added[Step.ASKED] = _asked_before(fused)
    priors = {**fused.priors, **{step: _within_sessions(fused.rows, column) for step, column in added.items()}}
    votes = [ballot.shares for ballot in fused.ballots.values()]
    scores = add_up([*votes, *priors.values()])
    if Step.SESSION not in steps:
        return Fused(fused.rows, fused.ballots, priors, scores)
    priors[Step.SESSION] = _session_shares(scores, fused.rows)
    return Fused(fused.rows, fused.ballots, priors, add_up([*votes, *priors.values()]))


def _within_sessions(rows: Iterable[Candidate], shares: Iterable[float]) -> list[float]:
    return [0.0 if row.thread is None else share for row, share in zip(rows, shares, strict=True)]


def _certain(rows: Sequence[Candidate], question: str, steps: frozenset[Step]) -> dict[Step, list[float]]:
    """What the steps add whose whole weight a record has or has not."""
    having: dict[Step, Iterable[object]] = {}
    if Step.NAMED_DATES in steps and (dates := named_dates(question)):
        having[Step.NAMED_DATES] = [covers_any(dates, row.occurred_at) for row in rows]
    if Step.TIME_WORDS in steps and asks_when(question):
        having[Step.TIME_WORDS] = [int(row.traits) & _NAMES_A_TIME for row in rows]
    if Step.SPEAKER in steps:
        speaking = _names_of_the_speaker(question, rows)
        having[Step.SPEAKER] = [row.source_name in speaking for row in rows]
    if Step.ASKS in steps:
        having[Step.ASKS] = [int(row.traits) & _ASKS for row in rows]
    return {step: [WEIGHTS[step] if has else 0.0 for has in column] for step, column in having.items()}


def _names_of_the_speaker(question: str, rows: Iterable[Candidate]) -> set[str]:
    """The written forms of the one name that the question has; none when it names none or several."""
    names = {row.source_name for row in rows if row.thread is not None}
    speaker = named_speaker(question, names)
    return {name for name in names if speaker is not None and normalize_name(name) == speaker}


def _asked_before(fused: Fused) -> list[float]:
    """A share of the scaled cosine, 0-1, of the record before, where that one asks and is a candidate."""
    nearness = {
        row.record_id: share / VECTOR_WEIGHT
        for row, share in zip(fused.rows, fused.ballots[Arm.VECTOR].shares, strict=True)
        if int(row.traits) & _ASKS
    }
    weight = WEIGHTS[Step.ASKED]
    return [0.0 if row.former is None else weight * nearness.get(row.former, 0.0) for row in fused.rows]


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
