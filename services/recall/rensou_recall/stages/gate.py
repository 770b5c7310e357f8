"""The relevance gate: which candidates have to do with the question.

A question is answered when its best candidate is nearer than unrelated questions come to this agent's records; then
every candidate stays that is no worse than chance. Otherwise only those stay that say most of the question's words.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rensou_recall.stages.asked import says_a_word
from rensou_recall.stages.calibrate import MIN_SAMPLE, closeness
from rensou_recall.types.gate import MINIMA, REFUSALS, Calibration, Gated, Minimum, Origin, Reason, Signal, Verdict
from rensou_recall.types.ranking import Ranking
from rensou_recall.types.retrieval import Candidate, GateLevel, Ranked
from rensou_shared.ids import RecordId

Shares = Mapping[RecordId, float]


@dataclass(frozen=True, slots=True)
class Measure:
    """What candidates are measured with, for one question.

    Attributes:
        answered: A candidate is nearer than unrelated questions come.
        touched: A candidate has enough cosine, or a word of the question, or no vector; asked where nothing is
            calibrated.
    """

    minimum: Minimum
    calibration: Calibration
    has_vectors: bool
    answered: bool
    touched: bool

    def nearness(self, candidate: Candidate) -> float:
        """Closeness of the candidate; 0 without a vector."""
        return 0.0 if candidate.cosine is None else closeness(self.calibration, candidate.cosine)


def open_gate(ranked: Ranking) -> Gated:
    """Everything passes and nothing is measured."""
    return Gated(ranked, tuple(Verdict(number, Signal.NONE, None, None, Reason.OFF) for number in ranked.ids), None)


def words_wanted(candidates: Iterable[Candidate], calibration: Calibration, level: GateLevel) -> list[RecordId]:
    """The candidates whose share of the question's words `gate` must know, by id: none where vectors decide."""
    rows = tuple(candidates)
    measure = _measure(rows, calibration, MINIMA[level])
    if measure.answered or not _needs_words(measure):
        return []
    return sorted(row.record_id for row in rows if row.bm25 > 0)


def gate(
    ranked: Ranking,
    candidates: Mapping[RecordId, Candidate],
    shares: Shares,
    calibration: Calibration,
    level: GateLevel,
    unheard: AbstractSet[RecordId] = frozenset(),
) -> Gated:
    """The decisions about `ranked`, in its order; `shares` has what `words_wanted` names.

    A candidate that is admitted stays so when it or another comes nearer to the question or says more of it. For the
    `unheard` nothing speaks but names that were added to the question: they answer nothing and stand beside nothing.
    """
    heard = (row for number, row in candidates.items() if number not in unheard)
    measure = _measure(heard, calibration, MINIMA[level])
    words_answer = not measure.has_vectors and any(share >= measure.minimum.words_alone for share in shares.values())
    verdicts = tuple(
        _unheard(measure, candidates[number])
        if number in unheard
        else _judge(measure, candidates[number], shares, words_answer)
        for number in ranked.ids
    )
    places = [place for place, verdict in enumerate(verdicts) if verdict.reason not in REFUSALS]

    def make(place: int) -> Ranked:
        verdict = verdicts[places[place]]
        return ranked[places[place]]._replace(relevance=verdict.value, relevance_signal=verdict.signal)

    return Gated(Ranking([ranked.ids[place] for place in places], make), verdicts, calibration)


def _measure(candidates: Iterable[Candidate], calibration: Calibration, minimum: Minimum) -> Measure:
    rows = tuple(candidates)
    cosines = [row.cosine for row in rows if row.cosine is not None]
    if calibration.origin is Origin.CALIBRATED:
        answered = bool(cosines) and closeness(calibration, max(cosines)) >= minimum.closeness
        return Measure(minimum, calibration, bool(cosines), answered, touched=True)
    touched = any(row.cosine is None or row.cosine >= minimum.cosine or says_a_word(row) for row in rows)
    return Measure(minimum, calibration, bool(cosines), answered=False, touched=touched)


def _needs_words(measure: Measure) -> bool:
    """Vectors that say no, or no vectors: words are asked, unless the agent has too few to weigh them by."""
    if measure.has_vectors:
        return measure.calibration.origin is Origin.CALIBRATED
    return measure.calibration.sample >= MIN_SAMPLE


def _judge(measure: Measure, candidate: Candidate, shares: Shares, words_answer: bool) -> Verdict:
    if measure.answered:
        return _beside_an_answer(measure, candidate)
    if not _needs_words(measure):
        return _unmeasured(measure, candidate)
    share = shares.get(candidate.record_id, 0.0)
    alone = candidate.cosine is None
    threshold = measure.minimum.words_alone if alone else measure.minimum.words_beside
    if share >= threshold:
        return Verdict(candidate.record_id, Signal.WORDS, share, threshold, Reason.WORDS)
    if words_answer:
        return Verdict(candidate.record_id, Signal.WORDS, share, threshold, Reason.BESIDE)
    if alone:
        is_kept = measure.minimum.keeps_first and candidate.lexical_rank == 1
        reason = Reason.FIRST_BY_WORDS if is_kept else Reason.TOO_FEW_WORDS
        return Verdict(candidate.record_id, Signal.WORDS, share, threshold, reason)
    near = measure.nearness(candidate)
    return Verdict(candidate.record_id, Signal.CLOSENESS, near, measure.minimum.closeness, Reason.TOO_FAR)


def _beside_an_answer(measure: Measure, candidate: Candidate) -> Verdict:
    if candidate.cosine is None:
        return Verdict(candidate.record_id, Signal.NONE, None, None, Reason.BESIDE)
    near, threshold = measure.nearness(candidate), measure.minimum.closeness
    if near >= threshold:
        reason = Reason.NEAR
    elif candidate.cosine > measure.calibration.background or says_a_word(candidate):
        reason = Reason.BESIDE
    else:
        reason = Reason.BACKGROUND
    return Verdict(candidate.record_id, Signal.CLOSENESS, near, threshold, reason)


def _unmeasured(measure: Measure, candidate: Candidate) -> Verdict:
    if candidate.cosine is None:
        return Verdict(candidate.record_id, Signal.NONE, None, None, Reason.SMALL_POOL)
    threshold = measure.minimum.cosine
    reason = Reason.SMALL_POOL if measure.touched else Reason.TOO_FAR
    return Verdict(candidate.record_id, Signal.COSINE, candidate.cosine, threshold, reason)


def _unheard(measure: Measure, candidate: Candidate) -> Verdict:
    """Refused, unless the agent has too few records for anything to be measured."""
    if measure.calibration.sample < MIN_SAMPLE:
        return _unmeasured(measure, candidate)
    return Verdict(candidate.record_id, Signal.WORDS, 0.0, measure.minimum.words_alone, Reason.TOO_FEW_WORDS)
