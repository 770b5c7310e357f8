"""Terms of the lexical arm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.text.lexemes import (
    TERMS_VERSION,
    document_terms,
    query_terms,
    query_trigrams,
    trigram_counts,
    weighted_length,
)
from rensou_shared.text.validate import is_blank

CJK_TEXT = st.text(st.sampled_from("明日は京都で会議新しい鍵カタナ한국어"), min_size=1, max_size=30)
STORABLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def finds(query: str, document: str) -> bool:
    return bool(set(query_terms(query)) & document_terms(document).keys())


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("京都", "明日は京都で会議"),
        ("会", "明日は京都で会議"),
        ("API", "新しいAPI鍵"),
        ("鍵", "新しいAPI鍵"),
        ("connection", "All the Connections were lost"),
        ("Melanie", "That is Melanie's lake"),
        ("o’brien", "O'Brien called"),
        ("foo-bar.baz/v2", "see foo-bar.baz/v2."),
        ("ERR_42::x", "it said ERR_42::x!"),
        ("err_42", "it said ERR_42::x"),
        ("42", "it said ERR_42::x"),
        ("to do", "my to-do"),
        ("Zu\u0308rich", "Zürich"),
        ("ABC", "ＡＢＣ"),
        ("ｶﾞｯｺｳ", "ガッコウ"),
        ("が", "か\u3099"),
        ("が", "か゛"),
        ("＇quoted＇", "quoted"),
        ("会議", "会\ufe00議"),
        ("cooperate", "co\u00adoperate"),
        ("москва", "Москва слезам не верит"),
        ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
        ("ภาษา", "พูดภาษาไทย"),
        ("한국", "저는 한국어를 배웁니다"),
        ("🎉", "What a party 🎉"),
        ("👍", "👍🏽"),
        ("!!!", "!!!"),
        ("to be or not to be", "To be, or not to be."),
        ("Don’t", "don't!"),
        ("room", "tea\u200broom"),
        ("3月", "来年の3月に引っ越す"),
    ],
)
def test_a_query_finds_its_document(query: str, document: str) -> None:
    assert finds(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("C", "C++ and C#"),
        ("C++", "C and C#"),
        ("C#", "C and C++"),
        ("東京", "大阪"),
        ("会議", "会う議員"),
        ("Москва", "Київ"),
        ("😀", "🎉"),
        ("what is the", "this was of them 🎉"),
    ],
)
def test_a_query_does_not_find_another_document(query: str, document: str) -> None:
    assert not finds(query, document)


def test_a_text_has_exactly_its_terms() -> None:
    terms = document_terms("The cats' API鍵 v2, a/b C++ 🎉")
    assert terms == {
        "wcat": 1,
        "wapi": 1,
        "c鍵": 1,
        "wv2": 1,
        "ia/b": 1,
        "wb": 1,
        "ic++": 1,
        "s🎉": 1,
    }


def test_a_run_gives_bigrams_and_single_characters() -> None:
    assert document_terms("会会議") == {"b会会": 1, "b会議": 1, "c会": 2, "c議": 1}


def test_a_query_asks_for_single_characters_only_where_a_run_has_one() -> None:
    assert query_terms("京都 会") == ("b京都", "c会")


def test_query_terms_are_distinct_and_in_reading_order() -> None:
    assert query_terms("zebra apple zebra 京都") == ("wzebra", "wappl", "b京都")


def test_stems_never_change() -> None:
    # Stored terms depend on them: if this fails, TERMS_VERSION must be raised and the new stems written here.
    assert TERMS_VERSION == 2
    words = "generously running happiness relational skies dying organization national easily universities"
    stems = ["generous", "run", "happi", "relat", "sky", "die", "organiz", "nation", "easili", "universiti"]
    assert [term[1:] for term in query_terms(words)] == stems


def test_the_length_leaves_out_single_characters() -> None:
    assert weighted_length(document_terms("会議 会議 tea")) == 3


def test_the_length_adds_weighted_counts() -> None:
    assert weighted_length({"wtea": 2.5, "b京都": 0.5, "c京": 9.0}) == 3.0


@given(CJK_TEXT, st.data())
def test_every_part_of_a_run_finds_the_run(run: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(run) - 1))
    part = run[start : data.draw(st.integers(start + 1, len(run)))]
    assert set(query_terms(part)) <= document_terms(run).keys()


@given(STORABLE)
def test_a_text_that_is_not_blank_finds_itself(text: str) -> None:
    if not is_blank(text):
        assert finds(text, text)
        assert set(query_trigrams(text)) == trigram_counts(text).keys() != set()


@given(STORABLE)
def test_terms_are_kinds_before_something(text: str) -> None:
    counts = document_terms(text)
    assert all(term[0] in "wibcs" and len(term) > 1 and not any(map(str.isspace, term)) for term in counts)
    assert all(count >= 1 for count in counts.values())
    assert weighted_length(counts) <= sum(counts.values())


@given(STORABLE)
def test_case_and_width_change_no_term(text: str) -> None:
    assert document_terms(text.casefold()) == document_terms(text)


@given(STORABLE, STORABLE)
def test_a_line_break_keeps_the_terms_of_both_lines(one: str, other: str) -> None:
    terms = document_terms(f"tea {one}\ncake {other}").keys()
    assert document_terms(f"tea {one}").keys() | document_terms(f"cake {other}").keys() == terms


@given(st.text(st.sampled_from("ab_-./:@'+#\\ 0C"), max_size=200))
def test_punctuation_never_hangs_or_fails(text: str) -> None:
    assert is_blank(text) or document_terms(text)


@pytest.mark.parametrize("text", ["a" * 300_000, "a-" * 100_000, "_" * 100_000, "'" * 100_000, "あ" * 100_000])
def test_a_huge_word_costs_no_more_than_its_length(text: str) -> None:
    assert document_terms(text)
    assert trigram_counts(text)


def test_trigrams_pad_each_word() -> None:
    assert trigram_counts("Tea, te") == {" te": 2, "tea": 1, "ea ": 1, "te ": 1}


def test_trigrams_end_where_japanese_changes_its_script() -> None:
    assert trigram_counts("船はﾎﾟﾝﾌﾟを使う") == {" 船 ": 1, " ポン": 1, "ポンプ": 1, "ンプ ": 1, " 使 ": 1}


def test_hiragana_alone_keeps_its_trigrams() -> None:
    assert trigram_counts("ふき") == {" ふき": 1, "ふき ": 1}


@pytest.mark.parametrize(("text", "grams"), [("x", (" x ",)), ("京都", (" 京都", "京都 ")), ("🎉", (" 🎉 ",))])
def test_a_short_text_has_a_trigram(text: str, grams: tuple[str, ...]) -> None:
    assert query_trigrams(text) == grams
