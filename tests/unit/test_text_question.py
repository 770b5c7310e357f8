"""What a question is searched by."""

from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.text.index import MAX_QUERY_TERMS, count_query_terms, question_terms
from rensou_shared.text.lexemes import query_terms

KANJI = "".join(chr(0x4E00 + number) for number in range(8_000))


def test_a_question_is_searched_by_its_first_terms() -> None:
    asked = question_terms("ann", KANJI)
    assert (len(asked.hashes), len(asked.trigram_slots)) == (MAX_QUERY_TERMS, MAX_QUERY_TERMS)
    assert asked == question_terms("ann", KANJI + "and what comes later")
    assert count_query_terms(KANJI) == 7_999


def test_other_names_are_searched_for_however_long_the_question_is() -> None:
    alone, joined = question_terms("ann", KANJI), question_terms("ann", KANJI, ["lantern"])
    assert set(joined.hashes) - set(alone.hashes) == set(question_terms("ann", "lantern").hashes)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=128))
def test_a_text_that_is_not_counted_has_no_more_terms_than_it_may(text: str) -> None:
    assert len(query_terms(text)) <= MAX_QUERY_TERMS and count_query_terms(text) == 0
