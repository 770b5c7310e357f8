"""The relevance gate: what passes, what does not, and why."""

import random
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.calibrate import MIN_SAMPLE, calibrate, closeness
from rensou_recall.stages.gate import gate, open_gate, words_wanted
from rensou_recall.stages.unrelated import UNRELATED, Script, script_of
from rensou_recall.types.gate import MINIMA, Calibration, Gated, Origin, Reason, Signal
from rensou_recall.types.ranking import Ranking
from rensou_recall.types.retrieval import Candidate, GateLevel, Ranked
from rensou_shared.ids import RecordId

# Unrelated questions reach 0.50, 0.51 … 0.81 in this agent.
CALIBRATED = Calibration(192, tuple(0.5 + n / 100 for n in range(32)), 0.4)
SMALL = Calibration(3)
UNCALIBRATED = Calibration(100)
LEVELS = st.sampled_from([GateLevel.LENIENT, GateLevel.BALANCED, GateLevel.STRICT])
COSINES = st.none() | st.floats(0.2, 0.9)
SHARES = st.floats(0, 1)


def candidate(number: int, cosine: float | None, bm25: float = 0.0) -> Candidate:
    return Candidate(RecordId(number), cosine, None if cosine is None else number, bm25, None, 0.0)


def ranked(rows: Sequence[Candidate]) -> Ranking:
    return Ranking.of([Ranked(row.record_id, 1.0 / place, ()) for place, row in enumerate(rows, 1)])


def decide(
    rows: Sequence[Candidate],
    shares: Mapping[int, float] | None = None,
    calibration: Calibration = CALIBRATED,
    level: GateLevel = GateLevel.BALANCED,
) -> Gated:
    known = {RecordId(number): share for number, share in (shares or {}).items()}
    return gate(ranked(rows), {row.record_id: row for row in rows}, known, calibration, level)


def passed(gated: Gated) -> list[int]:
    return [one.record_id for one in gated.admitted]


def reasons(gated: Gated) -> list[Reason]:
    return [verdict.reason for verdict in gated.verdicts]


def test_a_near_candidate_answers_and_keeps_what_stands_beside_it() -> None:
    rows = [candidate(1, 0.85), candidate(2, 0.45), candidate(3, 0.3, bm25=2.0), candidate(4, 0.3), candidate(5, None)]
    gated = decide(rows)
    assert passed(gated) == [1, 2, 3, 5]
    assert reasons(gated) == [Reason.NEAR, Reason.BESIDE, Reason.BESIDE, Reason.BACKGROUND, Reason.BESIDE]
    assert [one.relevance for one in gated.admitted] == [1.0, 0.0, 0.0, None]
    assert [one.relevance_signal for one in gated.admitted] == [*3 * [Signal.CLOSENESS], Signal.NONE]
    assert [verdict.record_id for verdict in gated.refused] == [4]


def test_where_nothing_is_near_only_what_says_most_of_the_words_passes() -> None:
    rows = [candidate(1, 0.6, 9.0), candidate(2, 0.6, 8.0), candidate(3, 0.6)]
    gated = decide(rows, {1: 0.65, 2: 0.5})
    assert passed(gated) == [1]
    assert reasons(gated) == [Reason.WORDS, Reason.TOO_FAR, Reason.TOO_FAR]
    first, second, _ = gated.verdicts
    assert (first.signal, first.value, first.threshold) == (Signal.WORDS, 0.65, 0.6)
    assert (second.signal, second.threshold) == (Signal.CLOSENESS, 0.75)
    assert second.value == pytest.approx(10 / 31)


def test_a_record_without_a_vector_is_asked_for_fewer_words_than_one_whose_vector_says_no() -> None:
    gated = decide([candidate(1, None, 3.0), candidate(2, 0.6, 3.0)], {1: 0.2, 2: 0.2})
    assert passed(gated) == [1]


@pytest.mark.parametrize("calibration", [CALIBRATED, UNCALIBRATED])
def test_without_a_query_vector_words_decide_for_the_whole_question(calibration: Calibration) -> None:
    rows = [candidate(1, None, 3.0), candidate(2, None, 1.0)]
    answered = decide(rows, {1: 0.2, 2: 0.05}, calibration)
    assert reasons(answered) == [Reason.WORDS, Reason.BESIDE]
    refused = decide(rows, {1: 0.1, 2: 0.05}, calibration)
    assert reasons(refused) == [Reason.TOO_FEW_WORDS, Reason.TOO_FEW_WORDS]


@pytest.mark.parametrize("calibration", [CALIBRATED, UNCALIBRATED])
def test_one_rare_word_of_a_long_question_is_kept_where_no_vector_speaks(calibration: Calibration) -> None:
    rows = [candidate(1, None, 3.0)._replace(lexical_rank=1), candidate(2, None, 1.0)._replace(lexical_rank=2)]
    kept = decide(rows, {1: 0.05, 2: 0.01}, calibration)
    assert reasons(kept) == [Reason.FIRST_BY_WORDS, Reason.TOO_FEW_WORDS]
    strict = decide(rows, {1: 0.05, 2: 0.01}, calibration, GateLevel.STRICT)
    assert reasons(strict) == [Reason.TOO_FEW_WORDS, Reason.TOO_FEW_WORDS]


@pytest.mark.parametrize("cosine", [None, 0.2, 0.9])
def test_a_small_agent_keeps_what_fits(cosine: float | None) -> None:
    gated = decide([candidate(1, cosine), candidate(2, cosine, 0.1)], calibration=SMALL)
    assert passed(gated) == [1, 2]
    assert set(reasons(gated)) == {Reason.SMALL_POOL}


def test_a_small_agent_refuses_only_where_all_is_far_and_says_no_word() -> None:
    gated = decide([candidate(1, 0.1), candidate(2, 0.15)], calibration=SMALL)
    assert passed(gated) == []
    assert {verdict.signal for verdict in gated.verdicts} == {Signal.COSINE}
    assert passed(decide([candidate(1, 0.1), candidate(2, 0.1, bm25=0.1)], calibration=SMALL)) == [1, 2]
    assert passed(decide([candidate(1, 0.1), candidate(2, 0.25)], calibration=SMALL)) == [1, 2]


def test_words_are_asked_for_only_where_vectors_do_not_decide() -> None:
    rows = [candidate(1, 0.6, 3.0), candidate(2, 0.6), candidate(3, None, 1.0)]
    assert words_wanted(rows, CALIBRATED, GateLevel.BALANCED) == [1, 3]
    assert words_wanted([*rows, candidate(4, 0.85)], CALIBRATED, GateLevel.BALANCED) == []
    assert words_wanted(rows, SMALL, GateLevel.BALANCED) == []
    assert words_wanted([candidate(3, None, 1.0)], UNCALIBRATED, GateLevel.BALANCED) == [3]
    assert words_wanted([candidate(3, None, 1.0)], SMALL, GateLevel.BALANCED) == []


def test_an_open_gate_measures_nothing() -> None:
    rows = ranked([candidate(1, 0.1)])
    gated = open_gate(rows)
    assert (gated.admitted, gated.refused, gated.calibration) == (rows, (), None)


def test_levels_ask_for_more_and_more() -> None:
    lenient, balanced, strict = (MINIMA[one] for one in (GateLevel.LENIENT, GateLevel.BALANCED, GateLevel.STRICT))
    for low, high in ((lenient, balanced), (balanced, strict)):
        assert low.closeness < high.closeness
        assert low.words_beside < high.words_beside
        assert low.words_alone < high.words_alone
        assert low.cosine < high.cosine


ROWS = st.lists(st.tuples(COSINES, SHARES), min_size=1, max_size=8)
CALIBRATIONS = st.sampled_from([CALIBRATED, UNCALIBRATED, SMALL])


def rows_of(drawn: list[tuple[float | None, float]]) -> tuple[list[Candidate], dict[int, float]]:
    rows = [candidate(number, cosine, bm25=share) for number, (cosine, share) in enumerate(drawn, 1)]
    return rows, {number: share for number, (_, share) in enumerate(drawn, 1)}


@given(ROWS, CALIBRATIONS, LEVELS, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_no_decision(
    drawn: list[tuple[float | None, float]], calibration: Calibration, level: GateLevel, shuffling: random.Random
) -> None:
    rows, shares = rows_of(drawn)
    gated = decide(rows, shares, calibration, level)
    mixed = list(rows)
    shuffling.shuffle(mixed)
    again = decide(mixed, shares, calibration, level)
    assert sorted(gated.verdicts, key=lambda v: v.record_id) == sorted(again.verdicts, key=lambda v: v.record_id)
    once_more = decide(rows, shares, calibration, level)
    assert (tuple(once_more.admitted), once_more.verdicts) == (tuple(gated.admitted), gated.verdicts)


@given(ROWS, CALIBRATIONS, LEVELS, st.floats(0, 0.3), st.floats(0, 0.5))
def test_what_is_admitted_stays_so_when_it_comes_nearer_or_says_more(
    drawn: list[tuple[float | None, float]], calibration: Calibration, level: GateLevel, nearer: float, more: float
) -> None:
    rows, shares = rows_of(drawn)
    before = set(passed(decide(rows, shares, calibration, level)))
    for place, row in enumerate(rows):
        cosine = None if row.cosine is None else row.cosine + nearer
        better = [*rows[:place], row._replace(cosine=cosine, bm25=row.bm25 + more), *rows[place + 1 :]]
        said = shares | {int(row.record_id): shares[int(row.record_id)] + more}
        assert before <= set(passed(decide(better, said, calibration, level)))


@given(ROWS, CALIBRATIONS)
def test_a_stricter_level_admits_nothing_more(
    drawn: list[tuple[float | None, float]], calibration: Calibration
) -> None:
    rows, shares = rows_of(drawn)
    lenient, balanced, strict = (
        set(passed(decide(rows, shares, calibration, level)))
        for level in (GateLevel.LENIENT, GateLevel.BALANCED, GateLevel.STRICT)
    )
    assert strict <= balanced <= lenient


def unit_rows(seed: int, count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    drawn = np.random.default_rng(seed).standard_normal((count, 16))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def test_a_calibration_is_the_best_cosine_of_each_unrelated_question_and_their_mean() -> None:
    records, questions = unit_rows(1, 40), unit_rows(2, 5)
    measured = calibrate(records, questions)
    cosines = questions.astype(float) @ records.astype(float).T
    assert measured.origin is Origin.CALIBRATED
    assert measured.sample == 40
    assert measured.nearest == pytest.approx(sorted(cosines.max(axis=1)))
    assert measured.background == pytest.approx(cosines.mean())


def test_too_few_records_calibrate_nothing() -> None:
    few = calibrate(unit_rows(1, MIN_SAMPLE - 1), unit_rows(2, 5))
    assert few == Calibration(MIN_SAMPLE - 1)
    assert few.origin is Origin.HEURISTIC
    assert calibrate(unit_rows(1, MIN_SAMPLE), np.empty((0, 0), np.float32)).origin is Origin.HEURISTIC


def test_closeness_is_the_share_of_unrelated_questions_that_find_no_record_so_near() -> None:
    assert closeness(CALIBRATED, 0.4999) == 0.0
    assert closeness(CALIBRATED, 0.81) == 1.0
    assert closeness(CALIBRATED, 0.655) == pytest.approx(0.5)
    values = [closeness(CALIBRATED, cosine / 1000) for cosine in range(450, 860)]
    assert values == sorted(values)


def test_equal_neighbours_are_no_division_by_zero() -> None:
    same = Calibration(40, (0.5, 0.5, 0.5), 0.1)
    assert (closeness(same, 0.4), closeness(same, 0.5)) == (0.0, 1.0)


def test_questions_are_told_apart_by_their_writing() -> None:
    assert script_of("When does the ferry leave?") is Script.SPACED
    assert script_of("次の船はいつ出ますか") is Script.CJK
    assert script_of("ERR_208 はなぜ") is Script.CJK
    assert script_of("新しいAPI鍵の期限は？") is Script.CJK
    assert script_of("東") is Script.CJK
    assert script_of("What did 東 say about the melting point of tin?") is Script.SPACED
    assert script_of("🙂 123") is Script.SPACED
    for script, questions in UNRELATED.items():
        assert len(set(questions)) == len(questions) == 32
        assert {script_of(one) for one in questions} == {script}
