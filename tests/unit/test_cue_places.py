"""What a time cue does to an answer: places up and seats, and nothing else."""

import random
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.answer import answer, cued, ids_to_read
from rensou_recall.stages.cue_places import count_moved, cue_order, may_be_seated, move_up
from rensou_recall.types.records import Source, StoredRecord
from rensou_recall.types.retrieval import Admission, Arm, Fusion, Question, Ranked, Vote
from rensou_recall.types.signal import Signal
from rensou_recall.types.time_cue import Confidence, CuedPeriod, CueFindings, CueHit, Period
from rensou_shared.ids import RecordId, RecordRef

NOW = datetime(2026, 3, 29, tzinfo=UTC)
PERIOD = Period(NOW - timedelta(days=9), NOW)
IDS = st.lists(st.integers(1, 200), unique=True, max_size=40).map(lambda ids: [RecordId(one) for one in ids])
MOST = st.integers(1, 3)
RANKS = st.none() | st.integers(1, 50)
HITS = IDS.flatmap(
    lambda ids: st.tuples(
        *(st.builds(CueHit, st.just(one), st.floats(-1, 1), RANKS, st.floats(0, 9), RANKS) for one in ids)
    )
)


def ranking(ids: list[RecordId]) -> list[Ranked]:
    return [
        Ranked(one, 1 / place, (Vote(Arm.VECTOR, place, 0.5, 1 / place),)) for place, one in enumerate(ids, start=1)
    ]


def seen(number: int, vector_rank: int | None = None, lexical_rank: int | None = None) -> CueHit:
    return CueHit(RecordId(number), 0.5, vector_rank, 2.0, lexical_rank)


def stored(number: RecordId) -> StoredRecord:
    return StoredRecord(RecordRef("mem", number), "text", "", "", Source(), "", None, None, NOW, False, 1)


def numbers(ranked: tuple[Ranked, ...]) -> list[int]:
    return [one.record_id for one in ranked]


@given(IDS, IDS, MOST)
def test_moving_removes_nothing_lifts_no_further_and_keeps_the_others_in_order(
    ids: list[RecordId], cue: list[RecordId], most: int
) -> None:
    window = ranking(ids)
    moved = move_up(window, cue, most)
    assert sorted(moved, key=lambda one: one.record_id) == sorted(window, key=lambda one: one.record_id)
    assert moved == move_up(window, cue, most)
    place_of = {one: place for place, one in enumerate(ids)}
    for place, one in enumerate(moved):
        assert place >= place_of[one.record_id] - most
    assert [one for one in numbers(moved) if one not in cue] == [one for one in ids if one not in cue]
    assert count_moved(window, moved) == sum(place < place_of[one.record_id] for place, one in enumerate(moved))
    if not set(cue) & set(ids):
        assert list(moved) == window


def test_the_best_of_the_cue_moves_by_the_whole_bound_and_a_later_one_by_less() -> None:
    ids = [RecordId(one) for one in range(1, 9)]
    assert numbers(move_up(ranking(ids), [RecordId(8)], 3)) == [1, 2, 3, 4, 8, 5, 6, 7]
    far = [*(RecordId(one) for one in range(100, 160)), RecordId(8)]
    assert numbers(move_up(ranking(ids), far, 3)) == [1, 2, 3, 4, 5, 6, 8, 7]


@given(HITS, st.randoms(use_true_random=False))
def test_the_order_of_the_cue_does_not_depend_on_the_order_given(hits: tuple[CueHit, ...], rng: random.Random) -> None:
    assert cue_order(rng.sample(hits, len(hits))) == cue_order(hits)


def test_the_cue_is_in_the_order_of_its_reciprocal_ranks_ties_by_id() -> None:
    hits = [seen(5, 1), seen(4, None, 1), seen(3, 40, 40), seen(2, 2), seen(9, 1, 50)]
    assert [hit.record_id for hit in cue_order(hits)] == [9, 3, 4, 5, 2]


def test_what_the_arms_found_and_the_ranking_does_not_hold_gets_no_seat() -> None:
    hits = [seen(1), seen(2), seen(3)]
    (second,) = ranking([RecordId(2)])
    seats = may_be_seated(hits, {RecordId(1), RecordId(2)}, {RecordId(2): second})
    assert numbers(seats) == [2, 3]
    assert {one.admission for one in seats} == {Admission.TIME_CUE}
    assert (seats[0].score, seats[0].votes) == (second.score, second.votes)
    assert (seats[1].score, seats[1].votes) == (
        0.0,
        (Vote(Arm.VECTOR, None, 0.5, 0.0), Vote(Arm.LEXICAL, None, 2.0, 0.0)),
    )


@given(IDS, HITS, st.sampled_from(Confidence), st.integers(0, 12), st.sets(st.integers(1, 200), max_size=9), st.data())
def test_an_answer_keeps_its_hits_and_gets_at_most_its_seats(
    found: list[RecordId],
    hits: tuple[CueHit, ...],
    confidence: Confidence,
    keep: int,
    left_out: set[int],
    data: st.DataObject,
) -> None:
    admitted = ranking(data.draw(st.sampled_from([found, found[:3], found[::2]])))
    exclude = frozenset(RecordRef("mem", RecordId(one)) for one in left_out)
    question = Question("tea", Fusion.CONVEX, 100, keep, exclude=exclude)
    findings = CueFindings(PERIOD, confidence, found=CuedPeriod(cue_order(hits), held=len(hits), cut=False))
    cue = cued(findings, found, admitted)
    records = {one: stored(one) for one in ids_to_read(admitted, cue, question)}
    plain = answer(admitted, None, records, question).hits
    given_cue = answer(admitted, cue, records, question)
    hinted, outcome = given_cue.hits, given_cue.outcome
    assert outcome is not None
    assert given_cue.window == plain
    window, seats = hinted[: len(plain)], hinted[len(plain) :]
    assert set(window) == set(plain)
    most = {Confidence.SURE: 3, Confidence.LIKELY: 2, Confidence.VAGUE: 1}[confidence]
    refused = set(found) - {one.record_id for one in admitted}
    free = [
        hit.record_id for hit in findings.found.hits if hit.record_id not in refused | set(numbers(plain)) | left_out
    ]
    assert numbers(seats) == free[: most if keep else 0]
    assert (outcome.moved, outcome.seated) == (count_moved(plain, window), len(seats))


def test_where_the_gate_refused_everything_nobody_is_seated() -> None:
    hits = [seen(1, 1), seen(2, 2)]
    assert may_be_seated(hits, {RecordId(1)}, {}) == ()
    assert numbers(may_be_seated(hits, set(), {})) == [1, 2]


def test_a_seat_for_what_the_gate_measured_says_what_was_measured() -> None:
    measured = Ranked(RecordId(7), 0.5, (), relevance=0.75, relevance_signal=Signal.WORDS)
    (seat,) = may_be_seated([seen(7, 1)], {RecordId(7)}, {RecordId(7): measured})
    assert (seat.admission, seat.relevance, seat.relevance_signal) == (Admission.TIME_CUE, 0.75, Signal.WORDS)
