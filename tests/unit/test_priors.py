"""What is added after fusion: each step apart, explained, and only for records with a session."""

import math
from datetime import UTC, datetime

import pytest

from rensou_recall.stages.fuse import LEXICAL_WEIGHT, fuse
from rensou_recall.stages.priors import CONTEXT, WEIGHTS, add_priors, context_weights
from rensou_recall.stages.rank import rank as ranking
from rensou_recall.types.retrieval import ALL_STEPS, Candidate, Fusion, Ranked, Step, Thread
from rensou_shared.ids import RecordId
from rensou_shared.text.traits import Trait

NONE = frozenset[Step]()
MAY = datetime(2023, 5, 7, tzinfo=UTC)
HERE = Thread("", "", "s")


def found(number: int, bm25: float, thread: Thread | None = HERE) -> Candidate:
    return Candidate(RecordId(number), None, None, bm25, None, 0.0, thread=thread)


def rank(rows: list[Candidate], question: str, *steps: Step) -> dict[int, Ranked]:
    ranked = ranking(add_priors(fuse(rows, Fusion.CONVEX), question, frozenset(steps)))
    assert list(ranked) == sorted(ranked, key=lambda r: (-r.score, r.record_id))
    for one in ranked:
        assert one.score == math.fsum(part.share for part in (*one.votes, *one.priors))
    return {one.record_id: one for one in ranked}


def shares(one: Ranked) -> dict[Step, float]:
    return {prior.step: prior.share for prior in one.priors}


def test_context_adds_what_the_words_gain_and_may_lift_a_record() -> None:
    rows = [found(1, 4.0), found(2, 1.0)._replace(context=4.0), found(3, 0.0)]
    ranked = rank(rows, "tea")
    assert list(ranked) == [2, 1, 3]
    assert shares(ranked[2]) == {Step.CONTEXT: pytest.approx(LEXICAL_WEIGHT * 0.8)}
    assert shares(ranked[1]) == {}


def test_a_record_that_only_its_predecessors_speak_for_owes_all_to_them() -> None:
    (alone,) = rank([found(1, 0.0)._replace(context=2.0)], "tea").values()
    assert shares(alone) == {Step.CONTEXT: LEXICAL_WEIGHT}
    assert alone.score == LEXICAL_WEIGHT


def test_a_record_on_a_named_date_gains() -> None:
    rows = [
        found(1, 1.0)._replace(occurred_at=MAY),
        found(2, 1.0)._replace(occurred_at=datetime(2023, 6, 7, tzinfo=UTC)),
    ]
    ranked = rank(rows, "2023年5月に何を", Step.NAMED_DATES)
    assert shares(ranked[1]) == {Step.NAMED_DATES: WEIGHTS[Step.NAMED_DATES]}
    assert shares(ranked[2]) == {}


def test_a_record_that_names_a_time_gains_when_the_question_asks_when() -> None:
    rows = [found(1, 1.0)._replace(traits=Trait.NAMES_A_TIME), found(2, 1.0)]
    assert shares(rank(rows, "When was it?", Step.TIME_WORDS)[1]) == {Step.TIME_WORDS: WEIGHTS[Step.TIME_WORDS]}
    assert shares(rank(rows, "What was it?", Step.TIME_WORDS)[1]) == {}
    assert shares(rank(rows, "いつでしたか", Step.TIME_WORDS)[2]) == {}


def test_a_session_gives_its_records_a_share_of_its_best() -> None:
    elsewhere = Thread("P", "", "s")
    rows = [found(1, 4.0), found(2, 1.0), found(3, 1.0, elsewhere), found(4, 0.0, elsewhere)]
    ranked = rank(rows, "tea", Step.SESSION)
    assert shares(ranked[2]) == {Step.SESSION: WEIGHTS[Step.SESSION]}
    assert shares(ranked[3]) == {Step.SESSION: pytest.approx(WEIGHTS[Step.SESSION] / 4)}
    assert shares(ranked[4]) == shares(ranked[3])


def test_a_record_without_a_session_gains_nothing() -> None:
    traits = Trait.NAMES_A_TIME | Trait.ASKS
    row = Candidate(RecordId(1), None, None, 1.0, 1, 0.0, 0.0, None, MAY, traits, RecordId(1), "Mika")
    assert shares(rank([row], "When did Mika go in May 2023?", *ALL_STEPS)[1]) == {}


def test_without_steps_nothing_is_added() -> None:
    rows = [Candidate(RecordId(1), None, None, 1.0, 1, 0.0, 0.0, HERE, MAY, Trait.NAMES_A_TIME), found(2, 0.5)]
    fused = fuse(rows, Fusion.CONVEX)
    assert add_priors(fused, "When in May 2023?", NONE) is fused


def test_scores_of_nothing_share_nothing() -> None:
    assert shares(rank([found(1, 0.0)], "tea", Step.SESSION)[1]) == {}


def test_the_context_step_decides_what_the_statement_is_asked() -> None:
    assert context_weights(ALL_STEPS) == CONTEXT.in_order
    assert context_weights(ALL_STEPS - {Step.CONTEXT}) == (0.0, 0.0, 0.0)
    assert context_weights(ALL_STEPS - {Step.CONTEXT, Step.ASKED}) == ()


def near(number: int, cosine: float, **more: object) -> Candidate:
    row = Candidate(RecordId(number), cosine, number, 0.0, None, 0.0, thread=HERE)
    return row._replace(**more)


def test_an_answer_inherits_from_the_question_before_it() -> None:
    rows = [near(1, 0.9, traits=Trait.ASKS), near(2, 0.5, former=RecordId(1)), near(3, 0.5), near(4, 0.1)]
    ranked = rank(rows, "tea", Step.ASKED)
    assert shares(ranked[2]) == {Step.ASKED: WEIGHTS[Step.ASKED]}
    assert list(ranked) == [1, 2, 3, 4]


def test_nothing_is_inherited_from_a_statement_or_from_what_retrieval_did_not_find() -> None:
    rows = [near(1, 0.9), near(2, 0.5, former=RecordId(1)), near(3, 0.4, former=RecordId(9)), near(4, 0.1)]
    ranked = rank(rows, "tea", Step.ASKED)
    assert [shares(one) for one in ranked.values()] == [{}] * 4


def test_who_is_named_alone_gains() -> None:
    rows = [found(1, 1.0)._replace(source_name="Mika"), found(2, 1.0)._replace(source_name="Jun")]
    assert shares(rank(rows, "What did Mika order?", Step.SPEAKER)[1]) == {Step.SPEAKER: WEIGHTS[Step.SPEAKER]}
    assert shares(rank(rows, "What did Mika tell Jun?", Step.SPEAKER)[1]) == {}
    assert shares(rank(rows, "What was ordered?", Step.SPEAKER)[1]) == {}


def test_a_record_that_asks_counts_less() -> None:
    rows = [found(1, 1.0)._replace(traits=Trait.ASKS), found(2, 1.0)]
    ranked = rank(rows, "tea", Step.ASKS)
    assert list(ranked) == [2, 1]
    assert shares(ranked[1]) == {Step.ASKS: WEIGHTS[Step.ASKS]}
