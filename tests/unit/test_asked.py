"""Names that are added to a question vote: they admit nothing that the question alone would not have admitted."""

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from rensou_recall.stages.asked import as_asked
from rensou_recall.stages.gate import gate
from rensou_recall.types.gate import Calibration, Gated, Reason
from rensou_recall.types.ranking import Ranking
from rensou_recall.types.retrieval import Candidate, GateLevel, Ranked
from rensou_shared.ids import RecordId

CALIBRATED = Calibration(192, tuple(0.5 + n / 100 for n in range(32)), 0.4)
UNCALIBRATED = Calibration(100)
SMALL = Calibration(3)
NEAR, FAR = 0.85, 0.3


class Text(NamedTuple):
    """A record: how near it is, how much it says of the question, how much of added names, what comes before it."""

    cosine: float | None
    asked: float = 0.0
    added: float = 0.0
    former: int | None = None


def candidates(texts: Sequence[Text], *, widened: bool) -> list[Candidate]:
    """The texts as retrieval scores them for the question alone, or with the names that were added to it."""
    said = [text.asked + (text.added if widened else 0.0) for text in texts]
    ranking = sorted((-score, number) for number, score in enumerate(said) if score > 0)
    ranks = {number: rank for rank, (_, number) in enumerate(ranking, 1)}

    def before(number: int | None) -> int | None:
        return None if number is None else texts[number].former

    def context(number: int) -> float:
        # Word by word: what predecessors say of one is not taken away by what the record says of another.
        near, far = texts[number].former, before(texts[number].former)
        words = [[text.asked for text in texts]] + ([[text.added for text in texts]] if widened else [])
        heard = [max(0.0 if one is None else w * said[one] for one, w in ((near, 0.3), (far, 0.7))) for said in words]
        return sum(max(gain - said[number], 0.0) for gain, said in zip(heard, words, strict=True))

    return [
        Candidate(RecordId(n), text.cosine, None, said[n], ranks.get(n), 0.0, context(n), former=_id(text.former))
        for n, text in enumerate(texts)
    ]


def _id(number: int | None) -> RecordId | None:
    return None if number is None else RecordId(number)


def decided(texts: Sequence[Text], calibration: Calibration, level: GateLevel, *, widened: bool) -> Gated:
    rows = candidates(texts, widened=widened)
    ranked = Ranking.of([Ranked(row.record_id, 1.0, ()) for row in rows])
    shares = {RecordId(n): text.asked for n, text in enumerate(texts)}
    alone = candidates(texts, widened=False)
    if not widened:
        return gate(ranked, {row.record_id: row for row in alone}, shares, calibration, level)
    first = next((row.record_id for row in alone if row.lexical_rank == 1), None)
    asked = as_asked(rows, shares, first)
    return gate(ranked, asked.rows, shares, calibration, level, asked.unheard)


def reasons(texts: Sequence[Text], calibration: Calibration = CALIBRATED) -> list[Reason]:
    return [one.reason for one in decided(texts, calibration, GateLevel.BALANCED, widened=True).verdicts]


def test_reading_6_a_far_record_that_says_an_added_name_alone_does_not_stand_beside_an_answer():
    assert reasons([Text(NEAR), Text(FAR, added=9.0)]) == [Reason.NEAR, Reason.BACKGROUND]
    assert reasons([Text(NEAR), Text(FAR, asked=0.1, added=9.0)]) == [Reason.NEAR, Reason.BESIDE]


def test_reading_6_a_record_without_a_vector_that_only_an_added_name_found_is_refused():
    assert reasons([Text(NEAR), Text(None, added=9.0)]) == [Reason.NEAR, Reason.TOO_FEW_WORDS]
    assert reasons([Text(None, added=9.0)], UNCALIBRATED) == [Reason.TOO_FEW_WORDS]


def test_reading_6_the_first_by_words_is_the_first_by_the_words_of_the_question():
    texts = [Text(None, asked=0.05, added=9.0), Text(None, asked=0.1)]
    assert reasons(texts, UNCALIBRATED) == [Reason.TOO_FEW_WORDS, Reason.FIRST_BY_WORDS]


def test_reading_6_an_added_name_opens_no_small_pool_where_all_is_far():
    assert set(reasons([Text(0.1, added=9.0), Text(0.1)], SMALL)) == {Reason.TOO_FAR}


def test_reading_6_a_small_agent_keeps_what_has_no_vector_and_it_opens_the_pool_for_nothing_else():
    assert reasons([Text(None, added=9.0)], SMALL) == [Reason.SMALL_POOL]
    assert reasons([Text(None, added=9.0), Text(0.1)], SMALL) == [Reason.SMALL_POOL, Reason.TOO_FAR]


def test_reading_6_what_predecessors_say_of_the_question_counts_and_what_they_say_of_added_names_does_not():
    follows_the_question = [Text(NEAR), Text(None, asked=0.5), Text(FAR, former=1)]
    assert reasons(follows_the_question)[2] is Reason.BESIDE
    follows_a_name = [Text(NEAR), Text(None, added=0.5), Text(FAR, former=1)]
    assert reasons(follows_a_name)[2] is Reason.BACKGROUND


_SAID = st.just(0.0) | st.floats(0.01, 1)
_TEXTS = st.lists(
    st.builds(Text, st.none() | st.floats(0.05, 0.9), _SAID, _SAID, st.none() | st.integers(0, 7)),
    min_size=1,
    max_size=8,
).map(lambda texts: [t._replace(former=t.former if t.former is not None and t.former < n else None)
                     for n, t in enumerate(texts)])  # fmt: skip
_LEVELS = st.sampled_from([GateLevel.LENIENT, GateLevel.BALANCED, GateLevel.STRICT])


@given(_TEXTS, st.sampled_from([CALIBRATED, UNCALIBRATED, SMALL]), _LEVELS)
@example([Text(None, asked=0.05, added=1.0), Text(None, asked=0.1)], UNCALIBRATED, GateLevel.BALANCED)
def test_reading_6_added_names_admit_nothing_that_the_question_alone_would_not(
    texts: list[Text], calibration: Calibration, level: GateLevel
):
    widened = {one.record_id for one in decided(texts, calibration, level, widened=True).admitted}
    alone = {one.record_id for one in decided(texts, calibration, level, widened=False).admitted}
    assert widened <= alone


@given(_TEXTS, st.sampled_from([CALIBRATED, UNCALIBRATED, SMALL]), _LEVELS)
def test_reading_6_added_names_take_nothing_away_that_speaks_to_the_question(
    texts: list[Text], calibration: Calibration, level: GateLevel
):
    bare = [text._replace(added=0.0) for text in texts]
    widened = {one.record_id for one in decided(texts, calibration, level, widened=True).admitted}
    alone = {one.record_id for one in decided(bare, calibration, level, widened=True).admitted}
    assert widened == alone
